#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: user_info
short_description: Read the users of an appliance
version_added: 0.1.0
description:
  - Lists the users.
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
      - If omitted at creation, the appliance uses V(username).
    type: str
    choices:
      - username
      - -username
      - role
      - -role
      - created_at
      - -created_at
  name:
    description:
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
  role:
    description:
      - Only users with this role.
    type: str
    choices:
      - viewer
      - operator
      - administrator
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
- name: Read the users of an appliance
  lunette.appliance.user_info: {}
"""

RETURN = r"""
users:
  description: Lists the users.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["username", "-username", "role", "-role", "created_at", "-created_at"],
    },
    "name": {
        "type": "str",
    },
    "role": {
        "type": "str",
        "choices": ["viewer", "operator", "administrator"],
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "users", listed="/users", item="/users/{user}", filters=("sort", "name", "role"))


if __name__ == "__main__":
    main()
