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
  - Lists the disks, including missing members of arrays.
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
      - If omitted at creation, the appliance uses V(id).
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
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
  state:
    description:
      - Only disks in this state.
      - 'V(free): Blank and ready for use in an array.'
      - 'V(member): Part of an array of the appliance.'
      - 'V(occupied): Carries data, is used otherwise, or cannot be used for an array.'
      - 'V(system): System disk, from which the appliance itself runs.'
      - 'V(missing): Part of an array of the appliance, but not present in the machine.'
      - 'V(unknown): Part of an array of the appliance, but the presence of the disk is unknown: the agent does
        not answer or cannot read all disks.'
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
      - Only disks with this transport.
      - 'V(nvme): NVMe.'
      - 'V(sas): SAS.'
      - 'V(sata): SATA.'
      - 'V(scsi): Any other device of the kernel''s SCSI disk driver, such as a USB disk or a virtual SCSI disk.'
      - 'V(virtio): Virtio block device of a virtual machine.'
      - 'V(ubd): Block device of User-mode Linux.'
      - 'V(other): Any other transport.'
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
      - Only disks with this health state.
      - 'V(ok): The drive reports good health, and no reading contradicts the report.'
      - 'V(warning): At least one reading needs attention.'
      - 'V(failing): The drive has failed or is about to fail, and must be replaced.'
      - 'V(unknown): The drive does not report its health, or the report cannot be read.'
    type: str
    choices:
      - ok
      - warning
      - failing
      - unknown
  array:
    description:
      - Only disks of this array, by ID or name.
    type: str
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
- name: Read the disks of an appliance
  lunette.appliance.disk_info: {}
"""

RETURN = r"""
disks:
  description: Lists the disks, including missing members of arrays.
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
