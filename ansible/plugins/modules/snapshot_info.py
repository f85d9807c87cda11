#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: snapshot_info
short_description: Read the snapshots of an appliance
version_added: 0.1.0
description:
  - Lists the snapshots.
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
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
  volume:
    description:
      - Only snapshots of this volume, by ID or name.
    type: str
  schedule:
    description:
      - Only snapshots that this schedule took, by ID or name.
    type: str
  sort:
    description:
      - Field to sort by. A leading C(-) sorts in descending order.
      - If omitted at creation, the appliance uses V(created_at).
    type: str
    choices:
      - name
      - -name
      - size_bytes
      - -size_bytes
      - created_at
      - -created_at
  id:
    description:
      - ID or name of the only resource to return; filters are ignored then.
    type: str
  max_items:
    description:
      - Maximum number of results. If omitted, all are returned.
    type: int
"""

EXAMPLES = r"""
---
- name: Read the snapshots of an appliance
  lunette.appliance.snapshot_info: {}
"""

RETURN = r"""
snapshots:
  description: Lists the snapshots.
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
    "schedule": {
        "type": "str",
    },
    "sort": {
        "type": "str",
        "choices": ["name", "-name", "size_bytes", "-size_bytes", "created_at", "-created_at"],
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "snapshots", listed="/snapshots", item="/snapshots/{snapshot}", filters=("name", "volume", "schedule", "sort"))


if __name__ == "__main__":
    main()
