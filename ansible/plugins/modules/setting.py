#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: setting
short_description: Change a setting of an appliance
version_added: 0.1.0
description:
  - Changes settings; an absent field stays, null takes away what can be without.
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
      - Name of the appliance for people. Without one, its host name.
    type: str
  time_zone:
    description:
      - Time zone of schedules and of the sign of life, such as V(Europe/Berlin).
    type: str
  session_hours:
    description:
      - Hours after which a browser has to log in again.
      - From 1 to 720.
    type: int
  second_factor_required:
    description:
      - Whether everybody has to set up a second factor after the next login, before anything else.
    type: bool
  history_days:
    description:
      - Days that events, jobs that are over, resolved alerts and the health of disks are kept.
      - From 30 to 3650.
    type: int
  deleted_keep_hours:
    description:
      - Hours for which deleted volumes can be recovered. 0 erases a volume as soon as it is deleted.
      - From 0 to 720.
    type: int
  number_held_hours:
    description:
      - Hours for which the LUN number or namespace id of an unmapped volume is given to no other volume of the
        same hosts, unless they log in anew.
      - From 1 to 720.
    type: int
  disk_health_minutes:
    description:
      - Minutes after which each drive is asked for its health again.
      - From 1 to 1440.
    type: int
  short_test_days:
    description:
      - Days of being on after which each drive begins a short self-test. 0 for never.
      - From 0 to 365.
    type: int
  long_test_days:
    description:
      - Days of being on after which each drive begins a long self-test. 0 for never.
      - From 0 to 365.
    type: int
  mail:
    description:
      - Mail server that alerts are sent through.
    type: dict
    suboptions:
      server:
        description:
          - Its name or address.
        type: str
        required: true
      port:
        description:
          - Its port. Without it, 587 for V(starttls), 465 for V(tls), 25 for V(none).
          - From 1 to 65535.
        type: int
      security:
        description:
          - How the connection is encrypted; the certificate is always checked.
          - The appliance takes V(starttls) when it is created without.
        type: str
        choices:
          - starttls
          - tls
          - none
      user:
        description:
          - User to log in as.
        type: str
      password:
        description:
          - Password of the user. Left out, the one that is kept stays, for the same server, port and user.
        type: str
      sender:
        description:
          - Address the mail comes from.
        type: str
        required: true
      recipients:
        description:
          - Addresses the mail goes to.
        type: list
        elements: str
        required: true
  webhook:
    description:
      - Address that each alert is posted to as JSON.
    type: dict
    suboptions:
      url:
        description:
          - The address, beginning with C(https://). Only scheme, host and port of it are ever shown; given like
            that, without a slash at the end, the stored address stays, for the same server.
        type: str
        required: true
      secret:
        description:
          - Each message is signed with it (HMAC-SHA256). Left out, the one that is kept stays, for the same address.
        type: str
  syslog:
    description:
      - Log server that alerts are written to.
    type: dict
    suboptions:
      transport:
        description:
          - How it is reached; V(local) is the own log of the appliance.
          - The appliance takes V(udp) when it is created without.
        type: str
        choices:
          - local
          - udp
          - tcp
          - tls
      server:
        description:
          - Its name or address.
        type: str
      port:
        description:
          - Its port. Without it, 514, or 6514 for V(tls).
          - From 1 to 65535.
        type: int
  heartbeat:
    description:
      - Time of day, such as V(07:00), at which every channel is told that the appliance is up.
    type: str
  trusted_ca:
    description:
      - Certificates in PEM form of authorities that are trusted beside the system's own.
    type: str
  firewall:
    description:
      - 'Whether the appliance filters what comes to it: V(managed) lets in what its portals, web page, API and
        SSH need. Without it, V(managed) on a machine that the ISO installed and V(off) on any other.'
    type: str
    choices:
      - managed
      - 'off'
  discovery_auth:
    description:
      - The CHAP login that is asked for before a host is told the iSCSI targets. Without it, none is.
    type: dict
    suboptions:
      user:
        description:
          - User that hosts show.
        type: str
        required: true
      secret:
        description:
          - Their secret, of 12 to 16 characters. Left out, the one that is kept stays, for the same user.
        type: str
      mutual_user:
        description:
          - User that the appliance answers with. Without one, it does not.
        type: str
      mutual_secret:
        description:
          - Its secret. Left out, the one that is kept stays, for the same user.
        type: str
  clear:
    description:
      - Fields to take away. An option that is left out stays as it is.
    type: list
    elements: str
    choices:
      - name
      - mail
      - webhook
      - syslog
      - heartbeat
      - trusted_ca
      - firewall
      - discovery_auth
  update_secret:
    description:
      - Sends secrets again although nothing else differs.
      - The appliance never shows a secret, so it cannot be compared. Without this a changed secret in the play
        goes unnoticed; with it every run reports a change.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.setting:
    time_zone: Europe/Berlin
    mail:
      server: mail.example.com
      sender: san@example.com
      recipients:
        - ops@example.com
"""

RETURN = r"""
resource:
  description: The setting as the API shows it, with the fields C(name), C(time_zone), C(session_hours), C(second_factor_required),
    C(history_days), C(deleted_keep_hours), C(number_held_hours), C(disk_health_minutes), C(short_test_days), C(long_test_days),
    C(mail), C(webhook), C(syslog), C(heartbeat), C(trusted_ca), C(firewall), C(discovery_auth), C(deliveries),
    C(updated_at).
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
    },
    "time_zone": {
        "type": "str",
    },
    "session_hours": {
        "type": "int",
    },
    "second_factor_required": {
        "type": "bool",
    },
    "history_days": {
        "type": "int",
    },
    "deleted_keep_hours": {
        "type": "int",
    },
    "number_held_hours": {
        "type": "int",
    },
    "disk_health_minutes": {
        "type": "int",
    },
    "short_test_days": {
        "type": "int",
    },
    "long_test_days": {
        "type": "int",
    },
    "mail": {
        "type": "dict",
        "options": {
            "server": {
                "type": "str",
                "required": True,
            },
            "port": {
                "type": "int",
            },
            "security": {
                "type": "str",
                "choices": ["starttls", "tls", "none"],
            },
            "user": {
                "type": "str",
            },
            "password": {
                "type": "str",
                "no_log": True,
            },
            "sender": {
                "type": "str",
                "required": True,
            },
            "recipients": {
                "type": "list",
                "elements": "str",
                "required": True,
            },
        },
    },
    "webhook": {
        "type": "dict",
        "options": {
            "url": {
                "type": "str",
                "no_log": True,
                "required": True,
            },
            "secret": {
                "type": "str",
                "no_log": True,
            },
        },
    },
    "syslog": {
        "type": "dict",
        "options": {
            "transport": {
                "type": "str",
                "choices": ["local", "udp", "tcp", "tls"],
            },
            "server": {
                "type": "str",
            },
            "port": {
                "type": "int",
            },
        },
    },
    "heartbeat": {
        "type": "str",
    },
    "trusted_ca": {
        "type": "str",
    },
    "firewall": {
        "type": "str",
        "choices": ["managed", "off"],
    },
    "discovery_auth": {
        "type": "dict",
        "options": {
            "user": {
                "type": "str",
                "required": True,
            },
            "secret": {
                "type": "str",
                "no_log": True,
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
    "clear": {
        "type": "list",
        "elements": "str",
        "choices": ["name", "mail", "webhook", "syslog", "heartbeat", "trusted_ca", "firewall", "discovery_auth"],
    },
    "update_secret": {
        "type": "bool",
        "default": False,
        "no_log": False,
    },
}

NOUN = Noun(
    name="setting",
    item="/settings",
    key=(),
    fields={
        "name": Field(patch=True, shown=("name",)),
        "time_zone": Field(patch=True, shown=("time_zone",)),
        "session_hours": Field(patch=True, shown=("session_hours",)),
        "second_factor_required": Field(patch=True, shown=("second_factor_required",)),
        "history_days": Field(patch=True, shown=("history_days",)),
        "deleted_keep_hours": Field(patch=True, shown=("deleted_keep_hours",)),
        "number_held_hours": Field(patch=True, shown=("number_held_hours",)),
        "disk_health_minutes": Field(patch=True, shown=("disk_health_minutes",)),
        "short_test_days": Field(patch=True, shown=("short_test_days",)),
        "long_test_days": Field(patch=True, shown=("long_test_days",)),
        "mail": Field(patch=True, shown=("mail",), secrets=("password",)),
        "webhook": Field(patch=True, shown=("webhook",), secrets=("url", "secret")),
        "syslog": Field(patch=True, shown=("syslog",)),
        "heartbeat": Field(patch=True, shown=("heartbeat",)),
        "trusted_ca": Field(patch=True, shown=("trusted_ca",)),
        "firewall": Field(patch=True, shown=("firewall",)),
        "discovery_auth": Field(patch=True, shown=("discovery_auth",), secrets=("secret", "mutual_secret")),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
