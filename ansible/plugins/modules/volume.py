#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: volume
short_description: Create, change or delete a volume of an appliance
version_added: 0.1.0
description:
  - Creates a volume on an array.
  - Changes the name or description of a volume.
  - Deletes a volume that has no mappings and no snapshots.
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
      - Unique name of the volume.
      - The module identifies the resource by it.
    type: str
    required: true
  description:
    description:
      - Description of the volume.
    type: str
  array:
    description:
      - Name or ID of the array.
      - Fixed when the resource is created; a later difference is refused.
    type: str
  size_bytes:
    description:
      - 'Size of the volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool.'
      - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
      - A larger size grows the resource; a smaller one is refused.
    type: str
  provisioning:
    description:
      - Whether the space is allocated when the volume is created (C(thick)) or when hosts write data (C(thin)).
      - If omitted at creation, the appliance uses V(thick).
      - 'V(thick): When the volume is created.'
      - 'V(thin): When hosts write data. The total size of thin volumes can exceed the capacity of the array.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - thick
      - thin
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
      - Previous name of the volume. If no volume named O(name) exists but one with this name does, the module renames
        it.
    type: str
  wait:
    description:
      - Whether to wait until the job has finished.
    type: bool
    default: true
  wait_timeout:
    description:
      - Maximum time to wait in seconds. After that the job continues, and the next run waits for it.
    type: int
    default: 3600
  destroy_data:
    description:
      - Whether the task may destroy data. If V(false), a change that would destroy data fails and names the loss.
    type: bool
    default: false
  in_use:
    description:
      - Whether volumes that hosts are using may be taken away. If V(false), the task fails and names the volumes.
      - Also allows a number that another volume had until recently, and whose device hosts may still have.
    type: bool
    default: false
  cascade:
    description:
      - Whether what prevents the deletion, such as mappings and snapshots, is removed with O(state=absent).
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure the volume exists
  lunette.appliance.volume:
    name: db01
    array: tank
    size_bytes: 100GiB
    description: database
- name: Ensure the volume does not exist
  lunette.appliance.volume:
    name: db01
    state: absent
    destroy_data: true
"""

RETURN = r"""
resource:
  description: The volume as returned by the API, with the fields C(id), C(name), C(description), C(array), C(array_id),
    C(size_bytes), C(provisioning), C(can_snapshot), C(state), C(uuid), C(serial), C(naa), C(nguid), C(eui64), C(mapped_to),
    C(export), C(observed), C(created_at), C(updated_at).
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
job:
  description: The job that made the change, with its steps.
  returned: when there was one
  type: dict
progress:
  description: Progress of the job, in seconds since the start of the task.
  type: list
  elements: str
  returned: when there was a job
"""

from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field, Noun
from ansible_collections.lunette.appliance.plugins.module_utils.resource import run_resource

ARGUMENTS = {
    "name": {
        "type": "str",
        "required": True,
    },
    "description": {
        "type": "str",
    },
    "array": {
        "type": "str",
    },
    "size_bytes": {
        "type": "str",
    },
    "provisioning": {
        "type": "str",
        "choices": ["thick", "thin"],
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "renamed_from": {
        "type": "str",
    },
    "wait": {
        "type": "bool",
        "default": True,
    },
    "wait_timeout": {
        "type": "int",
        "default": 3600,
    },
    "destroy_data": {
        "type": "bool",
        "default": False,
    },
    "in_use": {
        "type": "bool",
        "default": False,
    },
    "cascade": {
        "type": "bool",
        "default": False,
    },
}

NOUN = Noun(
    name="volume",
    create="/volumes",
    item="/volumes/{volume}",
    key=("name",),
    fields={
        "name": Field(create=True, patch=True, shown=("name",)),
        "description": Field(create=True, patch=True, shown=("description",)),
        "array": Field(create=True, shown=("array", "array_id")),
        "size_bytes": Field(create=True, shown=("size_bytes",), kind="size", verb="/volumes/{volume}:grow"),
        "provisioning": Field(create=True, shown=("provisioning",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
