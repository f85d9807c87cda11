#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: session_disconnect
short_description: Ends a session, and every other that its initiator has with the same target; its host logs in
  again by itself
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
  session:
    description:
      - Id of the session, as M(lunette.appliance.session_info) shows it. Each login has another one.
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
"""

EXAMPLES = r"""
---
- name: Do it
  lunette.appliance.session_disconnect:
    session: …
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

from ansible_collections.lunette.appliance.plugins.module_utils.verb import run_verb

ARGUMENTS = {
    "session": {
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
}


def main():
    run_verb(ARGUMENTS, "/sessions/{session}:disconnect", BODY)


if __name__ == "__main__":
    main()
