#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: mapping
short_description: Make, change or delete a mapping of an appliance
version_added: 0.1.0
description:
  - Gives a volume to a host or a host group, under the number asked for or the lowest free one from 1.
  - Takes a volume away from a host or group; the volume and its data stay. One in use needs `confirm`.
author:
  - The Lunette authors (!UNKNOWN)
extends_documentation_fragment:
  - lunette.appliance.appliance
attributes:
  check_mode:
    support: full
    description: Asks the appliance for its plan and changes nothing.
  diff_mode:
    support: full
    description: Shows the fields that change.
options:
  volume:
    description:
      - Name or id of the volume.
    type: str
    required: true
  host:
    description:
      - Name or id of the host that gets it; either this or a host group.
    type: str
  host_group:
    description:
      - Name or id of the host group that gets it; either this or a host.
    type: str
  lun:
    description:
      - Number the host sees it under, over NVMe the namespace id. Without it, the lowest free one from 1.
      - From 0 to 255.
      - Fixed when it is created; a difference later is refused.
    type: int
  family:
    description:
      - Over which fabrics it goes; never both, as a host would take the paths for two disks. Without it, what the
        initiators of the owner speak, SCSI if both.
      - Fixed when it is created; a difference later is refused.
    type: str
    choices:
      - scsi
      - nvme
  shared:
    description:
      - Allows the volume to be mapped to more than one host or group.
      - The appliance takes V(False) when it is created without.
      - Fixed when it is created; a difference later is refused.
    type: bool
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
  in_use:
    description:
      - Lets volumes go that hosts use at this moment. Without it, taking one away is refused and says which.
      - Also gives a number that another volume had a short time ago, whose device hosts may still have.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.mapping:
    volume: db01
    host_group: cluster1
- name: Ensure it is gone
  lunette.appliance.mapping:
    volume: db01
    host_group: cluster1
    state: absent
"""

RETURN = r"""
resource:
  description: The mapping as the API shows it, with the fields C(id), C(volume), C(volume_id), C(host), C(host_id),
    C(host_group), C(host_group_id), C(family), C(lun), C(shared), C(target_iqn), C(subsystem_nqn), C(state), C(reason),
    C(created_at), C(updated_at).
  returned: when there is one, or was one before
  type: dict
plan:
  description: 'What the appliance said it would do: changes, steps, devices, bytes destroyed, hosts interrupted
    and warnings.'
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
