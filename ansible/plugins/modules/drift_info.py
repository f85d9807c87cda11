#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: drift_info
short_description: Read the drift of an appliance
version_added: 0.1.0
description:
  - 'Shows the drift: all differences between desired and observed state.'
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
- name: Read the drift of an appliance
  lunette.appliance.drift_info: {}
"""

RETURN = r"""
drift:
  description: 'Shows the drift: all differences between desired and observed state.'
  returned: always
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {}


def main():
    run_info(ARGUMENTS, "drift", item="/drift")


if __name__ == "__main__":
    main()
