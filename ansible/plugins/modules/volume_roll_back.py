#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: volume_roll_back
short_description: Makes a volume as it was in a snapshot, and keeps what it holds as a deleted volume. 409 while
  it is mapped
version_added: 0.1.0
description:
  - Acts each time it is run, unless the appliance's plan says that nothing would change.
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
  volume:
    description:
      - Its id or its name.
    type: str
    required: true
  snapshot:
    description:
      - Name or id of the snapshot to go back to. The volume must not be mapped.
    type: str
    required: true
  keep:
    description:
      - Whether what the volume holds now is kept as a deleted volume of the same name, which takes space until
        it is erased. Each run keeps one more.
      - The appliance takes V(true) when it is created without.
    type: bool
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
  lunette.appliance.volume_roll_back:
    volume: db01
    snapshot: db01-monday
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
}


def main():
    run_verb(ARGUMENTS, "/volumes/{volume}:roll-back", BODY, item="/volumes/{volume}")


if __name__ == "__main__":
    main()
