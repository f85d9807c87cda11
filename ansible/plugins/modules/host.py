#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host
short_description: Create, change or delete a host of an appliance
version_added: 0.1.0
description:
  - Creates a host with its initiators and credentials.
  - Changes a host.
  - Deletes a host.
author:
  - The Lunette authors (!UNKNOWN)
extends_documentation_fragment:
  - lunette.appliance.appliance
attributes:
  check_mode:
    support: full
    description: Requests the plan of the appliance and changes nothing.
  diff_mode:
    support: full
    description: Shows the fields that change.
options:
  name:
    description:
      - Name of the host.
      - The module identifies the resource by it.
    type: str
    required: true
  os_type:
    description:
      - Operating system of the host.
      - If omitted at creation, the appliance uses V(linux).
      - 'V(linux): Linux.'
      - 'V(esxi): VMware ESXi, which cannot use volumes with 4096-byte blocks.'
      - 'V(windows): Microsoft Windows.'
      - 'V(proxmox): Proxmox VE.'
      - 'V(other): Any other operating system.'
    type: str
    choices:
      - linux
      - esxi
      - windows
      - proxmox
      - other
  iqns:
    description:
      - iSCSI initiator names (IQNs) of the host.
    type: list
    elements: str
  wwpns:
    description:
      - 'Fibre Channel port names (WWPNs) of the host: 16 hexadecimal digits each, with or without colons.'
    type: list
    elements: str
  nqns:
    description:
      - NVMe qualified names (NQNs) of the host.
    type: list
    elements: str
  chap:
    description:
      - CHAP credentials that the host must present over iSCSI and iSER. If C(null), the host logs in without CHAP.
    type: dict
    suboptions:
      user:
        description:
          - User name that the host must present.
        type: str
        required: true
      secret:
        description:
          - Secret that the host must present, 12 to 16 printable ASCII characters.
        type: str
        required: true
      mutual_user:
        description:
          - User name that the appliance presents to the host. Required together with C(mutual_secret). If omitted
            or C(null), the appliance does not authenticate itself.
        type: str
      mutual_secret:
        description:
          - Secret that the appliance presents to the host, 12 to 16 printable ASCII characters. Must differ from
            C(secret). Required together with C(mutual_user).
        type: str
  dhchap:
    description:
      - DH-HMAC-CHAP keys that the host must present over NVMe. If C(null), the host connects without DH-HMAC-CHAP.
    type: dict
    suboptions:
      secret:
        description:
          - Key of the host in the form C(DHHC-1:…), as C(nvme gen-dhchap-key) prints it.
        type: str
        required: true
      mutual_secret:
        description:
          - Key of the appliance, in the same form. Must differ from C(secret).
        type: str
      hash:
        description:
          - Hash of the exchange. Has no effect with the export engine C(spdk), which negotiates the hash.
          - If omitted at creation, the appliance uses V(sha256).
          - 'V(sha256): SHA-256.'
          - 'V(sha384): SHA-384.'
          - 'V(sha512): SHA-512.'
        type: str
        choices:
          - sha256
          - sha384
          - sha512
      dh_group:
        description:
          - Diffie-Hellman group of the exchange. Has no effect with the export engine C(spdk), which negotiates
            the group.
          - If omitted at creation, the appliance uses V(ffdhe2048).
          - 'V(null): No Diffie-Hellman exchange, as in plain CHAP.'
          - 'V(ffdhe2048): Finite field of 2048 bits.'
          - 'V(ffdhe3072): Finite field of 3072 bits.'
          - 'V(ffdhe4096): Finite field of 4096 bits.'
          - 'V(ffdhe6144): Finite field of 6144 bits.'
          - 'V(ffdhe8192): Finite field of 8192 bits.'
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
      - Description of the host.
    type: str
  opens_without_missing_after_s:
    description:
      - Seconds, from 30 to 86400, after which the paths of the host open without missing volumes. Hosts then treat
        the missing volumes as lost. If C(null), the paths stay closed until all volumes are present.
      - From 30 to 86400.
    type: int
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
  renamed_from:
    description:
      - Previous name of the host. If no host named O(name) exists but one with this name does, the module renames
        it.
    type: str
  clear:
    description:
      - Fields to clear. An omitted option leaves its field unchanged.
    type: list
    elements: str
    choices:
      - chap
      - dhchap
      - opens_without_missing_after_s
  update_secret:
    description:
      - Whether to send secrets even if nothing else differs.
      - The appliance never returns a secret, so secrets cannot be compared. If V(false), a changed secret in the
        play has no effect; if V(true), every run reports a change.
    type: bool
    default: false
  in_use:
    description:
      - Whether volumes that hosts are using may be taken away. If V(false), the task fails and names the volumes.
      - Also allows a number that another volume had until recently, and whose device hosts may still have.
    type: bool
    default: false
  cascade:
    description:
      - Whether what prevents the deletion, such as mappings and snapshots, is removed with O(state=absent).
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure the host exists
  lunette.appliance.host:
    name: esx1
    os_type: esxi
    iqns:
      - iqn.1998-01.com.vmware:esx1
- name: Ensure the host does not exist
  lunette.appliance.host:
    name: esx1
    state: absent
"""

RETURN = r"""
resource:
  description: The host as returned by the API, with the fields C(id), C(name), C(description), C(os_type), C(iqns),
    C(wwpns), C(nqns), C(chap), C(dhchap), C(opens_without_missing_after_s), C(group), C(group_id), C(target_iqn),
    C(subsystem_nqn), C(export), C(mappings), C(sessions), C(connection), C(last_seen_at), C(created_at), C(updated_at).
  returned: when it exists, or existed before
  type: dict
plan:
  description: 'Plan of the appliance: changes, steps, devices, bytes destroyed, hosts interrupted and warnings.'
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
    "cascade": {
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
