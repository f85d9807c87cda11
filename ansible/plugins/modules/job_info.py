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
  - Lists the jobs, without their steps.
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
      - If omitted at creation, the appliance uses V(-created_at).
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
      - Only jobs in this state; repeat the parameter for several states.
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
      - Only jobs of this kind.
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
      - ID or name of the only resource to return; filters are ignored then.
    type: str
  max_items:
    description:
      - Maximum number of results. If omitted, all are returned.
    type: int
"""

EXAMPLES = r"""
---
- name: Read the jobs of an appliance
  lunette.appliance.job_info: {}
"""

RETURN = r"""
jobs:
  description: Lists the jobs, without their steps.
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
