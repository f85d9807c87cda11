#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array_force_start
short_description: Starts an array that stays stopped because it is dirty and degraded
version_added: 0.1.0
description:
  - Starts an array that stays stopped because it is dirty and degraded.
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
  confirm:
    description:
      - Name of the array, as confirmation. Blocks can be corrupt afterward, and nothing shows which ones.
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
  destroy_data:
    description:
      - Whether the task may destroy data. If V(false), a change that would destroy data fails and names the loss.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Starts an array that stays stopped because it is dirty and degraded
  lunette.appliance.array_force_start:
    array: tank
    confirm: tank
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
    "confirm": {
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
    "destroy_data": {
        "type": "bool",
        "default": False,
    },
}

BODY = {
    "confirm": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/arrays/{array}:force-start", BODY, item="/arrays/{array}", is_done=goals.array_force_start)


if __name__ == "__main__":
    main()
