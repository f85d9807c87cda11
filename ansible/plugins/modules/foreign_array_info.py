#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: foreign_array_info
short_description: Read the foreign arrays of an appliance
version_added: 0.1.0
description:
  - Lists the foreign arrays.
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
- name: Read the foreign arrays of an appliance
  lunette.appliance.foreign_array_info: {}
"""

RETURN = r"""
foreign_arrays:
  description: Lists the foreign arrays.
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
    run_info(ARGUMENTS, "foreign_arrays", listed="/foreign-arrays")


if __name__ == "__main__":
    main()
