#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_info
short_description: Read the hosts of an appliance
version_added: 0.1.0
description:
  - Lists the hosts, with their initiators and export state.
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
      - os_type
      - -os_type
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
  os_type:
    description:
      - Only hosts with this operating system.
      - 'V(linux): Linux.'
      - 'V(esxi): VMware ESXi, which cannot use volumes with 4096-byte blocks.'
      - 'V(windows): Microsoft Windows.'
      - 'V(proxmox): Proxmox VE.'
      - 'V(other): Any other operating system.'
    type: str
    choices:
      - linux
      - esxi
      - windows
      - proxmox
      - other
  initiator:
    description:
      - 'Only the host with this initiator: an IQN, WWPN or NQN.'
    type: str
  host_group:
    description:
      - Only hosts of this host group, by ID or name.
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
- name: Read the hosts of an appliance
  lunette.appliance.host_info: {}
"""

RETURN = r"""
hosts:
  description: Lists the hosts, with their initiators and export state.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["name", "-name", "os_type", "-os_type", "created_at", "-created_at"],
    },
    "name": {
        "type": "str",
    },
    "text": {
        "type": "str",
    },
    "os_type": {
        "type": "str",
        "choices": ["linux", "esxi", "windows", "proxmox", "other"],
    },
    "initiator": {
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
    run_info(ARGUMENTS, "hosts", listed="/hosts", item="/hosts/{host}", filters=("sort", "name", "text", "os_type", "initiator", "host_group"))


if __name__ == "__main__":
    main()
