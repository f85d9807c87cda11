#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: layout_info
short_description: Compares the levels of all array engines for a set of disks
version_added: 0.1.0
description:
  - Compares the levels of all array engines for a set of disks.
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
  disks:
    description:
      - ID of a disk; repeat the parameter for each disk.
    type: list
    elements: str
  block_bytes:
    description:
      - Block size of volumes on ZFS, in bytes, for which figures are given.
      - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
      - If omitted at creation, the appliance uses V(16384).
    type: str
"""

EXAMPLES = r"""
---
- name: Compares the levels of all array engines for a set of disks.
  lunette.appliance.layout_info: {}
"""

RETURN = r"""
layout:
  description: Compares the levels of all array engines for a set of disks.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "disks": {
        "type": "list",
        "elements": "str",
    },
    "block_bytes": {
        "type": "str",
    },
}


def main():
    run_info(ARGUMENTS, "layout", item="/layouts", filters=("disks", "block_bytes"))


if __name__ == "__main__":
    main()
