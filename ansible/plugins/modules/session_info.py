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
  - 'What the API shows: Who is logged in now; `name` is matched with host, initiator and target. 503 while the
    agent is away.'
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
      - The appliance takes V(initiator) when it is created without.
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
      - Only names that match; C(*) stands for any text, C(?) for a letter.
    type: str
  host:
    description:
      - Only those of this host, by id or name.
    type: str
  max_items:
    description:
      - Most to answer. Without it, all of them.
    type: int
"""

EXAMPLES = r"""
---
- name: Look
  lunette.appliance.session_info: {}
"""

RETURN = r"""
sessions:
  description: 'What the API shows: Who is logged in now; `name` is matched with host, initiator and target. 503
    while the agent is away.'
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
