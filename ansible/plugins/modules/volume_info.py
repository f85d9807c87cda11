#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: volume_info
short_description: Read the volumes of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: The volumes, with whom they are mapped to and whether they are served.'
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
      - state
      - -state
      - size_bytes
      - -size_bytes
      - naa
      - -naa
      - created_at
      - -created_at
  name:
    description:
      - Only names that match; C(*) stands for any text, C(?) for a letter.
    type: str
  array:
    description:
      - Only those of this array, by id or name.
    type: str
  host:
    description:
      - Only those of this host, by id or name.
    type: str
  host_group:
    description:
      - Only those of this host group, by id or name.
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
  lunette.appliance.volume_info: {}
"""

RETURN = r"""
volumes:
  description: 'What the API shows: The volumes, with whom they are mapped to and whether they are served.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["name", "-name", "state", "-state", "size_bytes", "-size_bytes", "naa", "-naa", "created_at", "-created_at"],
    },
    "name": {
        "type": "str",
    },
    "array": {
        "type": "str",
    },
    "host": {
        "type": "str",
    },
    "host_group": {
        "type": "str",
    },
    "state": {
        "type": "str",
        "choices": ["creating", "ready", "changing", "deleting", "stuck"],
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "volumes", listed="/volumes", item="/volumes/{volume}", filters=("sort", "name", "array", "host", "host_group", "state"))


if __name__ == "__main__":
    main()
