#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_group
short_description: Create, change or delete a host group of an appliance
version_added: 0.1.0
description:
  - Creates a host group.
  - Changes a host group.
  - Deletes a host group.
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
      - Name of the host group.
      - The module identifies the resource by it.
    type: str
    required: true
  hosts:
    description:
      - Names or IDs of the hosts in the group. A host belongs to one group at most.
    type: list
    elements: str
  description:
    description:
      - Description of the host group.
    type: str
  opens_without_missing_after_s:
    description:
      - Seconds, from 30 to 86400, after which the paths to the volumes of the group open without missing volumes.
        Hosts then treat the missing volumes as lost. If C(null), the paths stay closed until all volumes are present.
      - From 30 to 86400.
    type: int
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
  renamed_from:
    description:
      - Previous name of the host_group. If no host_group named O(name) exists but one with this name does, the
        module renames it.
    type: str
  clear:
    description:
      - Fields to clear. An omitted option leaves its field unchanged.
    type: list
    elements: str
    choices:
      - opens_without_missing_after_s
  in_use:
    description:
      - Whether volumes that hosts are using may be taken away. If V(false), the task fails and names the volumes.
      - Also allows a number that another volume had until recently, and whose device hosts may still have.
    type: bool
    default: false
  cascade:
    description:
      - Whether what prevents the deletion, such as mappings and snapshots, is removed with O(state=absent).
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure the host group exists
  lunette.appliance.host_group:
    name: cluster1
    hosts:
      - esx1
      - esx2
- name: Ensure the host group does not exist
  lunette.appliance.host_group:
    name: cluster1
    state: absent
"""

RETURN = r"""
resource:
  description: The host group as returned by the API, with the fields C(id), C(name), C(description), C(hosts),
    C(host_ids), C(opens_without_missing_after_s), C(target_iqn), C(subsystem_nqn), C(export), C(mappings), C(created_at),
    C(updated_at).
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
    "cascade": {
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
