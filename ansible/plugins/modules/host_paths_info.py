#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_paths_info
short_description: Shows the expected and actual paths of a host and of each of its volumes
version_added: 0.1.0
description:
  - Shows the expected and actual paths of a host and of each of its volumes.
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
      - ID or name of the host.
    type: str
    required: true
"""

EXAMPLES = r"""
---
- name: Shows the expected and actual paths of a host and of each of its volumes.
  lunette.appliance.host_paths_info:
    host: db1
"""

RETURN = r"""
host_paths:
  description: Shows the expected and actual paths of a host and of each of its volumes.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "host": {
        "type": "str",
        "required": True,
    },
}


def main():
    run_info(ARGUMENTS, "host_paths", item="/hosts/{host}/paths")


if __name__ == "__main__":
    main()
