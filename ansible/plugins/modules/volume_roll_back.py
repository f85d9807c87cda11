#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: volume_roll_back
short_description: Rolls a volume back to a snapshot
version_added: 0.1.0
description:
  - Rolls a volume back to a snapshot.
  - Acts in every run, unless the plan of the appliance contains no change.
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
  volume:
    description:
      - ID or name of the volume.
    type: str
    required: true
  snapshot:
    description:
      - Name or ID of the snapshot.
    type: str
    required: true
  keep:
    description:
      - Whether the present data of the volume is retained as a deleted volume of the same name, for the hours of
        the setting C(deleted_keep_hours). If C(false), or with 0 hours, the present data is destroyed.
      - If omitted at creation, the appliance uses V(true).
    type: bool
  delete_newer_snapshots:
    description:
      - Whether newer snapshots that prevent the rollback are erased, which cannot be undone. Only ZFS needs this.
      - If omitted at creation, the appliance uses V(false).
    type: bool
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
- name: Rolls a volume back to a snapshot
  lunette.appliance.volume_roll_back:
    volume: db01
    snapshot: db01-monday
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

from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field
from ansible_collections.lunette.appliance.plugins.module_utils.verb import run_verb

ARGUMENTS = {
    "volume": {
        "type": "str",
        "required": True,
    },
    "snapshot": {
        "type": "str",
        "required": True,
    },
    "keep": {
        "type": "bool",
    },
    "delete_newer_snapshots": {
        "type": "bool",
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
    "snapshot": Field(create=True),
    "keep": Field(create=True),
    "delete_newer_snapshots": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/volumes/{volume}:roll-back", BODY, item="/volumes/{volume}")


if __name__ == "__main__":
    main()
