#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: job_resolve
short_description: Resolves a stuck job by retrying or abandoning it
version_added: 0.1.0
description:
  - Resolves a stuck job by retrying or abandoning it.
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
  job:
    description:
      - ID of the job.
    type: str
    required: true
  how:
    description:
      - Whether to try the rollback or deletion again, or to abandon the job and leave the machine as it is now.
      - 'V(retry): Retry. A creation or change is undone further, a deletion starts again from its first step.'
      - 'V(abandon): Abandon the job and leave the machine as it is. The record of a resource that was being created
        is removed; a resource that was being changed or deleted becomes usable again.'
    type: str
    choices:
      - retry
      - abandon
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
- name: Resolves a stuck job by retrying or abandoning it
  lunette.appliance.job_resolve:
    job: …
    how: retry
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
    "job": {
        "type": "str",
        "required": True,
    },
    "how": {
        "type": "str",
        "choices": ["retry", "abandon"],
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
    "how": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/jobs/{job}:resolve", BODY)


if __name__ == "__main__":
    main()
