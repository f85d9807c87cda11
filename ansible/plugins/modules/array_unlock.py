#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array_unlock
short_description: Unlocks an encrypted array with its passphrase
version_added: 0.1.0
description:
  - Unlocks an encrypted array with its passphrase.
  - Changes nothing if that is already the case.
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
  array:
    description:
      - ID or name of the array.
    type: str
    required: true
  passphrase:
    description:
      - Passphrase of the array. A wrong passphrase is refused and changes nothing.
    type: str
    required: true
"""

EXAMPLES = r"""
---
- name: Unlocks an encrypted array with its passphrase
  lunette.appliance.array_unlock:
    array: tank
    passphrase: correct horse battery staple
"""

RETURN = r"""
resource:
  description: Response of the appliance.
  returned: unless the response is a job
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

from ansible_collections.lunette.appliance.plugins.module_utils import goals
from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field
from ansible_collections.lunette.appliance.plugins.module_utils.verb import run_verb

ARGUMENTS = {
    "array": {
        "type": "str",
        "required": True,
    },
    "passphrase": {
        "type": "str",
        "no_log": True,
        "required": True,
    },
}

BODY = {
    "passphrase": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/arrays/{array}:unlock", BODY, item="/arrays/{array}", is_done=goals.array_unlock)


if __name__ == "__main__":
    main()
