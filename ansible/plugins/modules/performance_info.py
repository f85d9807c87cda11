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
  - Lists the current performance of all objects of one kind.
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
      - Kind of object to list.
      - If omitted at creation, the appliance uses V(volume).
      - 'V(appliance): The whole appliance, as the sum of its volumes.'
      - 'V(volume): A volume.'
      - 'V(session): A session.'
      - 'V(host): A host, as the sum of its sessions.'
      - 'V(array): An array.'
      - 'V(disk): A disk.'
    type: str
    choices:
      - appliance
      - volume
      - session
      - host
      - array
      - disk
  sort:
    description:
      - Field to sort by. A leading C(-) sorts in descending order.
      - If omitted at creation, the appliance uses V(-iops).
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
      - Only names that match; C(*) matches any text, C(?) one character.
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
- name: Read the performance of an appliance
  lunette.appliance.performance_info: {}
"""

RETURN = r"""
performance:
  description: Lists the current performance of all objects of one kind.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "of": {
        "type": "str",
        "choices": ["appliance", "volume", "session", "host", "array", "disk"],
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
