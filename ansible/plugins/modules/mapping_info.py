#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: mapping_info
short_description: Read the mappings of an appliance
version_added: 0.1.0
description:
  - Lists the mappings, with their export state.
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
  sort:
    description:
      - Field to sort by. A leading C(-) sorts in descending order.
      - If omitted at creation, the appliance uses V(created_at).
    type: str
    choices:
      - created_at
      - -created_at
      - lun
      - -lun
  volume:
    description:
      - Only mappings of this volume, by ID or name.
    type: str
  host:
    description:
      - Only mappings of this host, by ID or name.
    type: str
  host_group:
    description:
      - Only mappings of this host group, by ID or name.
    type: str
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
- name: Read the mappings of an appliance
  lunette.appliance.mapping_info: {}
"""

RETURN = r"""
mappings:
  description: Lists the mappings, with their export state.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["created_at", "-created_at", "lun", "-lun"],
    },
    "volume": {
        "type": "str",
    },
    "host": {
        "type": "str",
    },
    "host_group": {
        "type": "str",
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "mappings", listed="/mappings", item="/mappings/{mapping}", filters=("sort", "volume", "host", "host_group"))


if __name__ == "__main__":
    main()
