#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: deleted_snapshot_info
short_description: Read the deleted snapshots of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: The snapshots that were deleted and can be recovered; what was deleted first comes first.'
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
  name:
    description:
      - Only names that match; C(*) stands for any text, C(?) for a letter.
    type: str
  volume:
    description:
      - Only those of this volume, by id or name.
    type: str
  sort:
    description:
      - Order of the answer; a minus turns it round.
      - The appliance takes V(deleted_at) when it is created without.
    type: str
    choices:
      - name
      - -name
      - size_bytes
      - -size_bytes
      - deleted_at
      - -deleted_at
      - erase_at
      - -erase_at
  id:
    description:
      - Only this one, by its id or name; no filter applies then.
    type: str
  max_items:
    description:
      - Most to answer. Without it, all of them.
    type: int
"""

EXAMPLES = r"""
---
- name: Look
  lunette.appliance.deleted_snapshot_info: {}
"""

RETURN = r"""
deleted_snapshots:
  description: 'What the API shows: The snapshots that were deleted and can be recovered; what was deleted first
    comes first.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "name": {
        "type": "str",
    },
    "volume": {
        "type": "str",
    },
    "sort": {
        "type": "str",
        "choices": ["name", "-name", "size_bytes", "-size_bytes", "deleted_at", "-deleted_at", "erase_at", "-erase_at"],
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "deleted_snapshots", listed="/deleted-snapshots", item="/deleted-snapshots/{deleted_snapshot}", filters=("name", "volume", "sort"))


if __name__ == "__main__":
    main()
