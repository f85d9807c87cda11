#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_kit_info
short_description: Shows the setup kit that connects a host to its volumes
version_added: 0.1.0
description:
  - Shows the setup kit that connects a host to its volumes.
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
  secrets:
    description:
      - Whether to include secrets. Requires the role operator and is recorded as an event.
      - If omitted at creation, the appliance uses V(false).
    type: bool
  host:
    description:
      - ID or name of the host.
    type: str
    required: true
"""

EXAMPLES = r"""
---
- name: Shows the setup kit that connects a host to its volumes.
  lunette.appliance.host_kit_info:
    host: db1
    secrets: true
"""

RETURN = r"""
host_kit:
  description: Shows the setup kit that connects a host to its volumes.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "secrets": {
        "type": "bool",
        "no_log": False,
    },
    "host": {
        "type": "str",
        "required": True,
    },
}


def main():
    run_info(ARGUMENTS, "host_kit", item="/hosts/{host}/kit", filters=("secrets",))


if __name__ == "__main__":
    main()
