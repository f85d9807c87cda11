#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: job_info
short_description: Read the jobs of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: The jobs, newest first, without their steps.'
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
      - The appliance takes V(-created_at) when it is created without.
    type: str
    choices:
      - -created_at
      - created_at
      - state
      - -state
      - kind
      - -kind
  state:
    description:
      - Only those of this C(state).
    type: list
    elements: str
    choices:
      - pending
      - running
      - succeeded
      - failed
      - undone
      - stuck
  kind:
    description:
      - Only those of this C(kind).
    type: str
    choices:
      - array.create
      - array.delete
      - array.change
      - array.start
      - array.adopt
      - array.release
      - volumes.create
      - volume.delete
      - volume.recover
      - volume.erase
      - volume.grow
      - volume.roll_back
      - snapshots.create
      - snapshot.delete
      - snapshot.recover
      - snapshot.erase
      - thin_pool.grow
      - interface.change
      - session.disconnect
      - site.apply
      - site.adopt
      - schedule.run
      - system.update
      - system.restart
      - system.power_off
      - disk.wipe
      - disk.locate
      - host.verify_paths
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
  lunette.appliance.job_info: {}
"""

RETURN = r"""
jobs:
  description: 'What the API shows: The jobs, newest first, without their steps.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["-created_at", "created_at", "state", "-state", "kind", "-kind"],
    },
    "state": {
        "type": "list",
        "elements": "str",
        "choices": ["pending", "running", "succeeded", "failed", "undone", "stuck"],
    },
    "kind": {
        "type": "str",
        "choices": [
            "array.create",
            "array.delete",
            "array.change",
            "array.start",
            "array.adopt",
            "array.release",
            "volumes.create",
            "volume.delete",
            "volume.recover",
            "volume.erase",
            "volume.grow",
            "volume.roll_back",
            "snapshots.create",
            "snapshot.delete",
            "snapshot.recover",
            "snapshot.erase",
            "thin_pool.grow",
            "interface.change",
            "session.disconnect",
            "site.apply",
            "site.adopt",
            "schedule.run",
            "system.update",
            "system.restart",
            "system.power_off",
            "disk.wipe",
            "disk.locate",
            "host.verify_paths",
        ],
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "jobs", listed="/jobs", item="/jobs/{job}", filters=("sort", "state", "kind"))


if __name__ == "__main__":
    main()
