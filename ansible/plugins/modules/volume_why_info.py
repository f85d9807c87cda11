#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: volume_why_info
short_description: Explains why a volume is missing on its hosts
version_added: 0.1.0
description:
  - Explains why a volume is missing on its hosts.
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
  host:
    description:
      - Only the paths to this host, by ID or name.
    type: str
  volume:
    description:
      - ID or name of the volume.
    type: str
    required: true
"""

EXAMPLES = r"""
---
- name: Explains why a volume is missing on its hosts.
  lunette.appliance.volume_why_info:
    volume: db01
    host: esx1
"""

RETURN = r"""
volume_why:
  description: Explains why a volume is missing on its hosts.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "host": {
        "type": "str",
    },
    "volume": {
        "type": "str",
        "required": True,
    },
}


def main():
    run_info(ARGUMENTS, "volume_why", item="/volumes/{volume}:why", filters=("host",))


if __name__ == "__main__":
    main()
