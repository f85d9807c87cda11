#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: portal_info
short_description: Read the portals of an appliance
version_added: 0.1.0
description:
  - Lists the portals, with their export state.
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
      - address
      - -address
      - port
      - -port
      - created_at
      - -created_at
  name:
    description:
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
  protocol:
    description:
      - Only portals of this protocol.
      - 'V(iscsi): iSCSI: SCSI over TCP.'
      - 'V(iser): iSER: iSCSI over RDMA.'
      - 'V(nvme-tcp): NVMe over TCP.'
      - 'V(nvme-rdma): NVMe over RDMA.'
      - 'V(nvme-fc): NVMe over Fibre Channel.'
      - 'V(fc): SCSI over Fibre Channel. FC ports serve this protocol; portals do not.'
    type: str
    choices:
      - iscsi
      - iser
      - nvme-tcp
      - nvme-rdma
      - nvme-fc
      - fc
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
- name: Read the portals of an appliance
  lunette.appliance.portal_info: {}
"""

RETURN = r"""
portals:
  description: Lists the portals, with their export state.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["name", "-name", "address", "-address", "port", "-port", "created_at", "-created_at"],
    },
    "name": {
        "type": "str",
    },
    "protocol": {
        "type": "str",
        "choices": ["iscsi", "iser", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc"],
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "portals", listed="/portals", item="/portals/{portal}", filters=("sort", "name", "protocol"))


if __name__ == "__main__":
    main()
