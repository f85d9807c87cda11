#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: snapshot_clone
short_description: Makes one or many writable volumes that begin as the snapshot, all or nothing
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
  snapshot:
    description:
      - Its id or its name.
    type: str
    required: true
  name:
    description:
      - Name of the one clone. A volume of this name that exists is taken to be it.
    type: str
  name_pattern:
    description:
      - Names of several clones, with one number in it such as V(clone%02d).
    type: str
  count:
    description:
      - How many clones.
      - From 1 to 1000.
      - The appliance takes V(1) when it is created without.
    type: int
  first:
    description:
      - Number of the first one.
      - From 0 to 1000000.
      - The appliance takes V(1) when it is created without.
    type: int
  description:
    description:
      - Free text for people.
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
"""

EXAMPLES = r"""
---
- name: Do it
  lunette.appliance.snapshot_clone:
    snapshot: db01-monday
    name: db01-test
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
    "snapshot": {
        "type": "str",
        "required": True,
    },
    "name": {
        "type": "str",
    },
    "name_pattern": {
        "type": "str",
    },
    "count": {
        "type": "int",
    },
    "first": {
        "type": "int",
    },
    "description": {
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
}

BODY = {
    "name": Field(create=True),
    "name_pattern": Field(create=True),
    "count": Field(create=True),
    "first": Field(create=True),
    "description": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/snapshots/{snapshot}:clone", BODY, item="/snapshots/{snapshot}", is_done=goals.snapshot_clone)


if __name__ == "__main__":
    main()
