#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: snapshot
short_description: Make, change or delete a snapshot of an appliance
version_added: 0.1.0
description:
  - Takes a snapshot of a thin volume, while hosts use it.
  - 'Deletes a snapshot: it can be recovered for as long as the settings say. Its volume and its clones stay.'
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
  volume:
    description:
      - Name or id of the thin volume it is taken of.
      - Fixed when it is created; a difference later is refused.
    type: str
  description:
    description:
      - Free text for people.
      - Fixed when it is created; a difference later is refused.
    type: str
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
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
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.snapshot:
    name: db01-monday
    volume: db01
- name: Ensure it is gone
  lunette.appliance.snapshot:
    name: db01-monday
    state: absent
    destroy_data: true
"""

RETURN = r"""
resource:
  description: The snapshot as the API shows it, with the fields C(id), C(name), C(description), C(volume), C(volume_id),
    C(size_bytes), C(state), C(created_at), C(updated_at).
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
