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
  - Lists the events, newest first by default.
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
      - Field to sort by. A leading C(-) sorts in descending order.
      - If omitted at creation, the appliance uses V(-seq).
    type: str
    choices:
      - -seq
      - seq
  kind:
    description:
      - Only events of this kind, such as C(volume.created).
    type: str
  outcome:
    description:
      - Only events with this outcome.
      - 'V(begun): The change has started; the job that follows reports its end.'
      - 'V(done): The change is complete, or the event reports an observation.'
      - 'V(failed): The change failed, was undone, is stuck or did not take place.'
    type: str
    choices:
      - begun
      - done
      - failed
  progress:
    description:
      - Whether to include an event for each step of a job. The job lists its steps, too.
      - If omitted at creation, the appliance uses V(false).
    type: bool
  noun:
    description:
      - Only events about this kind of resource, such as C(volume).
    type: str
  ref:
    description:
      - Only events about the resource with this ID.
    type: str
  text:
    description:
      - Only events whose message contains this text, such as a name; C(*) matches any text, C(?) one character.
    type: str
  actor:
    description:
      - Only events that this user or API token caused; C(*) matches any text, C(?) one character.
    type: str
  people:
    description:
      - Whether to return only events caused by users and API tokens, not by the appliance.
      - If omitted at creation, the appliance uses V(false).
    type: bool
  since:
    description:
      - Only events at or after this time.
    type: str
  until:
    description:
      - Only events before this time.
    type: str
  after:
    description:
      - Only events with a number above this one.
      - From 0 to 4611686018427387904.
    type: int
  job:
    description:
      - Only events of the job with this ID.
    type: str
  operations:
    description:
      - 'Whether to return one event for each operation: for a job, the one that describes it.'
      - If omitted at creation, the appliance uses V(false).
    type: bool
  id:
    description:
      - ID or name of the only resource to return; filters are ignored then.
    type: str
  max_items:
    description:
      - Maximum number of results. If omitted, all are returned.
    type: int
"""

EXAMPLES = r"""
---
- name: Read the events of an appliance
  lunette.appliance.event_info: {}
"""

RETURN = r"""
events:
  description: Lists the events, newest first by default.
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
    "after": {
        "type": "int",
    },
    "job": {
        "type": "str",
    },
    "operations": {
        "type": "bool",
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
        "progress",
        "noun",
        "ref",
        "text",
        "actor",
        "people",
        "since",
        "until",
        "after",
        "job",
        "operations",
    ))


if __name__ == "__main__":
    main()
