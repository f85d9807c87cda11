#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: schedule
short_description: Create, change or delete a schedule of an appliance
version_added: 0.1.0
description:
  - Creates a schedule for snapshots or scrubs.
  - Changes a schedule.
  - Deletes a schedule, but not its snapshots.
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
  name:
    description:
      - Name of the schedule.
      - The module identifies the resource by it.
    type: str
    required: true
  volumes:
    description:
      - Names or IDs of the volumes to take snapshots of. Required for the action C(snapshot) only.
    type: list
    elements: str
  arrays:
    description:
      - Names or IDs of the arrays to scrub, except RAID 0 and external arrays. Required for the action C(scrub)
        only.
    type: list
    elements: str
  when:
    description:
      - Cron expression with minute, hour, day of month, month and weekday, such as C(0 3 * * *).
    type: str
  keep:
    description:
      - Retention of the snapshots, per volume. Required for the action C(snapshot) only.
    type: dict
    suboptions:
      last:
        description:
          - Number of most recent snapshots to retain.
          - From 0 to 1000.
          - If omitted at creation, the appliance uses V(0).
        type: int
      hourly:
        description:
          - 'Number of hourly snapshots to retain: the newest of each hour. Hours without snapshots are skipped.'
          - From 0 to 1000.
          - If omitted at creation, the appliance uses V(0).
        type: int
      daily:
        description:
          - 'Number of daily snapshots to retain: the newest of each day. Days without snapshots are skipped.'
          - From 0 to 1000.
          - If omitted at creation, the appliance uses V(0).
        type: int
      weekly:
        description:
          - 'Number of weekly snapshots to retain: the newest of each ISO week. Weeks without snapshots are skipped.'
          - From 0 to 1000.
          - If omitted at creation, the appliance uses V(0).
        type: int
      monthly:
        description:
          - 'Number of monthly snapshots to retain: the newest of each month. Months without snapshots are skipped.'
          - From 0 to 1000.
          - If omitted at creation, the appliance uses V(0).
        type: int
  snapshot_name:
    description:
      - Pattern for the names of the snapshots. Must contain C({volume}), and may contain C({date}) and C({time}).
      - If omitted at creation, the appliance uses V({volume}.{date}-{time}).
    type: str
  missed:
    description:
      - Handling of runs that were missed while the appliance was down.
      - If omitted at creation, the appliance uses V(run_once).
      - 'V(run_once): One run replaces all missed runs.'
      - 'V(skip): Missed runs are skipped.'
    type: str
    choices:
      - run_once
      - skip
  enabled:
    description:
      - Whether the schedule runs automatically. A disabled schedule can still be run manually.
      - If omitted at creation, the appliance uses V(true).
    type: bool
  description:
    description:
      - Free-text description.
    type: str
  action:
    description:
      - Action of the schedule. The action cannot be changed later.
      - 'V(snapshot): Takes a snapshot of each volume, then deletes snapshots that the retention does not cover.'
      - 'V(scrub): Scrubs each array: reads all of its data and compares the data with its redundancy.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - snapshot
      - scrub
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
  renamed_from:
    description:
      - Previous name of the schedule. If no schedule named O(name) exists but one with this name does, the module
        renames it.
    type: str
  clear:
    description:
      - Fields to clear. An omitted option leaves its field unchanged.
    type: list
    elements: str
    choices:
      - keep
"""

EXAMPLES = r"""
---
- name: Ensure the schedule exists
  lunette.appliance.schedule:
    name: nightly
    action: snapshot
    volumes:
      - db01
    when: 0 3 * * *
    keep:
      last: 3
      daily: 7
- name: Ensure the schedule does not exist
  lunette.appliance.schedule:
    name: nightly
    state: absent
"""

RETURN = r"""
resource:
  description: The schedule as returned by the API, with the fields C(id), C(name), C(description), C(action), C(volumes),
    C(volume_ids), C(arrays), C(array_ids), C(when), C(time_zone), C(keep), C(snapshot_name), C(missed), C(enabled),
    C(snapshots), C(next_runs), C(last_run), C(created_at), C(updated_at).
  returned: when it exists, or existed before
  type: dict
plan:
  description: 'Plan of the appliance: changes, steps, devices, bytes destroyed, hosts interrupted and warnings.'
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
