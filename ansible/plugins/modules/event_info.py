#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: event_info
short_description: Read the events of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: What happened, newest first.'
author:
  - The Lunette authors (!UNKNOWN)
extends_documentation_fragment:
  - lunette.appliance.appliance
attributes:
  check_mode:
    support: full
    description: Reads only.
  diff_mode:
    support: N/A
    description: Changes nothing.
options:
  sort:
    description:
      - Order of the answer; a minus turns it round.
      - The appliance takes V(-seq) when it is created without.
    type: str
    choices:
      - -seq
      - seq
  kind:
    description:
      - Such as volume.created.
    type: str
  outcome:
    description:
      - Only what ended so.
    type: str
    choices:
      - begun
      - done
      - failed
  after:
    description:
      - Only events with a higher number.
      - From 0 to 4611686018427387904.
    type: int
  progress:
    description:
      - Each step of a job too; the job itself tells them as well.
      - The appliance takes V(False) when it is created without.
    type: bool
  noun:
    description:
      - Only those of this C(noun).
    type: str
  ref:
    description:
      - Id of the resource it is about.
    type: str
  text:
    description:
      - Only events whose words hold this, such as a name; C(*) stands for any text, C(?) for a letter.
    type: str
  actor:
    description:
      - Only what this user or token did; C(*) stands for any text, C(?) for a letter.
    type: str
  people:
    description:
      - Only what somebody asked for, not what happened by itself.
      - The appliance takes V(False) when it is created without.
    type: bool
  since:
    description:
      - Only events at this time or later.
    type: str
  until:
    description:
      - Only events before this time.
    type: str
  id:
    description:
      - Only this one, by its id or name; no filter applies then.
    type: str
  max_items:
    description:
      - Most to answer. Without it, all of them.
    type: int
"""

EXAMPLES = r"""
---
- name: Look
  lunette.appliance.event_info: {}
"""

RETURN = r"""
events:
  description: 'What the API shows: What happened, newest first.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["-seq", "seq"],
    },
    "kind": {
        "type": "str",
    },
    "outcome": {
        "type": "str",
        "choices": ["begun", "done", "failed"],
    },
    "after": {
        "type": "int",
    },
    "progress": {
        "type": "bool",
    },
    "noun": {
        "type": "str",
    },
    "ref": {
        "type": "str",
    },
    "text": {
        "type": "str",
    },
    "actor": {
        "type": "str",
    },
    "people": {
        "type": "bool",
    },
    "since": {
        "type": "str",
    },
    "until": {
        "type": "str",
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "events", listed="/events", item="/events/{event}", filters=(
        "sort",
        "kind",
        "outcome",
        "after",
        "progress",
        "noun",
        "ref",
        "text",
        "actor",
        "people",
        "since",
        "until",
    ))


if __name__ == "__main__":
    main()
