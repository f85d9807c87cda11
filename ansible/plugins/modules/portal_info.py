#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: portal_info
short_description: Read the portals of an appliance
version_added: 0.1.0
description:
  - 'What the API shows: The portals, and whether each listens now.'
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
      - The appliance takes V(name) when it is created without.
    type: str
    choices:
      - name
      - -name
      - address
      - -address
      - port
      - -port
      - created_at
      - -created_at
  name:
    description:
      - Only names that match; C(*) stands for any text, C(?) for a letter.
    type: str
  protocol:
    description:
      - Only those of this C(protocol).
    type: str
    choices:
      - iscsi
      - iser
      - nvme-tcp
      - nvme-rdma
      - nvme-fc
      - fc
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
  lunette.appliance.portal_info: {}
"""

RETURN = r"""
portals:
  description: 'What the API shows: The portals, and whether each listens now.'
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import run_info

ARGUMENTS = {
    "sort": {
        "type": "str",
        "choices": ["name", "-name", "address", "-address", "port", "-port", "created_at", "-created_at"],
    },
    "name": {
        "type": "str",
    },
    "protocol": {
        "type": "str",
        "choices": ["iscsi", "iser", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc"],
    },
    "id": {
        "type": "str",
    },
    "max_items": {
        "type": "int",
    },
}


def main():
    run_info(ARGUMENTS, "portals", listed="/portals", item="/portals/{portal}", filters=("sort", "name", "protocol"))


if __name__ == "__main__":
    main()
