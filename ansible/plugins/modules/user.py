#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: user
short_description: Make, change or delete a user of an appliance
version_added: 0.1.0
description:
  - Creates a user; the password must be changed at the first login.
  - Changes a user's role or sets a password that must be changed at the next login; ends their sessions.
  - Deletes a user with their sessions and API tokens.
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
  role:
    description:
      - What the user may do. A viewer reads, an operator also changes volumes, hosts and mappings, an administrator
        everything.
      - The appliance takes V(viewer) when it is created without.
    type: str
    choices:
      - viewer
      - operator
      - administrator
  password:
    description:
      - Password for the first login, where it must be changed.
    type: str
  keep_tokens:
    description:
      - Whether the user's API tokens stay valid when the password is set anew (with O(update_secret)).
      - The appliance takes V(False) when it is created without.
    type: bool
  remove_second_factor:
    description:
      - Whether the user's second factor is removed, for somebody else who has lost the authenticator app and the
        recovery codes.
      - The appliance takes V(False) when it is created without.
    type: bool
  username:
    description:
      - Name to log in with; it is how the module finds the user.
    type: str
    required: true
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
  update_secret:
    description:
      - Sends secrets again although nothing else differs.
      - The appliance never shows a secret, so it cannot be compared. Without this a changed secret in the play
        goes unnoticed; with it every run reports a change.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.user:
    username: jane
    role: operator
    password: '{{ first_password }}'
- name: Ensure it is gone
  lunette.appliance.user:
    username: jane
    state: absent
"""

RETURN = r"""
resource:
  description: The user as the API shows it, with the fields C(id), C(username), C(role), C(password_change_required),
    C(has_second_factor), C(created_at), C(updated_at).
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
