#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: user
short_description: Create, change or delete a user of an appliance
version_added: 0.1.0
description:
  - Creates a user.
  - Changes the role or password of a user, or removes the second factor.
  - Deletes a user with all logins and API tokens.
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
  role:
    description:
      - Role of the user. If omitted, C(viewer).
      - If omitted at creation, the appliance uses V(viewer).
    type: str
    choices:
      - viewer
      - operator
      - administrator
  password:
    description:
      - Password for the first login, 12 to 256 characters. The user must change the password then.
    type: str
  keep_tokens:
    description:
      - Whether the API tokens of the user remain valid when the password is set again (with O(update_secret)).
      - If omitted at creation, the appliance uses V(false).
    type: bool
  remove_second_factor:
    description:
      - Whether to remove the second factor of a user who has lost the authenticator app and the recovery codes.
        Refused for the caller's own account.
      - If omitted at creation, the appliance uses V(false).
    type: bool
  username:
    description:
      - Name to log in with, unique among all users.
      - The module identifies the resource by it.
    type: str
    required: true
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
  update_secret:
    description:
      - Whether to send secrets even if nothing else differs.
      - The appliance never returns a secret, so secrets cannot be compared. If V(false), a changed secret in the
        play has no effect; if V(true), every run reports a change.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure the user exists
  lunette.appliance.user:
    username: jane
    role: operator
    password: '{{ first_password }}'
- name: Ensure the user does not exist
  lunette.appliance.user:
    username: jane
    state: absent
"""

RETURN = r"""
resource:
  description: The user as returned by the API, with the fields C(id), C(username), C(role), C(password_change_required),
    C(has_second_factor), C(created_at), C(updated_at).
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
    "role": {
        "type": "str",
        "choices": ["viewer", "operator", "administrator"],
    },
    "password": {
        "type": "str",
        "no_log": True,
    },
    "keep_tokens": {
        "type": "bool",
        "no_log": False,
    },
    "remove_second_factor": {
        "type": "bool",
    },
    "username": {
        "type": "str",
        "required": True,
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "update_secret": {
        "type": "bool",
        "default": False,
        "no_log": False,
    },
}

NOUN = Noun(
    name="user",
    create="/users",
    item="/users/{user}",
    key=("username",),
    fields={
        "role": Field(create=True, patch=True, shown=("role",)),
        "password": Field(create=True, patch=True, secrets=("password",)),
        "keep_tokens": Field(patch=True),
        "remove_second_factor": Field(patch=True),
        "username": Field(create=True, shown=("username",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
