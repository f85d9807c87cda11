#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: volume
short_description: Make, change or delete a volume of an appliance
version_added: 0.1.0
description:
  - Cuts one volume from an array.
  - Changes name or description; no data and no export is touched.
  - Deletes a volume, once nothing is mapped to it and its exports are gone.
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
  name:
    description:
      - Name; it is how the module finds it.
    type: str
    required: true
  description:
    description:
      - Free text for people.
    type: str
  array:
    description:
      - Name or id of the array it is cut from.
      - Fixed when it is created; a difference later is refused.
    type: str
  size_bytes:
    description:
      - Size, a multiple of 4 MiB.
      - Bytes as a number, or with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
      - A larger one makes it grow; a smaller one is refused.
    type: str
  provisioning:
    description:
      - Whether the space is taken at once (thick) or when it is written (thin).
      - The appliance takes V(thick) when it is created without.
      - Fixed when it is created; a difference later is refused.
    type: str
    choices:
      - thick
      - thin
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
  renamed_from:
    description:
      - Name it had before. Where there is no volume called O(name) and one called this, that one is renamed.
    type: str
  wait:
    description:
      - Waits until the work is done.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait at most. The work goes on after that, and the next run waits for it.
    type: int
    default: 3600
  destroy_data:
    description:
      - Allows data to be destroyed. Without it, a change that would is refused and says what would be lost.
    type: bool
    default: false
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
  lunette.appliance.volume:
    name: db01
    array: tank
    size_bytes: 100GiB
    description: database
- name: Ensure it is gone
  lunette.appliance.volume:
    name: db01
    state: absent
    destroy_data: true
"""

RETURN = r"""
resource:
  description: The volume as the API shows it, with the fields C(id), C(name), C(description), C(array), C(array_id),
    C(size_bytes), C(provisioning), C(can_snapshot), C(state), C(uuid), C(serial), C(naa), C(nguid), C(eui64), C(mapped_to),
    C(export), C(observed), C(created_at), C(updated_at).
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
job:
  description: The job that did it, with its steps.
  returned: when there was one
  type: dict
progress:
  description: How the job went on, in seconds since the start of the task.
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
