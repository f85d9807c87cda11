#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fc_port
short_description: Make, change or delete a fc port of an appliance
version_added: 0.1.0
description:
  - Takes a port over and gives it a mode. Until then it is left as its driver made it.
  - Makes a port a target, an initiator, or neither.
  - Leaves a port alone from now on; one that serves stops.
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
  mode:
    description:
      - 'What the port is: a target that serves volumes, an initiator that reaches other arrays, or neither.'
      - The appliance takes V(target) when it is created without.
    type: str
    choices:
      - target
      - initiator
      - dual
      - disabled
  wwpn:
    description:
      - World Wide Port Name of the port, as M(lunette.appliance.fc_port_info) shows it; it is how the module finds
        it.
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
  clear:
    description:
      - Fields to take away. An option that is left out stays as it is.
    type: list
    elements: str
    choices:
      - mode
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.fc_port:
    wwpn: 21:00:00:24:ff:00:00:01
    mode: target
- name: Ensure it is gone
  lunette.appliance.fc_port:
    wwpn: 21:00:00:24:ff:00:00:01
    state: absent
"""

RETURN = r"""
resource:
  description: The fc port as the API shows it, with the fields C(wwpn), C(id), C(mode), C(state), C(reason), C(observed),
    C(age_s).
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
    "mode": {
        "type": "str",
        "choices": ["target", "initiator", "dual", "disabled"],
    },
    "wwpn": {
        "type": "str",
        "required": True,
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "clear": {
        "type": "list",
        "elements": "str",
        "choices": ["mode"],
    },
}

NOUN = Noun(
    name="fc_port",
    create="/fc-ports",
    item="/fc-ports/{fc_port}",
    key=("wwpn",),
    fields={
        "mode": Field(create=True, patch=True, shown=("mode",)),
        "wwpn": Field(create=True, shown=("wwpn",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
