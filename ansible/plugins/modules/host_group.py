#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_group
short_description: Make, change or delete a host group of an appliance
version_added: 0.1.0
description:
  - Creates a host group; a host is in one group at most.
  - Changes a group; an absent field stays. A host that leaves loses the group's volumes.
  - Deletes a group that nothing is mapped to any more; its hosts stay.
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
  hosts:
    description:
      - Names or ids of the member hosts, all of them. A host is in one group at most.
    type: list
    elements: str
  description:
    description:
      - Free text for people.
    type: str
  opens_without_missing_after_s:
    description:
      - As of a host, for the volumes of the group.
      - From 30 to 86400.
    type: int
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
  renamed_from:
    description:
      - Name it had before. Where there is no host_group called O(name) and one called this, that one is renamed.
    type: str
  clear:
    description:
      - Fields to take away. An option that is left out stays as it is.
    type: list
    elements: str
    choices:
      - opens_without_missing_after_s
  in_use:
    description:
      - Lets volumes go that hosts use at this moment. Without it, taking one away is refused and says which.
      - Also gives a number that another volume had a short time ago, whose device hosts may still have.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.host_group:
    name: cluster1
    hosts:
      - esx1
      - esx2
- name: Ensure it is gone
  lunette.appliance.host_group:
    name: cluster1
    state: absent
"""

RETURN = r"""
resource:
  description: The host group as the API shows it, with the fields C(id), C(name), C(description), C(hosts), C(host_ids),
    C(opens_without_missing_after_s), C(target_iqn), C(subsystem_nqn), C(export), C(mappings), C(created_at), C(updated_at).
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
    "hosts": {
        "type": "list",
        "elements": "str",
    },
    "description": {
        "type": "str",
    },
    "opens_without_missing_after_s": {
        "type": "int",
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "renamed_from": {
        "type": "str",
    },
    "clear": {
        "type": "list",
        "elements": "str",
        "choices": ["opens_without_missing_after_s"],
    },
    "in_use": {
        "type": "bool",
        "default": False,
    },
}

NOUN = Noun(
    name="host_group",
    create="/host-groups",
    item="/host-groups/{host_group}",
    key=("name",),
    fields={
        "name": Field(create=True, patch=True, shown=("name",)),
        "hosts": Field(create=True, patch=True, shown=("hosts", "host_ids")),
        "description": Field(create=True, patch=True, shown=("description",)),
        "opens_without_missing_after_s": Field(create=True, patch=True, shown=("opens_without_missing_after_s",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
