#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: session_info
short_description: Read the sessions of an appliance
version_added: 0.1.0
description:
  - 'Lists the sessions: the initiators that are logged in now.'
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
      - If omitted at creation, the appliance uses V(initiator).
    type: str
    choices:
      - initiator
      - -initiator
      - host
      - -host
      - target_iqn
      - -target_iqn
  name:
    description:
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
  host:
    description:
      - Only sessions of this host, by ID or name.
    type: str
  max_items:
    description:
      - Maximum number of results. If omitted, all are returned.
    type: int
"""

EXAMPLES = r"""
---
- name: Read the sessions of an appliance
  lunette.appliance.session_info: {}
"""

RETURN = r"""
sessions:
  description: 'Lists the sessions: the initiators that are logged in now.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["initiator", "-initiator", "host", "-host", "target_iqn", "-target_iqn"],
    },
    "name": {
        "type": "str",
    },
    "host": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "sessions", listed="/sessions", filters=("sort", "name", "host"))


if __name__ == "__main__":
    main()
