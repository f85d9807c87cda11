#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_saveconfig_info
short_description: Exports the LIO configuration as a `saveconfig.json`
version_added: 0.1.0
description:
  - Exports the LIO configuration as a `saveconfig.json`.
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
      - Whether to include CHAP secrets. Requires the role administrator and is recorded as an event.
      - If omitted at creation, the appliance uses V(false).
    type: bool
"""

EXAMPLES = r"""
---
- name: Exports the LIO configuration as a `saveconfig.json`.
  lunette.appliance.site_saveconfig_info: {}
"""

RETURN = r"""
site_saveconfig:
  description: Exports the LIO configuration as a `saveconfig.json`.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "secrets": {
        "type": "bool",
        "no_log": False,
    },
}


def main():
    run_info(ARGUMENTS, "site_saveconfig", item="/site:saveconfig", filters=("secrets",))


if __name__ == "__main__":
    main()
