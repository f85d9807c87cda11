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
  - Lists the volumes, with their mappings and export state.
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
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
  text:
    description:
      - Only objects with this text in their name, description or an identifier, also as an operating system writes
        it (C(naa.6001405...)). Case is ignored. Identifiers are searched for texts of four characters and more.
    type: str
  array:
    description:
      - Only volumes of this array, by ID or name.
    type: str
  host:
    description:
      - Only volumes mapped to this host, by ID or name.
    type: str
  host_group:
    description:
      - Only volumes mapped to this host group, by ID or name.
    type: str
  state:
    description:
      - Only volumes in this state.
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
- name: Read the volumes of an appliance
  lunette.appliance.volume_info: {}
"""

RETURN = r"""
volumes:
  description: Lists the volumes, with their mappings and export state.
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
    "text": {
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
    run_info(ARGUMENTS, "volumes", listed="/volumes", item="/volumes/{volume}", filters=("sort", "name", "text", "array", "host", "host_group", "state"))


if __name__ == "__main__":
    main()
