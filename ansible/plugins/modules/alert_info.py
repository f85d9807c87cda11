#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: alert_info
short_description: Read the alerts of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: What a person must look at, with cause and fix.'
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
      - Order of the answer; a minus turns it round.
      - The appliance takes V(-raised_at) when it is created without.
    type: str
    choices:
      - -raised_at
      - raised_at
      - severity
      - -severity
  active:
    description:
      - Only those that are not resolved, or only those that are.
    type: bool
  acknowledged:
    description:
      - Only those somebody sees to, or only the others.
    type: bool
  severity:
    description:
      - Only those of this C(severity).
    type: str
    choices:
      - info
      - warning
      - critical
  ref:
    description:
      - Only about the resource with this id.
    type: str
  id:
    description:
      - Only this one, by its id or name; no filter applies then.
    type: str
  max_items:
    description:
      - Most to answer. Without it, all of them.
    type: int
"""

EXAMPLES = r"""
---
- name: Look
  lunette.appliance.alert_info: {}
"""

RETURN = r"""
alerts:
  description: 'What the API shows: What a person must look at, with cause and fix.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["-raised_at", "raised_at", "severity", "-severity"],
    },
    "active": {
        "type": "bool",
    },
    "acknowledged": {
        "type": "bool",
    },
    "severity": {
        "type": "str",
        "choices": ["info", "warning", "critical"],
    },
    "ref": {
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
    run_info(ARGUMENTS, "alerts", listed="/alerts", item="/alerts/{alert}", filters=("sort", "active", "acknowledged", "severity", "ref"))


if __name__ == "__main__":
    main()
