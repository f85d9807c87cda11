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
  - Changes the settings of the appliance.
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
      - Name of the appliance. C(null) restores the host name.
    type: str
  host_name:
    description:
      - Host name of the operating system, without a domain. C(null) leaves the present host name as it is.
    type: str
  time_zone:
    description:
      - Time zone of schedules and of the heartbeat, as a name such as C(Europe/Berlin) or C(UTC).
    type: str
  session_hours:
    description:
      - Lifetime of a browser login in hours. A change applies to new logins only.
      - From 1 to 720.
    type: int
  second_factor_required:
    description:
      - Whether every user must have a second factor.
    type: bool
  history_days:
    description:
      - Number of days for which events, finished jobs, resolved alerts and disk health data are retained.
      - From 30 to 3650.
    type: int
  deleted_keep_hours:
    description:
      - Number of hours for which deleted volumes and snapshots can be recovered.
      - From 0 to 720.
    type: int
  number_held_hours:
    description:
      - Number of hours for which the LUN or NSID of an unmapped volume is reserved.
      - From 1 to 720.
    type: int
  disk_health_minutes:
    description:
      - Interval in minutes at which the health of every disk is read.
      - From 1 to 1440.
    type: int
  short_test_days:
    description:
      - Interval between short self-tests of a disk, in days of power-on time. 0 disables them.
      - From 0 to 365.
    type: int
  long_test_days:
    description:
      - Interval between long self-tests of a disk, in days of power-on time. 0 disables them.
      - From 0 to 365.
    type: int
  mail:
    description:
      - Settings of the mail channel. C(null) removes the channel and discards its waiting messages.
    type: dict
    suboptions:
      server:
        description:
          - Host name or address of the mail server.
        type: str
        required: true
      port:
        description:
          - TCP port of the mail server. If omitted, 587 for C(starttls), 465 for C(tls) and 25 for C(none).
          - From 1 to 65535.
        type: int
      security:
        description:
          - Encryption of the connection to the mail server.
          - If omitted at creation, the appliance uses V(starttls).
          - 'V(starttls): Encryption after the greeting (STARTTLS). The default port is 587.'
          - 'V(tls): Encryption from the first byte. The default port is 465.'
          - 'V(none): No encryption. The default port is 25. A login to the server is not possible.'
        type: str
        choices:
          - starttls
          - tls
          - none
      user:
        description:
          - User name for the login to the mail server. If omitted, messages are sent without a login.
        type: str
      password:
        description:
          - Password of the user. Never returned.
        type: str
      sender:
        description:
          - Sender address of the messages.
        type: str
        required: true
      recipients:
        description:
          - Addresses that receive the messages.
        type: list
        elements: str
        required: true
  webhook:
    description:
      - Settings of the webhook channel. C(null) removes the channel and discards its waiting messages.
    type: dict
    suboptions:
      url:
        description:
          - HTTPS address to which messages are posted. Its path and query are secret and never returned.
        type: str
        required: true
      secret:
        description:
          - Secret with which each message is signed (HMAC-SHA256), of at least 16 characters. Never returned.
        type: str
  syslog:
    description:
      - Settings of the syslog channel. C(null) removes the channel and discards its waiting messages.
    type: dict
    suboptions:
      transport:
        description:
          - Transport of the messages.
          - If omitted at creation, the appliance uses V(udp).
          - 'V(local): The appliance''s own log.'
          - 'V(udp): UDP (RFC 5426). The default port is 514. Lost messages are not detected.'
          - 'V(tcp): TCP with octet counting (RFC 6587). The default port is 514.'
          - 'V(tls): TLS (RFC 5425). The default port is 6514.'
        type: str
        choices:
          - local
          - udp
          - tcp
          - tls
      server:
        description:
          - Host name or address of the log server. Required, except for the transport C(local), which has none.
        type: str
      port:
        description:
          - Port of the log server. If omitted, 6514 for C(tls) and 514 for C(udp) and C(tcp). Not allowed for C(local).
          - From 1 to 65535.
        type: int
  heartbeat:
    description:
      - Time of the daily heartbeat over every channel as C(HH:MM), in C(time_zone). C(null) stops the heartbeat.
    type: str
  trusted_ca:
    description:
      - Certificates in PEM form of authorities that are trusted in addition to the system's own.
    type: str
  firewall:
    description:
      - 'Firewall mode. C(null) restores the default: C(managed) after installation from the ISO, otherwise C(off).'
      - 'V(managed): The firewall accepts only traffic to portals, the web page, API and SSH.'
      - 'V(off): The firewall of Lunette filters no traffic.'
    type: str
    choices:
      - managed
      - 'off'
  discovery_auth:
    description:
      - CHAP login required for the discovery of iSCSI targets. C(null) removes the login.
    type: dict
    suboptions:
      user:
        description:
          - CHAP user name with which hosts authenticate.
        type: str
        required: true
      secret:
        description:
          - CHAP secret of the hosts, of 12 to 16 characters. Not returned with the settings.
        type: str
      mutual_user:
        description:
          - CHAP user name with which the appliance authenticates. If omitted, only hosts authenticate.
        type: str
      mutual_secret:
        description:
          - CHAP secret of the appliance, of 12 to 16 characters. Must differ from C(secret). Not returned with
            the settings.
        type: str
  backup:
    description:
      - Settings of scheduled backups. C(null) ends them; stored backups stay on the server.
    type: dict
    suboptions:
      url:
        description:
          - HTTPS address of an existing folder on the WebDAV server. It is shown to every user, so it must not
            be secret.
        type: str
        required: true
      user:
        description:
          - User name for the login to the server (HTTP basic authentication). If omitted, requests have no login.
        type: str
      password:
        description:
          - Password of the user. Never returned.
        type: str
      passphrase:
        description:
          - Passphrase that encrypts the backups, of 12 to 256 characters. Never returned.
        type: str
      when:
        description:
          - Cron expression with minute, hour, day of month, month and weekday, in the time zone of the appliance.
          - If omitted at creation, the appliance uses V(0 3 * * *).
        type: str
      keep:
        description:
          - Number of backups to retain on the server.
          - From 1 to 365.
          - If omitted at creation, the appliance uses V(14).
        type: int
      certificate:
        description:
          - Whether the backups include the certificate with its private key.
          - If omitted at creation, the appliance uses V(true).
        type: bool
  clear:
    description:
      - Fields to clear. An omitted option leaves its field unchanged.
    type: list
    elements: str
    choices:
      - name
      - host_name
      - mail
      - webhook
      - syslog
      - heartbeat
      - trusted_ca
      - firewall
      - discovery_auth
      - backup
  update_secret:
    description:
      - Whether to send secrets even if nothing else differs.
      - The appliance never returns a secret, so secrets cannot be compared. If V(false), a changed secret in the
        play has no effect; if V(true), every run reports a change.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure the setting exists
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
  description: The setting as returned by the API, with the fields C(name), C(host_name), C(time_zone), C(session_hours),
    C(second_factor_required), C(history_days), C(deleted_keep_hours), C(number_held_hours), C(disk_health_minutes),
    C(short_test_days), C(long_test_days), C(mail), C(webhook), C(syslog), C(heartbeat), C(trusted_ca), C(firewall),
    C(discovery_auth), C(backup), C(backup_state), C(deliveries), C(updated_at).
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
    },
    "host_name": {
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
    "backup": {
        "type": "dict",
        "options": {
            "url": {
                "type": "str",
                "required": True,
            },
            "user": {
                "type": "str",
            },
            "password": {
                "type": "str",
                "no_log": True,
            },
            "passphrase": {
                "type": "str",
                "no_log": True,
            },
            "when": {
                "type": "str",
            },
            "keep": {
                "type": "int",
            },
            "certificate": {
                "type": "bool",
            },
        },
    },
    "clear": {
        "type": "list",
        "elements": "str",
        "choices": ["name", "host_name", "mail", "webhook", "syslog", "heartbeat", "trusted_ca", "firewall", "discovery_auth", "backup"],
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
        "host_name": Field(patch=True, shown=("host_name",)),
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
        "backup": Field(patch=True, shown=("backup",), secrets=("password", "passphrase")),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
