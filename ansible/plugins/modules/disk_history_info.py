#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: disk_history_info
short_description: Shows the health history of a disk, day by day
version_added: 0.1.0
description:
  - Shows the health history of a disk, day by day.
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
  disk:
    description:
      - Stable ID of the disk.
    type: str
    required: true
"""

EXAMPLES = r"""
---
- name: Shows the health history of a disk, day by day.
  lunette.appliance.disk_history_info: {}
"""

RETURN = r"""
disk_history:
  description: Shows the health history of a disk, day by day.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "disk": {
        "type": "str",
        "required": True,
    },
}


def main():
    run_info(ARGUMENTS, "disk_history", item="/disks/{disk}/history")


if __name__ == "__main__":
    main()
