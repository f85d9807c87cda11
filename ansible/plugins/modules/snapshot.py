#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: snapshot
short_description: Create, change or delete a snapshot of an appliance
version_added: 0.1.0
description:
  - Creates a snapshot of a volume while hosts use it.
  - Deletes a snapshot, but not its volume or its clones.
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
      - Unique name of the snapshot.
      - The module identifies the resource by it.
    type: str
    required: true
  volume:
    description:
      - Name or ID of the volume. On arrays other than ZFS pools, only thin volumes can have snapshots.
      - Fixed when the resource is created; a later difference is refused.
    type: str
  description:
    description:
      - Description of the snapshot.
      - Fixed when the resource is created; a later difference is refused.
    type: str
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
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
"""

EXAMPLES = r"""
---
- name: Ensure the snapshot exists
  lunette.appliance.snapshot:
    name: db01-monday
    volume: db01
- name: Ensure the snapshot does not exist
  lunette.appliance.snapshot:
    name: db01-monday
    state: absent
    destroy_data: true
"""

RETURN = r"""
resource:
  description: The snapshot as returned by the API, with the fields C(id), C(name), C(description), C(volume), C(volume_id),
    C(size_bytes), C(state), C(schedule), C(created_at), C(updated_at).
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
    "volume": {
        "type": "str",
    },
    "description": {
        "type": "str",
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
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
}

NOUN = Noun(
    name="snapshot",
    create="/snapshots",
    item="/snapshots/{snapshot}",
    key=("name",),
    fields={
        "name": Field(create=True, shown=("name",)),
        "volume": Field(create=True, shown=("volume", "volume_id")),
        "description": Field(create=True, shown=("description",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
