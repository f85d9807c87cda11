#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_saveconfig_info
short_description: All that LIO serves, as a `saveconfig.json` that targetctl and targetcli restore to the same
  tree
version_added: 0.1.0
description:
  - 'What the API shows: All that LIO serves, as a `saveconfig.json` that targetctl and targetcli restore to the
    same tree.'
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
      - Fill in CHAP. Needs the role administrator, and is told in the events.
      - The appliance takes V(False) when it is created without.
    type: bool
"""

EXAMPLES = r"""
---
- name: Look
  lunette.appliance.site_saveconfig_info: {}
"""

RETURN = r"""
site_saveconfig:
  description: 'What the API shows: All that LIO serves, as a `saveconfig.json` that targetctl and targetcli restore
    to the same tree.'
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
