#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array_fail
short_description: Marks a member of an MD RAID array as faulty
version_added: 0.1.0
description:
  - Marks a member of an MD RAID array as faulty.
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
  disk:
    description:
      - ID of the disk. A missing disk has the ID that the array shows for it.
    type: str
    required: true
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
- name: Marks a member of an MD RAID array as faulty
  lunette.appliance.array_fail:
    array: tank
    disk: nvme-eui.0002
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
    "disk": {
        "type": "str",
        "required": True,
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
    "disk": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/arrays/{array}:fail", BODY, item="/arrays/{array}", is_done=goals.array_fail)


if __name__ == "__main__":
    main()
