#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array_capacity_info
short_description: Shows the used space of an array from day to day, and when the array will be full
version_added: 0.1.0
description:
  - Shows the used space of an array from day to day, and when the array will be full.
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
  array:
    description:
      - ID or name of the array.
    type: str
    required: true
"""

EXAMPLES = r"""
---
- name: Shows the used space of an array from day to day, and when the array will be full.
  lunette.appliance.array_capacity_info: {}
"""

RETURN = r"""
array_capacity:
  description: Shows the used space of an array from day to day, and when the array will be full.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "array": {
        "type": "str",
        "required": True,
    },
}


def main():
    run_info(ARGUMENTS, "array_capacity", item="/arrays/{array}/capacity")


if __name__ == "__main__":
    main()
