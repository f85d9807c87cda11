#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: engine_info
short_description: Read the engines of an appliance
version_added: 0.1.0
description:
  - Lists the engines, with their capabilities and why an engine is unavailable.
author:
  - The Lunette authors (!UNKNOWN)
extends_documentation_fragment:
  - lunette.appliance.appliance
attributes:
  check_mode:
    support: full
    description: Reads only.
  diff_mode:
    support: N/A
    description: Changes nothing.
options:
  max_items:
    description:
      - Maximum number of results. If omitted, all are returned.
    type: int
"""

EXAMPLES = r"""
---
- name: Read the engines of an appliance
  lunette.appliance.engine_info: {}
"""

RETURN = r"""
engines:
  description: Lists the engines, with their capabilities and why an engine is unavailable.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "engines", listed="/engines")


if __name__ == "__main__":
    main()
