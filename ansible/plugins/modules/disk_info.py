#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: disk_info
short_description: Read the disks of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: The disks; `name` is matched with id, model and serial.'
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
      - The appliance takes V(id) when it is created without.
    type: str
    choices:
      - id
      - -id
      - serial
      - -serial
      - size_bytes
      - -size_bytes
      - state
      - -state
      - model
      - -model
  name:
    description:
      - Only names that match; C(*) stands for any text, C(?) for a letter.
    type: str
  state:
    description:
      - 'free: blank and ready for an array. member: in one of our arrays. system: carries the running system.'
    type: str
    choices:
      - free
      - member
      - occupied
      - system
      - missing
      - unknown
  transport:
    description:
      - Only those of this C(transport).
    type: str
    choices:
      - nvme
      - sas
      - sata
      - scsi
      - virtio
      - ubd
      - other
  health:
    description:
      - 'ok: the drive says so and nothing speaks against it. warning: a person should look. failing: replace it.'
    type: str
    choices:
      - ok
      - warning
      - failing
      - unknown
  array:
    description:
      - Members of this array, by id or name.
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
  lunette.appliance.disk_info: {}
"""

RETURN = r"""
disks:
  description: 'What the API shows: The disks; `name` is matched with id, model and serial.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["id", "-id", "serial", "-serial", "size_bytes", "-size_bytes", "state", "-state", "model", "-model"],
    },
    "name": {
        "type": "str",
    },
    "state": {
        "type": "str",
        "choices": ["free", "member", "occupied", "system", "missing", "unknown"],
    },
    "transport": {
        "type": "str",
        "choices": ["nvme", "sas", "sata", "scsi", "virtio", "ubd", "other"],
    },
    "health": {
        "type": "str",
        "choices": ["ok", "warning", "failing", "unknown"],
    },
    "array": {
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
    run_info(ARGUMENTS, "disks", listed="/disks", item="/disks/{disk}", filters=("sort", "name", "state", "transport", "health", "array"))


if __name__ == "__main__":
    main()
