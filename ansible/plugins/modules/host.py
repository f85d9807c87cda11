#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host
short_description: Make, change or delete a host of an appliance
version_added: 0.1.0
description:
  - Creates a host; an initiator name belongs to one host only.
  - Changes a host; an absent field stays. Initiators that leave lose their sessions.
  - Deletes a host that nothing is mapped to any more and that is in no group.
author:
  - The Lunette authors (!UNKNOWN)
extends_documentation_fragment:
  - lunette.appliance.appliance
attributes:
  check_mode:
    support: full
    description: Asks the appliance for its plan and changes nothing.
  diff_mode:
    support: full
    description: Shows the fields that change.
options:
  name:
    description:
      - Name; it is how the module finds it.
    type: str
    required: true
  os_type:
    description:
      - Operating system of the host.
      - The appliance takes V(linux) when it is created without.
    type: str
    choices:
      - linux
      - esxi
      - windows
      - proxmox
      - other
  iqns:
    description:
      - Its iSCSI initiator names, all of them.
    type: list
    elements: str
  wwpns:
    description:
      - Its Fibre Channel port names, all of them.
    type: list
    elements: str
  nqns:
    description:
      - Its NVMe host names, all of them.
    type: list
    elements: str
  chap:
    description:
      - CHAP the host must answer at login.
    type: dict
    suboptions:
      user:
        description:
          - User name the host answers with.
        type: str
        required: true
      secret:
        description:
          - Secret the host answers with, 12 to 16 characters.
        type: str
        required: true
      mutual_user:
        description:
          - User name the appliance answers with, if the host asks.
        type: str
      mutual_secret:
        description:
          - Secret the appliance answers with; differs from the other one.
        type: str
  dhchap:
    description:
      - DH-HMAC-CHAP the host must answer when it connects over NVMe.
    type: dict
    suboptions:
      secret:
        description:
          - Key of the host, such as C(DHHC-1:00:…).
        type: str
        required: true
      mutual_secret:
        description:
          - Key of the appliance, if the host asks; differs from the other one.
        type: str
      hash:
        description:
          - Hash of challenge and response.
          - The appliance takes V(sha256) when it is created without.
        type: str
        choices:
          - sha256
          - sha384
          - sha512
      dh_group:
        description:
          - Finite field of the Diffie-Hellman exchange; V(null) does without.
          - The appliance takes V(ffdhe2048) when it is created without.
        type: str
        choices:
          - 'null'
          - ffdhe2048
          - ffdhe3072
          - ffdhe4096
          - ffdhe6144
          - ffdhe8192
  description:
    description:
      - Free text for people.
    type: str
  opens_without_missing_after_s:
    description:
      - Seconds of waiting after which the host's paths open without volumes that are missing. The host takes those
        for gone for good. Without it, its paths stay closed until all are there.
      - From 30 to 86400.
    type: int
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
  renamed_from:
    description:
      - Name it had before. Where there is no host called O(name) and one called this, that one is renamed.
    type: str
  clear:
    description:
      - Fields to take away. An option that is left out stays as it is.
    type: list
    elements: str
    choices:
      - chap
      - dhchap
      - opens_without_missing_after_s
  update_secret:
    description:
      - Sends secrets again although nothing else differs.
      - The appliance never shows a secret, so it cannot be compared. Without this a changed secret in the play
        goes unnoticed; with it every run reports a change.
    type: bool
    default: false
  in_use:
    description:
      - Lets volumes go that hosts use at this moment. Without it, taking one away is refused and says which.
      - Also gives a number that another volume had a short time ago, whose device hosts may still have.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.host:
    name: esx1
    os_type: esxi
    iqns:
      - iqn.1998-01.com.vmware:esx1
- name: Ensure it is gone
  lunette.appliance.host:
    name: esx1
    state: absent
"""

RETURN = r"""
resource:
  description: The host as the API shows it, with the fields C(id), C(name), C(description), C(os_type), C(iqns),
    C(wwpns), C(nqns), C(chap), C(dhchap), C(opens_without_missing_after_s), C(group), C(group_id), C(target_iqn),
    C(subsystem_nqn), C(export), C(mappings), C(sessions), C(created_at), C(updated_at).
  returned: when there is one, or was one before
  type: dict
plan:
  description: 'What the appliance said it would do: changes, steps, devices, bytes destroyed, hosts interrupted
    and warnings.'
  returned: when something changes
  type: dict
problem:
  description: 'The problem document: C(type), C(detail), C(errors).'
  returned: when refused
  type: dict
"""

from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field, Noun
from ansible_collections.lunette.appliance.plugins.module_utils.resource import run_resource

ARGUMENTS = {
    "name": {
        "type": "str",
        "required": True,
    },
    "os_type": {
        "type": "str",
        "choices": ["linux", "esxi", "windows", "proxmox", "other"],
    },
    "iqns": {
        "type": "list",
        "elements": "str",
    },
    "wwpns": {
        "type": "list",
        "elements": "str",
    },
    "nqns": {
        "type": "list",
        "elements": "str",
    },
    "chap": {
        "type": "dict",
        "options": {
            "user": {
                "type": "str",
                "required": True,
            },
            "secret": {
                "type": "str",
                "no_log": True,
                "required": True,
            },
            "mutual_user": {
                "type": "str",
            },
            "mutual_secret": {
                "type": "str",
                "no_log": True,
            },
        },
    },
    "dhchap": {
        "type": "dict",
        "options": {
            "secret": {
                "type": "str",
                "no_log": True,
                "required": True,
            },
            "mutual_secret": {
                "type": "str",
                "no_log": True,
            },
            "hash": {
                "type": "str",
                "choices": ["sha256", "sha384", "sha512"],
            },
            "dh_group": {
                "type": "str",
                "choices": ["null", "ffdhe2048", "ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192"],
            },
        },
    },
    "description": {
        "type": "str",
    },
    "opens_without_missing_after_s": {
        "type": "int",
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "renamed_from": {
        "type": "str",
    },
    "clear": {
        "type": "list",
        "elements": "str",
        "choices": ["chap", "dhchap", "opens_without_missing_after_s"],
    },
    "update_secret": {
        "type": "bool",
        "default": False,
        "no_log": False,
    },
    "in_use": {
        "type": "bool",
        "default": False,
    },
}

NOUN = Noun(
    name="host",
    create="/hosts",
    item="/hosts/{host}",
    key=("name",),
    fields={
        "name": Field(create=True, patch=True, shown=("name",)),
        "os_type": Field(create=True, patch=True, shown=("os_type",)),
        "iqns": Field(create=True, patch=True, shown=("iqns",)),
        "wwpns": Field(create=True, patch=True, shown=("wwpns",)),
        "nqns": Field(create=True, patch=True, shown=("nqns",)),
        "chap": Field(create=True, patch=True, shown=("chap",), secrets=("secret", "mutual_secret")),
        "dhchap": Field(create=True, patch=True, shown=("dhchap",), secrets=("secret", "mutual_secret")),
        "description": Field(create=True, patch=True, shown=("description",)),
        "opens_without_missing_after_s": Field(create=True, patch=True, shown=("opens_without_missing_after_s",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
