#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array_info
short_description: Read the arrays of an appliance
version_added: 0.1.0
description:
  - Lists the arrays, with their observed health.
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
      - level
      - -level
      - state
      - -state
      - usable_bytes
      - -usable_bytes
      - created_at
      - -created_at
  name:
    description:
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
  state:
    description:
      - Only arrays in this state.
      - 'V(creating): A job creates the resource.'
      - 'V(ready): The resource can be used.'
      - 'V(changing): A job changes the resource. Existing exports continue.'
      - 'V(deleting): A job deletes or releases the resource.'
      - 'V(stuck): A job could neither finish nor be rolled back. The resource cannot be changed until an administrator
        resolves the job.'
    type: str
    choices:
      - creating
      - ready
      - changing
      - deleting
      - stuck
  level:
    description:
      - Only arrays of this level.
    type: str
    choices:
      - raid0
      - raid1
      - raid4
      - raid5
      - raid6
      - raid10
      - stripe
      - mirror
      - raidz1
      - raidz2
      - raidz3
      - draid1
      - draid2
      - draid3
      - external
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
- name: Read the arrays of an appliance
  lunette.appliance.array_info: {}
"""

RETURN = r"""
arrays:
  description: Lists the arrays, with their observed health.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["name", "-name", "level", "-level", "state", "-state", "usable_bytes", "-usable_bytes", "created_at", "-created_at"],
    },
    "name": {
        "type": "str",
    },
    "state": {
        "type": "str",
        "choices": ["creating", "ready", "changing", "deleting", "stuck"],
    },
    "level": {
        "type": "str",
        "choices": [
            "raid0",
            "raid1",
            "raid4",
            "raid5",
            "raid6",
            "raid10",
            "stripe",
            "mirror",
            "raidz1",
            "raidz2",
            "raidz3",
            "draid1",
            "draid2",
            "draid3",
            "external",
        ],
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "arrays", listed="/arrays", item="/arrays/{array}", filters=("sort", "name", "state", "level"))


if __name__ == "__main__":
    main()
