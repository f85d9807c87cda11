#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: rdma_device_info
short_description: Read the rdma devices of an appliance
version_added: 0.1.0
description:
  - Lists the RDMA devices of the appliance.
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
  max_items:
    description:
      - Maximum number of results. If omitted, all are returned.
    type: int
"""

EXAMPLES = r"""
---
- name: Read the rdma devices of an appliance
  lunette.appliance.rdma_device_info: {}
"""

RETURN = r"""
rdma_devices:
  description: Lists the RDMA devices of the appliance.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "rdma_devices", listed="/rdma-devices")


if __name__ == "__main__":
    main()
