#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: snapshot_clone
short_description: Creates one or many volumes from a snapshot, all or none
version_added: 0.1.0
description:
  - Creates one or many volumes from a snapshot, all or none.
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
  snapshot:
    description:
      - ID or name of the snapshot.
    type: str
    required: true
  name:
    description:
      - Name of the only clone. Required unless C(name_pattern) is set.
    type: str
  name_pattern:
    description:
      - 'Pattern for the names, with one number in the notation of printf: C(clone%02d) gives C(clone01), C(clone02)
        and so on. The number has up to 9 digits. Required unless C(name) is set.'
    type: str
  count:
    description:
      - Number of clones to create with C(name_pattern).
      - From 1 to 1000.
      - If omitted at creation, the appliance uses V(1).
    type: int
  first:
    description:
      - Number in the name of the first clone. Only with C(name_pattern).
      - From 0 to 1000000.
      - If omitted at creation, the appliance uses V(1).
    type: int
  description:
    description:
      - Description of each clone.
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
"""

EXAMPLES = r"""
---
- name: Creates one or many volumes from a snapshot, all or none
  lunette.appliance.snapshot_clone:
    snapshot: db01-monday
    name: db01-test
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
