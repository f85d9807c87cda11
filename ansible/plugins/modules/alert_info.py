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
  - Lists the alerts, with their causes and fixes.
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
      - 'Field to sort by. A leading C(-) sorts in descending order: C(-severity) from critical to info.'
      - If omitted at creation, the appliance uses V(-raised_at).
    type: str
    choices:
      - -raised_at
      - raised_at
      - severity
      - -severity
  active:
    description:
      - Whether to return active (true) or resolved (false) alerts. If omitted, both.
    type: bool
  acknowledged:
    description:
      - Whether to return acknowledged (true) or unacknowledged (false) alerts. If omitted, both.
    type: bool
  severity:
    description:
      - Only alerts of this severity.
      - 'V(info): No action is required.'
      - 'V(warning): Attention is needed, but access and data are not affected now.'
      - 'V(critical): Access, data or redundancy is affected or at risk.'
    type: str
    choices:
      - info
      - warning
      - critical
  ref:
    description:
      - Only alerts about the resource with this ID.
    type: str
  text:
    description:
      - Only alerts whose message or cause contains this text; C(*) matches any text, C(?) one character.
    type: str
  id:
    description:
      - ID or name of the only resource to return; filters are ignored then.
    type: str
  max_items:
    description:
      - Maximum number of results. If omitted, all are returned.
    type: int
"""

EXAMPLES = r"""
---
- name: Read the alerts of an appliance
  lunette.appliance.alert_info: {}
"""

RETURN = r"""
alerts:
  description: Lists the alerts, with their causes and fixes.
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
    "text": {
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
    run_info(ARGUMENTS, "alerts", listed="/alerts", item="/alerts/{alert}", filters=("sort", "active", "acknowledged", "severity", "ref", "text"))


if __name__ == "__main__":
    main()
