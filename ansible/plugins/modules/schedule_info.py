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
  - Lists the schedules, with their next runs and the result of the last run.
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
      - If omitted at creation, the appliance uses V(name).
    type: str
    choices:
      - name
      - -name
      - created_at
      - -created_at
  name:
    description:
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
  action:
    description:
      - Only schedules with this action.
      - 'V(snapshot): Takes a snapshot of each volume, then deletes snapshots that the retention does not cover.'
      - 'V(scrub): Scrubs each array: reads all of its data and compares the data with its redundancy.'
    type: str
    choices:
      - snapshot
      - scrub
  enabled:
    description:
      - Whether to return enabled (true) or disabled (false) schedules. If omitted, both.
    type: bool
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
- name: Read the schedules of an appliance
  lunette.appliance.schedule_info: {}
"""

RETURN = r"""
schedules:
  description: Lists the schedules, with their next runs and the result of the last run.
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
