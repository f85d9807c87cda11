#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array_force_start
short_description: 'Starts an array that stays stopped because it is dirty and degraded: see `observed.dirty_degraded`'
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
  confirm:
    description:
      - 'The name of the array: blocks on it can be wrong afterwards, and nothing tells which.'
    type: str
    required: true
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
- name: Do it
  lunette.appliance.array_force_start:
    array: tank
    confirm: tank
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
    run_verb(ARGUMENTS, "/arrays/{array}:force_start", BODY, item="/arrays/{array}", is_done=goals.array_force_start)


if __name__ == "__main__":
    main()
