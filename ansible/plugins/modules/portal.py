#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: portal
short_description: Make, change or delete a portal of an appliance
version_added: 0.1.0
description:
  - Listens on an address and port; every host's target is reachable there.
  - Stops listening; sessions through this portal end.
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
  protocol:
    description:
      - What is spoken there.
      - The appliance takes V(iscsi) when it is created without.
      - Fixed when it is created; a difference later is refused.
    type: str
    choices:
      - iscsi
      - iser
      - nvme-tcp
      - nvme-rdma
      - nvme-fc
      - fc
  address:
    description:
      - Address of the appliance to listen on, or C(0.0.0.0) or C(::) for every one of its family. For V(nvme-fc)
        a Fibre Channel port, as C(nn-0xWWNN:pn-0xWWPN).
      - Fixed when it is created; a difference later is refused.
    type: str
  port:
    description:
      - 'TCP port. Without it, the protocol''s own: 3260 for iSCSI, 4420 for NVMe. Fibre Channel has none.'
      - From 1 to 65535.
      - Fixed when it is created; a difference later is refused.
    type: int
  engine:
    description:
      - 'What serves it: V(spdk) for NVMe/TCP by SPDK. Without it, the kernel. All portals for NVMe have the same
        one.'
      - Fixed when it is created; a difference later is refused.
    type: str
    choices:
      - lio
      - nvmet
      - spdk
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
  lunette.appliance.portal:
    name: front
    address: 192.0.2.10
- name: Ensure it is gone
  lunette.appliance.portal:
    name: front
    state: absent
"""

RETURN = r"""
resource:
  description: The portal as the API shows it, with the fields C(id), C(name), C(protocol), C(engine), C(address),
    C(port), C(state), C(reason), C(created_at), C(updated_at).
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
    "protocol": {
        "type": "str",
        "choices": ["iscsi", "iser", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc"],
    },
    "address": {
        "type": "str",
    },
    "port": {
        "type": "int",
    },
    "engine": {
        "type": "str",
        "choices": ["lio", "nvmet", "spdk"],
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
}

NOUN = Noun(
    name="portal",
    create="/portals",
    item="/portals/{portal}",
    key=("name",),
    fields={
        "name": Field(create=True, shown=("name",)),
        "protocol": Field(create=True, shown=("protocol",)),
        "address": Field(create=True, shown=("address",)),
        "port": Field(create=True, shown=("port",)),
        "engine": Field(create=True, shown=("engine",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
