#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: token
short_description: Make, change or delete a token of an appliance
version_added: 0.1.0
description:
  - Makes an API token; its secret is in this answer and nowhere else.
  - Deletes an API token and those that were made with it; they stop working at once.
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
  role:
    description:
      - What may be done with the token, at most what its maker may. Without it, the role of its maker.
      - Fixed when it is created; a difference later is refused.
    type: str
    choices:
      - metrics
      - viewer
      - operator
      - administrator
  expires_days:
    description:
      - Days until it stops working. Without it, it never does.
      - From 1 to 3650.
      - Used when it is created, and not compared afterwards.
    type: int
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.token:
    name: backup
    role: viewer
    expires_days: 365
- name: Ensure it is gone
  lunette.appliance.token:
    name: backup
    state: absent
"""

RETURN = r"""
resource:
  description:
    - The token as the API shows it, with the fields C(id), C(name), C(username), C(role), C(expires_at), C(last_used_at),
      C(created_at).
    - When it was made in this run also C(token), the secret, which is never shown again; register it and set C(no_log).
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
    "role": {
        "type": "str",
        "choices": ["metrics", "viewer", "operator", "administrator"],
    },
    "expires_days": {
        "type": "int",
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
}

NOUN = Noun(
    name="token",
    create="/tokens",
    item="/tokens/{token}",
    key=("name",),
    fields={
        "name": Field(create=True, shown=("name",)),
        "role": Field(create=True, shown=("role",)),
        "expires_days": Field(create=True),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
