#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fc_port
short_description: Create, change or delete a fc port of an appliance
version_added: 0.1.0
description:
  - Puts an FC port under the management of Lunette and sets its mode.
  - Changes the mode of an FC port.
  - Removes an FC port from the management of Lunette.
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
  mode:
    description:
      - Mode of the FC port. C(dual) is refused.
      - If omitted at creation, the appliance uses V(target).
      - 'V(target): The port serves volumes to hosts.'
      - 'V(initiator): The port connects to other storage systems.'
      - 'V(dual): The port is target and initiator at once. This mode can be observed but not requested.'
      - 'V(disabled): The port is neither target nor initiator.'
    type: str
    choices:
      - target
      - initiator
      - dual
      - disabled
  wwpn:
    description:
      - World Wide Port Name of the port, as returned by M(lunette.appliance.fc_port_info).
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
  clear:
    description:
      - Fields to clear. An omitted option leaves its field unchanged.
    type: list
    elements: str
    choices:
      - mode
"""

EXAMPLES = r"""
---
- name: Ensure the fc port exists
  lunette.appliance.fc_port:
    wwpn: 21:00:00:24:ff:00:00:01
    mode: target
- name: Ensure the fc port does not exist
  lunette.appliance.fc_port:
    wwpn: 21:00:00:24:ff:00:00:01
    state: absent
"""

RETURN = r"""
resource:
  description: The fc port as returned by the API, with the fields C(wwpn), C(id), C(mode), C(state), C(reason),
    C(observed), C(age_s).
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
