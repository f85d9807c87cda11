#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: schedule_info
short_description: Read the schedules of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: The schedules, with their next times and how the last run of each ended.'
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
      - The appliance takes V(name) when it is created without.
    type: str
    choices:
      - name
      - -name
      - created_at
      - -created_at
  name:
    description:
      - Only names that match; C(*) stands for any text, C(?) for a letter.
    type: str
  action:
    description:
      - 'snapshot: take one of each volume, and let old ones go. scrub: read and compare all of each array.'
    type: str
    choices:
      - snapshot
      - scrub
  enabled:
    description:
      - Only those that run by themselves, or only those that do not.
    type: bool
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
  lunette.appliance.schedule_info: {}
"""

RETURN = r"""
schedules:
  description: 'What the API shows: The schedules, with their next times and how the last run of each ended.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["name", "-name", "created_at", "-created_at"],
    },
    "name": {
        "type": "str",
    },
    "action": {
        "type": "str",
        "choices": ["snapshot", "scrub"],
    },
    "enabled": {
        "type": "bool",
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "schedules", listed="/schedules", item="/schedules/{schedule}", filters=("sort", "name", "action", "enabled"))


if __name__ == "__main__":
    main()
