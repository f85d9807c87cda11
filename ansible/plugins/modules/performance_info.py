#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: performance_info
short_description: Read the performance of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: What everything of one kind does now; `name` is matched with the name and the host. 503
    while the agent is away.'
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
  of:
    description:
      - What is asked about.
      - The appliance takes V(volume) when it is created without.
    type: str
    choices:
      - appliance
      - volume
      - session
      - array
      - disk
  sort:
    description:
      - Order of the answer; a minus turns it round.
      - The appliance takes V(-iops) when it is created without.
    type: str
    choices:
      - name
      - -name
      - iops
      - -iops
      - read_bytes_s
      - -read_bytes_s
      - write_bytes_s
      - -write_bytes_s
      - latency_ms
      - -latency_ms
  name:
    description:
      - Only names that match; C(*) stands for any text, C(?) for a letter.
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
  lunette.appliance.performance_info: {}
"""

RETURN = r"""
performance:
  description: 'What the API shows: What everything of one kind does now; `name` is matched with the name and the
    host. 503 while the agent is away.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "of": {
        "type": "str",
        "choices": ["appliance", "volume", "session", "array", "disk"],
    },
    "sort": {
        "type": "str",
        "choices": [
            "name",
            "-name",
            "iops",
            "-iops",
            "read_bytes_s",
            "-read_bytes_s",
            "write_bytes_s",
            "-write_bytes_s",
            "latency_ms",
            "-latency_ms",
        ],
    },
    "name": {
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
    run_info(ARGUMENTS, "performance", listed="/performance", item="/performance/{performance}", filters=("of", "sort", "name"))


if __name__ == "__main__":
    main()
