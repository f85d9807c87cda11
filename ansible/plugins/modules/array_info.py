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
  - 'What the API shows: The arrays, with the health the kernel reports.'
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
      - Only names that match; C(*) stands for any text, C(?) for a letter.
    type: str
  state:
    description:
      - 'C(changing): it serves, and a job changes its disks. C(stuck): an undo failed; the resource can be read,
        and a person decides what happens to it.'
    type: str
    choices:
      - creating
      - ready
      - changing
      - deleting
      - stuck
  level:
    description:
      - 'raid*: md''s words. stripe, mirror, raidz1 to raidz3: ZFS''s; its parity levels are no RAID 5 or 6 on disk.'
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
  lunette.appliance.array_info: {}
"""

RETURN = r"""
arrays:
  description: 'What the API shows: The arrays, with the health the kernel reports.'
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
