#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: token
short_description: Create, change or delete a token of an appliance
version_added: 0.1.0
description:
  - Creates an API token and returns its secret.
  - Deletes an API token and all tokens created with it.
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
      - Name of the token, unique among all tokens.
      - The module identifies the resource by it.
    type: str
    required: true
  role:
    description:
      - Role of the token, at most the creator's role. If null or omitted, the creator's role.
      - 'V(metrics): Reads C(/metrics) and nothing else. Intended for the token of a monitoring system; users cannot
        have this role.'
      - 'V(viewer): Views everything except users, and changes only the own password, second factor, logins and
        tokens.'
      - 'V(operator): Also changes volumes, snapshots, hosts, host groups and mappings, and acknowledges alerts.'
      - 'V(administrator): Also changes everything else, such as arrays, disks, portals, settings and users.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - metrics
      - viewer
      - operator
      - administrator
  expires_days:
    description:
      - Days until the token expires. If null or omitted, the token never expires, or expires with the token used
        to create it.
      - From 1 to 3650.
      - Used when the resource is created, and not compared afterward.
    type: int
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
"""

EXAMPLES = r"""
---
- name: Ensure the token exists
  lunette.appliance.token:
    name: backup
    role: viewer
    expires_days: 365
- name: Ensure the token does not exist
  lunette.appliance.token:
    name: backup
    state: absent
"""

RETURN = r"""
resource:
  description:
    - The token as returned by the API, with the fields C(id), C(name), C(username), C(role), C(expires_at), C(last_used_at),
      C(created_at).
    - If the token was created in this run, also C(token), the secret, which is never shown again; register the
      result and set C(no_log).
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
