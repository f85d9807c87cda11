#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: portal
short_description: Create, change or delete a portal of an appliance
version_added: 0.1.0
description:
  - Creates a portal on an address and port of the appliance.
  - Renames a portal, or moves it to another address or port.
  - Deletes a portal, so that the appliance no longer listens there.
author:
  - The Lunette authors (!UNKNOWN)
extends_documentation_fragment:
  - lunette.appliance.appliance
attributes:
  check_mode:
    support: full
    description: Requests the plan of the appliance and changes nothing.
  diff_mode:
    support: full
    description: Shows the fields that change.
options:
  name:
    description:
      - Unique name of the portal.
      - The module identifies the resource by it.
    type: str
    required: true
  address:
    description:
      - IP address of the appliance to listen on, or C(0.0.0.0) or C(::) for all addresses.
    type: str
  port:
    description:
      - Port number to listen on. If omitted, 3260 for iSCSI, 3261 for iSER, and 4420 for NVMe over TCP or RDMA.
      - From 1 to 65535.
    type: int
  protocol:
    description:
      - Protocol that the portal serves. SCSI over Fibre Channel (C(fc)) has no portals.
      - If omitted at creation, the appliance uses V(iscsi).
      - 'V(iscsi): iSCSI: SCSI over TCP.'
      - 'V(iser): iSER: iSCSI over RDMA.'
      - 'V(nvme-tcp): NVMe over TCP.'
      - 'V(nvme-rdma): NVMe over RDMA.'
      - 'V(nvme-fc): NVMe over Fibre Channel.'
      - 'V(fc): SCSI over Fibre Channel. FC ports serve this protocol; portals do not.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - iscsi
      - iser
      - nvme-tcp
      - nvme-rdma
      - nvme-fc
      - fc
  engine:
    description:
      - Export engine of the portal. If omitted, the engine of the kernel. All NVMe portals have the same engine.
      - 'V(lio): LIO, the SCSI target of the kernel: iSCSI, iSER and Fibre Channel.'
      - 'V(nvmet): The NVMe target of the kernel, nvmet: NVMe over TCP, RDMA and Fibre Channel.'
      - 'V(spdk): SPDK, an NVMe target in user space: NVMe over TCP.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - lio
      - nvmet
      - spdk
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
  renamed_from:
    description:
      - Previous name of the portal. If no portal named O(name) exists but one with this name does, the module renames
        it.
    type: str
"""

EXAMPLES = r"""
---
- name: Ensure the portal exists
  lunette.appliance.portal:
    name: front
    address: 192.0.2.10
- name: Ensure the portal does not exist
  lunette.appliance.portal:
    name: front
    state: absent
"""

RETURN = r"""
resource:
  description: The portal as returned by the API, with the fields C(id), C(name), C(protocol), C(engine), C(address),
    C(port), C(state), C(reason), C(former_places), C(created_at), C(updated_at).
  returned: when it exists, or existed before
  type: dict
plan:
  description: 'Plan of the appliance: changes, steps, devices, bytes destroyed, hosts interrupted and warnings.'
  returned: when something changes
  type: dict
problem:
  description: 'The problem document: C(type), C(detail), C(errors).'
  returned: when refused
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field, Noun
from ansible_collections.lunette.appliance.plugins.module_utils.resource import run_resource

ARGUMENTS = {
    "name": {
        "type": "str",
        "required": True,
    },
    "address": {
        "type": "str",
    },
    "port": {
        "type": "int",
    },
    "protocol": {
        "type": "str",
        "choices": ["iscsi", "iser", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc"],
    },
    "engine": {
        "type": "str",
        "choices": ["lio", "nvmet", "spdk"],
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "renamed_from": {
        "type": "str",
    },
}

NOUN = Noun(
    name="portal",
    create="/portals",
    item="/portals/{portal}",
    key=("name",),
    fields={
        "name": Field(create=True, patch=True, shown=("name",)),
        "address": Field(create=True, patch=True, shown=("address",)),
        "port": Field(create=True, patch=True, shown=("port",)),
        "protocol": Field(create=True, shown=("protocol",)),
        "engine": Field(create=True, shown=("engine",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
