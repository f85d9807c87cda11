#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: setting_info
short_description: Read the setting of an appliance
version_added: 0.1.0
description:
  - Shows the settings of the appliance.
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
options: {}
"""

EXAMPLES = r"""
---
- name: Read the setting of an appliance
  lunette.appliance.setting_info: {}
"""

RETURN = r"""
setting:
  description: Shows the settings of the appliance.
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {}


def main():
    run_info(ARGUMENTS, "setting", item="/settings")


if __name__ == "__main__":
    main()
