#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array_reshape
short_description: 'Gives an array another level with one disk more, while hosts use it: a raid5 becomes a raid6'
version_added: 0.1.0
description:
  - Changes nothing where that is so already.
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
  array:
    description:
      - Its id or its name.
    type: str
    required: true
  level:
    description:
      - 'What the array is to become: V(raid6) of a RAID 5, with one disk more.'
    type: str
    choices:
      - raid0
      - raid1
      - raid4
      - raid5
      - raid6
      - raid10
      - stripe
      - mirror
      - raidz1
      - raidz2
      - raidz3
      - draid1
      - draid2
      - draid3
      - external
    required: true
  disks:
    description:
      - Stable id of the disk that the new level needs. Without it a spare of the array is taken.
    type: list
    elements: str
  wipe:
    description:
      - Id of that disk, if its present content may be destroyed.
    type: list
    elements: str
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
"""

EXAMPLES = r"""
---
- name: Do it
  lunette.appliance.array_reshape:
    array: tank
    level: raid6
    disks:
      - nvme-eui.0006
"""

RETURN = r"""
resource:
  description: What the appliance answered.
  returned: unless it answered with a job
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

from ansible_collections.lunette.appliance.plugins.module_utils import goals
from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field
from ansible_collections.lunette.appliance.plugins.module_utils.verb import run_verb

ARGUMENTS = {
    "array": {
        "type": "str",
        "required": True,
    },
    "level": {
        "type": "str",
        "choices": [
            "raid0",
            "raid1",
            "raid4",
            "raid5",
            "raid6",
            "raid10",
            "stripe",
            "mirror",
            "raidz1",
            "raidz2",
            "raidz3",
            "draid1",
            "draid2",
            "draid3",
            "external",
        ],
        "required": True,
    },
    "disks": {
        "type": "list",
        "elements": "str",
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
    "level": Field(create=True),
    "disks": Field(create=True),
    "wipe": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/arrays/{array}:reshape", BODY, item="/arrays/{array}", is_done=goals.array_reshape)


if __name__ == "__main__":
    main()
