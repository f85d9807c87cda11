#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: mapping
short_description: Create, change or delete a mapping of an appliance
version_added: 0.1.0
description:
  - Maps a volume to a host or a host group.
  - Unmaps a volume from a host or a host group.
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
  volume:
    description:
      - ID or name of the volume to map.
      - The module identifies the resource by it.
    type: str
    required: true
  host:
    description:
      - ID or name of the host that receives access. Required unless C(host_group) is set.
      - The module identifies the resource by it.
    type: str
  host_group:
    description:
      - ID or name of the host group that receives access. Required unless C(host) is set.
      - The module identifies the resource by it.
    type: str
  lun:
    description:
      - LUN, or namespace ID over NVMe (from 1). If omitted, the lowest free number from 1 is assigned.
      - From 0 to 255.
      - Fixed when the resource is created; a later difference is refused.
    type: int
  family:
    description:
      - Protocol family of the mapping. If omitted, NVMe for an owner that has only NQNs, and SCSI for any other
        owner.
      - 'V(scsi): SCSI, over iSCSI, iSER or Fibre Channel.'
      - 'V(nvme): NVMe, over TCP, RDMA or Fibre Channel.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - scsi
      - nvme
  shared:
    description:
      - Whether the volume may be mapped although it has another owner.
      - If omitted at creation, the appliance uses V(false).
      - Fixed when the resource is created; a later difference is refused.
    type: bool
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
  in_use:
    description:
      - Whether volumes that hosts are using may be taken away. If V(false), the task fails and names the volumes.
      - Also allows a number that another volume had until recently, and whose device hosts may still have.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure the mapping exists
  lunette.appliance.mapping:
    volume: db01
    host_group: cluster1
- name: Ensure the mapping does not exist
  lunette.appliance.mapping:
    volume: db01
    host_group: cluster1
    state: absent
"""

RETURN = r"""
resource:
  description: The mapping as returned by the API, with the fields C(id), C(volume), C(volume_id), C(host), C(host_id),
    C(host_group), C(host_group_id), C(family), C(lun), C(shared), C(target_iqn), C(subsystem_nqn), C(state), C(reason),
    C(created_at), C(updated_at).
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
    "volume": {
        "type": "str",
        "required": True,
    },
    "host": {
        "type": "str",
    },
    "host_group": {
        "type": "str",
    },
    "lun": {
        "type": "int",
    },
    "family": {
        "type": "str",
        "choices": ["scsi", "nvme"],
    },
    "shared": {
        "type": "bool",
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "in_use": {
        "type": "bool",
        "default": False,
    },
}

NOUN = Noun(
    name="mapping",
    create="/mappings",
    filters=("volume", "host", "host_group"),
    item="/mappings/{mapping}",
    key=("volume", "host", "host_group"),
    fields={
        "volume": Field(create=True, shown=("volume", "volume_id")),
        "host": Field(create=True, shown=("host", "host_id")),
        "host_group": Field(create=True, shown=("host_group", "host_group_id")),
        "lun": Field(create=True, shown=("lun",)),
        "family": Field(create=True, shown=("family",)),
        "shared": Field(create=True, shown=("shared",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
