#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: initiator_info
short_description: Read the initiators of an appliance
version_added: 0.1.0
description:
  - Lists the initiators that belong to no host.
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
  kind:
    description:
      - Only initiators of this kind.
      - 'V(iqn): Initiator name for iSCSI and iSER.'
      - 'V(wwpn): Port name for Fibre Channel.'
      - 'V(nqn): NVMe qualified name for NVMe-oF.'
    type: str
    choices:
      - iqn
      - wwpn
      - nqn
  max_items:
    description:
      - Maximum number of results. If omitted, all are returned.
    type: int
"""

EXAMPLES = r"""
---
- name: Read the initiators of an appliance
  lunette.appliance.initiator_info: {}
"""

RETURN = r"""
initiators:
  description: Lists the initiators that belong to no host.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "kind": {
        "type": "str",
        "choices": ["iqn", "wwpn", "nqn"],
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "initiators", listed="/initiators", filters=("kind",))


if __name__ == "__main__":
    main()
