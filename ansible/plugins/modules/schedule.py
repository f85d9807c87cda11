#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: schedule
short_description: Make, change or delete a schedule of an appliance
version_added: 0.1.0
description:
  - Creates a schedule of snapshots with their retention, or of scrubs. It deletes only what it took itself.
  - Changes a schedule; an absent field stays. Where less is to be kept, the next run deletes what is too many.
  - Deletes a schedule. The snapshots it took stay.
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
  name:
    description:
      - Name; it is how the module finds it.
    type: str
    required: true
  volumes:
    description:
      - Names or ids of the volumes to take snapshots of; on MDRAID arrays only thin ones have them.
    type: list
    elements: str
  arrays:
    description:
      - Names or ids of the arrays to scrub.
    type: list
    elements: str
  when:
    description:
      - When, as minute, hour, day, month and weekday of cron, such as V(0 3 * * *), in the time zone of the appliance.
    type: str
  keep:
    description:
      - How many of the snapshots it took itself stay, of each volume. It deletes no others.
    type: dict
    suboptions:
      last:
        description:
          - So many of the newest.
          - From 0 to 1000.
          - The appliance takes V(0) when it is created without.
        type: int
      hourly:
        description:
          - The newest of each of so many hours.
          - From 0 to 1000.
          - The appliance takes V(0) when it is created without.
        type: int
      daily:
        description:
          - The newest of each of so many days.
          - From 0 to 1000.
          - The appliance takes V(0) when it is created without.
        type: int
      weekly:
        description:
          - The newest of each of so many weeks.
          - From 0 to 1000.
          - The appliance takes V(0) when it is created without.
        type: int
      monthly:
        description:
          - The newest of each of so many months.
          - From 0 to 1000.
          - The appliance takes V(0) when it is created without.
        type: int
  snapshot_name:
    description:
      - Names of the snapshots, with C({volume}), C({date}) and C({time}) in it.
      - The appliance takes V({volume}.{date}-{time}) when it is created without.
    type: str
  missed:
    description:
      - Whether runs missed while the appliance was down are made up for by one run.
      - The appliance takes V(run_once) when it is created without.
    type: str
    choices:
      - run_once
      - skip
  enabled:
    description:
      - Whether it runs by itself.
      - The appliance takes V(true) when it is created without.
    type: bool
  description:
    description:
      - Free text for people.
    type: str
  action:
    description:
      - 'What it does: take snapshots of volumes, or scrub arrays.'
      - Fixed when it is created; a difference later is refused.
    type: str
    choices:
      - snapshot
      - scrub
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
  renamed_from:
    description:
      - Name it had before. Where there is no schedule called O(name) and one called this, that one is renamed.
    type: str
  clear:
    description:
      - Fields to take away. An option that is left out stays as it is.
    type: list
    elements: str
    choices:
      - keep
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.schedule:
    name: nightly
    action: snapshot
    volumes:
      - db01
    when: 0 3 * * *
    keep:
      last: 3
      daily: 7
- name: Ensure it is gone
  lunette.appliance.schedule:
    name: nightly
    state: absent
"""

RETURN = r"""
resource:
  description: The schedule as the API shows it, with the fields C(id), C(name), C(description), C(action), C(volumes),
    C(volume_ids), C(arrays), C(array_ids), C(when), C(time_zone), C(keep), C(snapshot_name), C(missed), C(enabled),
    C(snapshots), C(next_runs), C(last_run), C(created_at), C(updated_at).
  returned: when there is one, or was one before
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
"""

from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field, Noun
from ansible_collections.lunette.appliance.plugins.module_utils.resource import run_resource

ARGUMENTS = {
    "name": {
        "type": "str",
        "required": True,
    },
    "volumes": {
        "type": "list",
        "elements": "str",
    },
    "arrays": {
        "type": "list",
        "elements": "str",
    },
    "when": {
        "type": "str",
    },
    "keep": {
        "type": "dict",
        "options": {
            "last": {
                "type": "int",
            },
            "hourly": {
                "type": "int",
            },
            "daily": {
                "type": "int",
            },
            "weekly": {
                "type": "int",
            },
            "monthly": {
                "type": "int",
            },
        },
    },
    "snapshot_name": {
        "type": "str",
    },
    "missed": {
        "type": "str",
        "choices": ["run_once", "skip"],
    },
    "enabled": {
        "type": "bool",
    },
    "description": {
        "type": "str",
    },
    "action": {
        "type": "str",
        "choices": ["snapshot", "scrub"],
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "renamed_from": {
        "type": "str",
    },
    "clear": {
        "type": "list",
        "elements": "str",
        "choices": ["keep"],
    },
}

NOUN = Noun(
    name="schedule",
    create="/schedules",
    item="/schedules/{schedule}",
    key=("name",),
    fields={
        "name": Field(create=True, patch=True, shown=("name",)),
        "volumes": Field(create=True, patch=True, shown=("volumes", "volume_ids")),
        "arrays": Field(create=True, patch=True, shown=("arrays", "array_ids")),
        "when": Field(create=True, patch=True, shown=("when",)),
        "keep": Field(create=True, patch=True, shown=("keep",)),
        "snapshot_name": Field(create=True, patch=True, shown=("snapshot_name",)),
        "missed": Field(create=True, patch=True, shown=("missed",)),
        "enabled": Field(create=True, patch=True, shown=("enabled",)),
        "description": Field(create=True, patch=True, shown=("description",)),
        "action": Field(create=True, shown=("action",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
