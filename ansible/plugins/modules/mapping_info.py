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
  - 'What the API shows: The mappings, and whether each is served now.'
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
      - Order of the answer; a minus turns it round.
      - The appliance takes V(created_at) when it is created without.
    type: str
    choices:
      - created_at
      - -created_at
      - lun
      - -lun
  volume:
    description:
      - Only those of it, by id or name.
    type: str
  host:
    description:
      - Only those of it, by id or name.
    type: str
  host_group:
    description:
      - Only those of it, by id or name.
    type: str
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
  lunette.appliance.mapping_info: {}
"""

RETURN = r"""
mappings:
  description: 'What the API shows: The mappings, and whether each is served now.'
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
