#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: search_info
short_description: Searches all objects by name, address or identifier
version_added: 0.1.0
description:
  - Searches all objects by name, address or identifier.
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
  text:
    description:
      - 'Text to find: a name, an IP address, or an identifier such as an NAA, serial number, NGUID, IQN, WWPN or
        NQN, also as an operating system writes it (C(naa.6001405...)). Case is ignored.'
    type: str
"""

EXAMPLES = r"""
---
- name: Searches all objects by name, address or identifier.
  lunette.appliance.search_info:
    text: naa.60014051a2b3c4d5e6f7a8b9c0d1e2f3
"""

RETURN = r"""
search:
  description: Searches all objects by name, address or identifier.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "text": {
        "type": "str",
    },
}


def main():
    run_info(ARGUMENTS, "search", item="/search", filters=("text",))


if __name__ == "__main__":
    main()
