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
  - 'What the API shows: Which network cards carry RDMA, with link, RoCE version and the addresses portals can have
    there.'
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
      - Most to answer. Without it, all of them.
    type: int
"""

EXAMPLES = r"""
---
- name: Look
  lunette.appliance.rdma_device_info: {}
"""

RETURN = r"""
rdma_devices:
  description: 'What the API shows: Which network cards carry RDMA, with link, RoCE version and the addresses portals
    can have there.'
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
