#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fc_port_info
short_description: Read the fc ports of an appliance
version_added: 0.1.0
description:
  - Lists the FC ports, including managed ports that are missing.
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
      - If omitted at creation, the appliance uses V(wwpn).
    type: str
    choices:
      - wwpn
      - -wwpn
  name:
    description:
      - Only names that match; C(*) matches any text, C(?) one character.
    type: str
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
- name: Read the fc ports of an appliance
  lunette.appliance.fc_port_info: {}
"""

RETURN = r"""
fc_ports:
  description: Lists the FC ports, including managed ports that are missing.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["wwpn", "-wwpn"],
    },
    "name": {
        "type": "str",
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "fc_ports", listed="/fc-ports", item="/fc-ports/{fc_port}", filters=("sort", "name"))


if __name__ == "__main__":
    main()
