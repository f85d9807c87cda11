#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site
short_description: Makes the site as the document says, as one job. Nothing is removed that `destroy` does not name
version_added: 0.1.0
description:
  - Acts each time it is run, unless the appliance's plan says that nothing would change.
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
  site:
    description:
      - 'The site document: what is to be there, by name. A section that is left out is not looked at, and a field
        that is left out stays as it is. To empty a field use the module of its noun.'
    type: dict
    required: true
    suboptions:
      format:
        description:
          - Version of the format.
          - The appliance takes V(1) when it is created without.
        type: int
      arrays:
        description:
          - Arrays.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Name; it is how the module finds it.
            type: str
            required: true
          engine:
            description:
              - What builds the array.
              - The appliance takes V(md) when it is created without.
            type: str
            choices:
              - md
              - zfs
              - lvm
              - external
          level:
            description:
              - 'raid*: md''s words. stripe, mirror, raidz1 to raidz3: ZFS''s; its parity levels are no RAID 5 or
                6 on disk.'
            type: str
            choices:
              - raid0
              - raid1
              - raid4
              - raid5
              - raid6
              - raid10
              - stripe
              - mirror
              - raidz1
              - raidz2
              - raidz3
              - draid1
              - draid2
              - draid3
              - external
            required: true
          disks:
            description:
              - Stable ids of the member disks, as M(lunette.appliance.disk_info) shows them.
            type: list
            elements: str
            required: true
          chunk_bytes:
            description:
              - How much goes to one disk before the next one's turn.
              - Bytes as a number, or with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
            type: str
          layout:
            description:
              - 'Where md''s raid10 puts the copies of a chunk, in mdadm''s words: n, f or o, and how many copies
                there are.'
              - One of V(n2), V(f2), V(o2), V(n3), V(f3), V(o3), or null.
            type: str
          write_hole:
            description:
              - How a parity array survives a power cut between data and parity write.
              - One of V(ppl), V(bitmap), V(journal), V(none), V(copy_on_write), V(external), or null.
            type: str
          write_mostly:
            description:
              - 'Raid1 only: ids of those disks that are read only if no other holds the data, such as slower or
                remote ones. An empty list takes it from all.'
            type: list
            elements: str
          spares:
            description:
              - 'Ids of disks that stand by: the first takes the place of a member that is lost.'
            type: list
            elements: str
          spare_group:
            description:
              - 'Md arrays only: name of a group of arrays that lend each other their spares.'
            type: str
          log:
            description:
              - 'Pools only: ids of disks that take synchronous writes first. Several are one mirror.'
            type: list
            elements: str
          cache:
            description:
              - 'Pools only: ids of disks that keep copies of what is read often. Each adds room, none is redundant
                or needs to be.'
            type: list
            elements: str
          special:
            description:
              - 'Pools only: ids of disks for the pool''s metadata, one mirror that survives at least as much as
                the data disks. They stay for the life of the pool.'
            type: list
            elements: str
          group_data_disks:
            description:
              - 'Draid only: data disks of each group. Without it, as many as a volume''s block has sectors.'
              - From 1 to 255.
            type: int
          distributed_spares:
            description:
              - 'Draid only: how many disks'' worth of spare room lies on all disks. Without it one, and one more
                for each further 20 disks.'
              - From 0 to 100.
            type: int
          sync_speed_min_bytes_s:
            description:
              - How much of a resync, rebuild or scrub is done in each second on each disk, even while hosts use
                the array.
              - Bytes as a number, or with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
            type: str
          sync_speed_max_bytes_s:
            description:
              - How much of it is done at most, even while nobody uses the array.
              - Bytes as a number, or with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
            type: str
          group_thread_cnt:
            description:
              - Threads per NUMA node that compute parity beside the array's own. Parity arrays only. Without it,
                a number that suits the cores.
              - From 0 to 64.
            type: int
          stripe_cache_size:
            description:
              - Stripes in the cache of a parity array, of 4 KiB for each disk. Without it, a number that suits
                disks and memory; never more than 1/32 of the memory.
              - From 17 to 32768.
            type: int
          skip_copy:
            description:
              - Write whole pages of a parity array from the memory they came in instead of a copy.
            type: bool
          scheduler:
            description:
              - I/O scheduler of the member disks, by the kernel's names.
              - One of V(none), V(mq-deadline), or null.
            type: str
          health_command:
            description:
              - 'External arrays only: the name of the command on the appliance that tells their health. Without
                it, nobody does.'
            type: str
          integrity:
            description:
              - 'Engine V(lvm) only, when it is made: checksums (dm-integrity, with a journal) under each disk''s
                copy, from which wrong blocks are repaired. Each write is written twice.'
              - The appliance takes V(False) when it is created without.
            type: bool
          encryption:
            description:
              - 'luks2: one dm-crypt mapping with a LUKS2 header between the array and its volumes.'
              - One of V(luks2), or null.
            type: str
          keep_key:
            description:
              - 'Of an encrypted array, when it is made: the appliance keeps a key of its own and unlocks the array
                at every start. That protects disks that leave the appliance, not an appliance that is stolen whole.'
              - The appliance takes V(False) when it is created without.
            type: bool
      volumes:
        description:
          - Volumes.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Name; it is how the module finds it.
            type: str
            required: true
          array:
            description:
              - Name or id of the array it is cut from.
            type: str
            required: true
          size_bytes:
            description:
              - Size, a multiple of 4 MiB.
              - Bytes as a number, or with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
            type: str
            required: true
          provisioning:
            description:
              - Whether the space is taken at once (thick) or when it is written (thin).
              - The appliance takes V(thick) when it is created without.
            type: str
            choices:
              - thick
              - thin
          description:
            description:
              - Free text for people.
            type: str
          renamed_from:
            description:
              - 'The name it had before: what has that name now is renamed, and keeps everything else. Ignored once
                something has the new name.'
            type: str
      hosts:
        description:
          - Hosts. CHAP secrets that are left out stay as the appliance keeps them.
        type: list
        elements: dict
        suboptions:
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
              - CHAP of a host. A secret that is left out stays as the appliance keeps it; no export shows one.
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
              - DH-HMAC-CHAP of a host. A key that is left out stays as the appliance keeps it; no export shows
                one.
            type: dict
            suboptions:
              secret:
                description:
                  - Key of the host, such as C(DHHC-1:00:…).
                type: str
              is_mutual:
                description:
                  - Whether the appliance proves itself too. V(false) takes its key away; left out, it does if it
                    has a key.
                type: bool
              mutual_secret:
                description:
                  - Key of the appliance, if the host asks; differs from the other one.
                type: str
              hash:
                description:
                  - The hash of challenge and response.
                  - The appliance takes V(sha256) when it is created without.
                type: str
                choices:
                  - sha256
                  - sha384
                  - sha512
              dh_group:
                description:
                  - The finite field of the Diffie-Hellman exchange (RFC 7919). C(null) does without, as plain CHAP.
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
              - Seconds of waiting after which the host's paths open without volumes that are missing. The host
                takes those for gone for good. Without it, its paths stay closed until all are there.
              - From 30 to 86400.
            type: int
          renamed_from:
            description:
              - 'The name it had before: what has that name now is renamed, and keeps everything else. Ignored once
                something has the new name.'
            type: str
      host_groups:
        description:
          - Host groups.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Name; it is how the module finds it.
            type: str
            required: true
          hosts:
            description:
              - Names or ids of the member hosts, all of them. A host is in one group at most.
            type: list
            elements: str
          description:
            description:
              - Free text for people.
            type: str
          opens_without_missing_after_s:
            description:
              - As of a host, for the volumes of the group.
              - From 30 to 86400.
            type: int
          renamed_from:
            description:
              - 'The name it had before: what has that name now is renamed, and keeps everything else. Ignored once
                something has the new name.'
            type: str
      portals:
        description:
          - Portals.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Name; it is how the module finds it.
            type: str
            required: true
          protocol:
            description:
              - What is spoken there.
              - The appliance takes V(iscsi) when it is created without.
            type: str
            choices:
              - iscsi
              - iser
              - nvme-tcp
              - nvme-rdma
              - nvme-fc
              - fc
          address:
            description:
              - Address of the appliance to listen on, or C(0.0.0.0) or C(::) for every one of its family. For V(nvme-fc)
                a Fibre Channel port, as C(nn-0xWWNN:pn-0xWWPN).
            type: str
            required: true
          port:
            description:
              - 'TCP port. Without it, the protocol''s own: 3260 for iSCSI, 4420 for NVMe. Fibre Channel has none.'
              - From 1 to 65535.
            type: int
          engine:
            description:
              - 'What serves it: V(spdk) for NVMe/TCP by SPDK. Without it, the kernel. All portals for NVMe have
                the same one.'
              - One of V(lio), V(nvmet), V(spdk), or null.
            type: str
      fc_ports:
        description:
          - Fibre Channel ports and their modes.
        type: list
        elements: dict
        suboptions:
          wwpn:
            description:
              - World Wide Port Name of the port, as M(lunette.appliance.fc_port_info) shows it; it is how the module
                finds it.
            type: str
            required: true
          mode:
            description:
              - 'target: serves volumes. initiator: reaches other arrays. disabled: neither. dual is seen, and never
                asked for.'
              - The appliance takes V(target) when it is created without.
            type: str
            choices:
              - target
              - initiator
              - dual
              - disabled
      mappings:
        description:
          - Mappings.
        type: list
        elements: dict
        suboptions:
          volume:
            description:
              - Name or id of the volume.
            type: str
            required: true
          host:
            description:
              - Name or id of the host that gets it; either this or a host group.
            type: str
          host_group:
            description:
              - Name or id of the host group that gets it; either this or a host.
            type: str
          lun:
            description:
              - Number the host sees it under, over NVMe the namespace id. Without it, the lowest free one from
                1.
              - From 0 to 255.
            type: int
          family:
            description:
              - 'Over which fabrics a mapping goes. Never both: a host would take the paths for two disks (DESIGN
                R13).'
              - One of V(scsi), V(nvme), or null.
            type: str
          shared:
            description:
              - Allows the volume to be mapped to more than one host or group.
              - The appliance takes V(False) when it is created without.
            type: bool
      schedules:
        description:
          - Schedules.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Name; it is how the module finds it.
            type: str
            required: true
          action:
            description:
              - 'snapshot: take one of each volume, and let old ones go. scrub: read and compare all of each array.'
            type: str
            choices:
              - snapshot
              - scrub
            required: true
          volumes:
            description:
              - Names or ids of the volumes to take snapshots of; on MDRAID arrays only thin ones have them.
            type: list
            elements: str
          arrays:
            description:
              - Names or ids of the arrays to scrub.
            type: list
            elements: str
          when:
            description:
              - When, as minute, hour, day, month and weekday of cron, such as V(0 3 * * *), in the time zone of
                the appliance.
            type: str
            required: true
          keep:
            description:
              - 'How many snapshots of each volume stay: the newest C(last), and the newest of each of so many hours,
                days, ISO weeks and months in which there is one. Nothing is deleted by age, so a clock that is
                wrong deletes nothing.'
            type: dict
            suboptions:
              last:
                description:
                  - So many of the newest.
                  - From 0 to 1000.
                  - The appliance takes V(0) when it is created without.
                type: int
              hourly:
                description:
                  - The newest of each of so many hours.
                  - From 0 to 1000.
                  - The appliance takes V(0) when it is created without.
                type: int
              daily:
                description:
                  - The newest of each of so many days.
                  - From 0 to 1000.
                  - The appliance takes V(0) when it is created without.
                type: int
              weekly:
                description:
                  - The newest of each of so many weeks.
                  - From 0 to 1000.
                  - The appliance takes V(0) when it is created without.
                type: int
              monthly:
                description:
                  - The newest of each of so many months.
                  - From 0 to 1000.
                  - The appliance takes V(0) when it is created without.
                type: int
          snapshot_name:
            description:
              - Names of the snapshots, with C({volume}), C({date}) and C({time}) in it.
              - The appliance takes V({volume}.{date}-{time}) when it is created without.
            type: str
          missed:
            description:
              - 'What becomes of runs whose time passed while the appliance was down: one for all of them, or none.'
              - The appliance takes V(run_once) when it is created without.
            type: str
            choices:
              - run_once
              - skip
          enabled:
            description:
              - Whether it runs by itself.
              - The appliance takes V(true) when it is created without.
            type: bool
          description:
            description:
              - Free text for people.
            type: str
          renamed_from:
            description:
              - 'The name it had before: what has that name now is renamed, and keeps everything else. Ignored once
                something has the new name.'
            type: str
      settings:
        description:
          - Settings. A secret that is left out stays as the appliance keeps it.
        type: dict
        suboptions:
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
              - Hours for which the LUN number or namespace id of an unmapped volume is given to no other volume
                of the same hosts, unless they log in anew.
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
              - Mail through one server. The certificate of the server is always checked. The password is never
                shown; left out, the one that is kept stays, as long as server, port and user are the same.
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
                  - 'starttls: encrypted after a greeting, port 587. tls: from the first byte, port 465. none: readable
                    by all, 25.'
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
              - 'An address that is sent each message as JSON by POST. Its path and query are secrets, for they
                often hold a token: only scheme, host and port are shown. Given like that, without a slash at the
                end, the stored address stays if it is of the same server. With a secret, each message is signed
                with it (HMAC-SHA256). The secret is never shown; left out, the one that is kept stays, as long
                as the address is the same.'
            type: dict
            suboptions:
              url:
                description:
                  - The address, beginning with C(https://). Only scheme, host and port of it are ever shown; given
                    like that, without a slash at the end, the stored address stays, for the same server.
                type: str
                required: true
              secret:
                description:
                  - Each message is signed with it (HMAC-SHA256). Left out, the one that is kept stays, for the
                    same address.
                type: str
          syslog:
            description:
              - A log server (RFC 5424), or the appliance's own log. The certificate of a TLS server is always checked.
            type: dict
            suboptions:
              transport:
                description:
                  - 'local: the appliance''s own log. tcp and tls count octets (RFC 6587, RFC 5425).'
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
              - 'managed: Lunette lets in what its portals, web page and API need, and nothing else. off: it filters
                nothing.'
              - One of V(managed), V(off), or null.
            type: str
          discovery_auth:
            description:
              - What a host shows by CHAP before it is told the iSCSI targets, and with C(mutual_user) what the
                appliance answers. The secrets are never shown; left out, those that are kept stay, as long as their
                users are the same.
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
  scope:
    description:
      - Looks at these only and at what hangs on them, each such as V(host/esx3).
    type: list
    elements: str
  destroy:
    description:
      - What may go, each such as V(volume/lun03), V(mapping/lun03/host/esx3) or V(disk/ID) for what a disk carries.
        Nothing else is removed or wiped.
    type: list
    elements: str
  wait:
    description:
      - Waits until the work is done.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait at most. The work goes on after that, and the next run waits for it.
    type: int
    default: 3600
  in_use:
    description:
      - Lets volumes go that hosts use at this moment. Without it, taking one away is refused and says which.
      - Also gives a number that another volume had a short time ago, whose device hosts may still have.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Do it
  lunette.appliance.site:
    site:
      volumes:
        - name: lun05
          array: tank
          size_bytes: 200GiB
      mappings:
        - volume: lun05
          host: esx3
"""

RETURN = r"""
resource:
  description: What the appliance answered.
  returned: unless it answered with a job
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
job:
  description: The job that did it, with its steps.
  returned: when there was one
  type: dict
progress:
  description: How the job went on, in seconds since the start of the task.
  type: list
  elements: str
  returned: when there was a job
"""

from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field
from ansible_collections.lunette.appliance.plugins.module_utils.verb import run_verb

ARGUMENTS = {
    "site": {
        "type": "dict",
        "required": True,
        "options": {
            "format": {
                "type": "int",
            },
            "arrays": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "name": {
                        "type": "str",
                        "required": True,
                    },
                    "engine": {
                        "type": "str",
                        "choices": ["md", "zfs", "lvm", "external"],
                    },
                    "level": {
                        "type": "str",
                        "choices": [
                            "raid0",
                            "raid1",
                            "raid4",
                            "raid5",
                            "raid6",
                            "raid10",
                            "stripe",
                            "mirror",
                            "raidz1",
                            "raidz2",
                            "raidz3",
                            "draid1",
                            "draid2",
                            "draid3",
                            "external",
                        ],
                        "required": True,
                    },
                    "disks": {
                        "type": "list",
                        "elements": "str",
                        "required": True,
                    },
                    "chunk_bytes": {
                        "type": "str",
                    },
                    "layout": {
                        "type": "str",
                    },
                    "write_hole": {
                        "type": "str",
                    },
                    "write_mostly": {
                        "type": "list",
                        "elements": "str",
                    },
                    "spares": {
                        "type": "list",
                        "elements": "str",
                    },
                    "spare_group": {
                        "type": "str",
                    },
                    "log": {
                        "type": "list",
                        "elements": "str",
                    },
                    "cache": {
                        "type": "list",
                        "elements": "str",
                    },
                    "special": {
                        "type": "list",
                        "elements": "str",
                    },
                    "group_data_disks": {
                        "type": "int",
                    },
                    "distributed_spares": {
                        "type": "int",
                    },
                    "sync_speed_min_bytes_s": {
                        "type": "str",
                    },
                    "sync_speed_max_bytes_s": {
                        "type": "str",
                    },
                    "group_thread_cnt": {
                        "type": "int",
                    },
                    "stripe_cache_size": {
                        "type": "int",
                    },
                    "skip_copy": {
                        "type": "bool",
                    },
                    "scheduler": {
                        "type": "str",
                    },
                    "health_command": {
                        "type": "str",
                    },
                    "integrity": {
                        "type": "bool",
                    },
                    "encryption": {
                        "type": "str",
                    },
                    "keep_key": {
                        "type": "bool",
                        "no_log": False,
                    },
                },
            },
            "volumes": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "name": {
                        "type": "str",
                        "required": True,
                    },
                    "array": {
                        "type": "str",
                        "required": True,
                    },
                    "size_bytes": {
                        "type": "str",
                        "required": True,
                    },
                    "provisioning": {
                        "type": "str",
                        "choices": ["thick", "thin"],
                    },
                    "description": {
                        "type": "str",
                    },
                    "renamed_from": {
                        "type": "str",
                    },
                },
            },
            "hosts": {
                "type": "list",
                "elements": "dict",
                "options": {
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
                            },
                            "is_mutual": {
                                "type": "bool",
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
                    "renamed_from": {
                        "type": "str",
                    },
                },
            },
            "host_groups": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "name": {
                        "type": "str",
                        "required": True,
                    },
                    "hosts": {
                        "type": "list",
                        "elements": "str",
                    },
                    "description": {
                        "type": "str",
                    },
                    "opens_without_missing_after_s": {
                        "type": "int",
                    },
                    "renamed_from": {
                        "type": "str",
                    },
                },
            },
            "portals": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "name": {
                        "type": "str",
                        "required": True,
                    },
                    "protocol": {
                        "type": "str",
                        "choices": ["iscsi", "iser", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc"],
                    },
                    "address": {
                        "type": "str",
                        "required": True,
                    },
                    "port": {
                        "type": "int",
                    },
                    "engine": {
                        "type": "str",
                    },
                },
            },
            "fc_ports": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "wwpn": {
                        "type": "str",
                        "required": True,
                    },
                    "mode": {
                        "type": "str",
                        "choices": ["target", "initiator", "dual", "disabled"],
                    },
                },
            },
            "mappings": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "volume": {
                        "type": "str",
                        "required": True,
                    },
                    "host": {
                        "type": "str",
                    },
                    "host_group": {
                        "type": "str",
                    },
                    "lun": {
                        "type": "int",
                    },
                    "family": {
                        "type": "str",
                    },
                    "shared": {
                        "type": "bool",
                    },
                },
            },
            "schedules": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "name": {
                        "type": "str",
                        "required": True,
                    },
                    "action": {
                        "type": "str",
                        "choices": ["snapshot", "scrub"],
                        "required": True,
                    },
                    "volumes": {
                        "type": "list",
                        "elements": "str",
                    },
                    "arrays": {
                        "type": "list",
                        "elements": "str",
                    },
                    "when": {
                        "type": "str",
                        "required": True,
                    },
                    "keep": {
                        "type": "dict",
                        "options": {
                            "last": {
                                "type": "int",
                            },
                            "hourly": {
                                "type": "int",
                            },
                            "daily": {
                                "type": "int",
                            },
                            "weekly": {
                                "type": "int",
                            },
                            "monthly": {
                                "type": "int",
                            },
                        },
                    },
                    "snapshot_name": {
                        "type": "str",
                    },
                    "missed": {
                        "type": "str",
                        "choices": ["run_once", "skip"],
                    },
                    "enabled": {
                        "type": "bool",
                    },
                    "description": {
                        "type": "str",
                    },
                    "renamed_from": {
                        "type": "str",
                    },
                },
            },
            "settings": {
                "type": "dict",
                "options": {
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
                },
            },
        },
    },
    "scope": {
        "type": "list",
        "elements": "str",
    },
    "destroy": {
        "type": "list",
        "elements": "str",
    },
    "wait": {
        "type": "bool",
        "default": True,
    },
    "wait_timeout": {
        "type": "int",
        "default": 3600,
    },
    "in_use": {
        "type": "bool",
        "default": False,
    },
}

BODY = {
    "site": Field(create=True),
    "scope": Field(create=True),
    "destroy": Field(create=True),
}


def main():
    run_verb(ARGUMENTS, "/site:apply", BODY)


if __name__ == "__main__":
    main()
