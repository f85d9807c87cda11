#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_paths_info
short_description: Where the host should be logged in, against where it is, in words, for each path and each volume
version_added: 0.1.0
description:
  - 'What the API shows: Where the host should be logged in, against where it is, in words, for each path and each
    volume.'
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
      - Its id or its name.
    type: str
    required: true
"""

EXAMPLES = r"""
---
- name: Look
  lunette.appliance.host_paths_info:
    host: db1
"""

RETURN = r"""
host_paths:
  description: 'What the API shows: Where the host should be logged in, against where it is, in words, for each
    path and each volume.'
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
