#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array_add_disks
short_description: Adds log, cache or special disks to a ZFS pool while hosts use the pool
version_added: 0.1.0
description:
  - Adds log, cache or special disks to a ZFS pool while hosts use the pool.
  - Changes nothing if that is already the case.
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
  array:
    description:
      - ID or name of the array.
    type: str
    required: true
  role:
    description:
      - Role of the new disks.
    type: str
    choices:
      - log
      - cache
      - special
    required: true
  disks:
    description:
      - IDs of the disks to add. Log and special disks join the existing mirror of their role, which has 4 disks
        at most.
    type: list
    elements: str
    required: true
  wipe:
    description:
      - IDs of those C(disks) that may be wiped, which destroys their data. A disk with signatures that is not listed
        is refused.
    type: list
    elements: str
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
"""

EXAMPLES = r"""
---
- name: Adds log, cache or special disks to a ZFS pool while hosts use the pool
  lunette.appliance.array_add_disks:
    array: tank
    role: log
    disks:
      - nvme-eui.0007
      - nvme-eui.0008
"""

RETURN = r"""
resource:
  description: Response of the appliance.
  returned: unless the response is a job
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

from ansible_collections.lunette.appliance.plugins.module_utils import goals
from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field
from ansible_collections.lunette.appliance.plugins.module_utils.verb import run_verb

ARGUMENTS = {
    "array": {
        "type": "str",
        "required": True,
    },
    "role": {
        "type": "str",
        "choices": ["log", "cache", "special"],
        "required": True,
    },
    "disks": {
        "type": "list",
        "elements": "str",
        "required": True,
    },
    "wipe": {
        "type": "list",
        "elements": "str",
    },
    "wait": {
        "type": "bool",
        "default": True,
    },
    "wait_timeout": {
        "type": "int",
        "default": 3600,
    },
}

BODY = {
    "role": Field(create=True),
    "disks": Field(create=True),
    "wipe": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/arrays/{array}:add-disks", BODY, item="/arrays/{array}", is_done=goals.array_add_disks)


if __name__ == "__main__":
    main()
