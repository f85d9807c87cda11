#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site
short_description: Applies a site document as one job
version_added: 0.1.0
description:
  - Applies a site document as one job.
  - Acts in every run, unless the plan of the appliance contains no change.
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
  site:
    description:
      - 'The site document: the desired state of everything, by name. Omitted sections are ignored, and omitted
        fields remain unchanged. To clear a field, use the module of its noun.'
    type: dict
    required: true
    suboptions:
      format:
        description:
          - Version of the document format.
          - If omitted at creation, the appliance uses V(1).
        type: int
      arrays:
        description:
          - Arrays. If omitted or C(null), existing arrays stay unchanged.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Unique name of the array.
            type: str
            required: true
          engine:
            description:
              - Array engine that runs the array.
              - If omitted at creation, the appliance uses V(md).
              - 'V(md): MD RAID, the software RAID of Linux.'
              - 'V(zfs): ZFS. The array is a ZFS pool.'
              - 'V(lvm): LVM RAID (dm-raid).'
              - 'V(external): A single device that provides its own redundancy, such as a volume of a RAID controller.'
            type: str
            choices:
              - md
              - zfs
              - lvm
              - external
          level:
            description:
              - Level of the array. The list of engines shows the levels of each engine.
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
              - IDs of the data disks, as the list of disks shows them.
            type: list
            elements: str
            required: true
          chunk_bytes:
            description:
              - 'MD RAID and LVM RAID, except C(raid1): chunk size in bytes, a power of two. If omitted, 64 KiB.'
              - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
            type: str
          layout:
            description:
              - 'MD RAID C(raid10) only: arrangement of the copies. If omitted, C(n2). An array with a far layout
                (C(f2), C(f3)) cannot grow.'
              - 'V(n2): Near, two copies. The copies of a chunk are on adjacent disks.'
              - 'V(f2): Far, two copies. Each copy has its own section of every disk: fast reads, slow writes on
                rotating disks. The array cannot grow.'
              - 'V(o2): Offset, two copies. Each stripe is repeated in the next stripe, shifted by one disk.'
              - 'V(n3): Near, three copies. The copies of a chunk are on adjacent disks.'
              - 'V(f3): Far, three copies. Each copy has its own section of every disk: fast reads, slow writes
                on rotating disks. The array cannot grow.'
              - 'V(o3): Offset, three copies. Each stripe is repeated in the next two stripes, shifted by one disk
                each.'
              - One of V(n2), V(f2), V(o2), V(n3), V(f3), V(o3), or null.
            type: str
          write_hole:
            description:
              - Protection against the write hole. If omitted, C(ppl) for MD RAID C(raid5) with up to 64 disks of
                which none has an active volatile write cache, C(bitmap) for any other redundant array of MD RAID
                and for LVM RAID. ZFS pools always have C(copy_on_write).
              - 'V(ppl): Partial parity log. Closes the write hole. MD RAID arrays of level C(raid5) only, while
                none of their disks has an active volatile write cache; costs 30% to 40% of the random write performance.'
              - 'V(bitmap): Write-intent bitmap. Shortens the resync after an unclean shutdown, but the write hole
                stays open.'
              - 'V(journal): Journal on a separate disk. Closes the write hole. Found on arrays that other systems
                created; Lunette does not create such journals.'
              - 'V(none): No protection. A full resync follows an unclean shutdown.'
              - 'V(copy_on_write): No write hole, because ZFS never overwrites data in place.'
              - 'V(external): Unknown to Lunette: the device of an external array handles the write hole.'
              - One of V(ppl), V(bitmap), V(journal), V(none), V(copy_on_write), V(external), or null.
            type: str
          write_mostly:
            description:
              - 'MD RAID C(raid1) only: IDs of those C(disks) that are read only if no other disk has the data,
                such as slower or remote disks.'
            type: list
            elements: str
          spares:
            description:
              - 'MD RAID and ZFS, except levels without redundancy: IDs of the spares. The first spare replaces
                a failed data disk automatically.'
            type: list
            elements: str
          spare_group:
            description:
              - 'MD RAID only, except C(raid0): name of the spare group. A degraded array without a spare receives
                a spare of another array in the group.'
            type: str
          log:
            description:
              - 'ZFS pools only: IDs of the log disks, which receive synchronous writes first. Several log disks
                form one mirror.'
            type: list
            elements: str
          cache:
            description:
              - 'ZFS pools only: IDs of the cache disks, which store copies of frequently read data. Each disk adds
                capacity. The loss of a cache disk loses no data.'
            type: list
            elements: str
          special:
            description:
              - 'ZFS pools only: IDs of the special disks, which store the metadata of the pool in one mirror. The
                mirror must survive as many disk failures as the data disks. The pool needs special disks as long
                as the pool exists.'
            type: list
            elements: str
          group_data_disks:
            description:
              - 'dRAID only: number of data disks in each group. If omitted, the number that suits blocks of 16
                KiB: 4 on disks with 4 KiB sectors, fewer if the array has few disks.'
              - From 1 to 255.
            type: int
          distributed_spares:
            description:
              - 'dRAID only: number of distributed spares, whose space is spread over all disks. If omitted, one
                for every 20 disks, rounded up.'
              - From 0 to 100.
            type: int
          sync_speed_min_bytes_s:
            description:
              - 'MD RAID only, except C(raid0): minimum speed of a resync, rebuild or scrub in bytes per second
                and disk, even under load. If omitted, the default of the kernel.'
              - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
            type: str
          sync_speed_max_bytes_s:
            description:
              - 'MD RAID only, except C(raid0): maximum speed of a resync, rebuild or scrub in bytes per second
                and disk, even without load. If omitted, the default of the kernel.'
              - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
            type: str
          group_thread_cnt:
            description:
              - 'MD RAID 4, 5 and 6 only: number of threads per NUMA node that compute parity, in addition to the
                thread of the array. If omitted, an automatic value.'
              - From 0 to 64.
            type: int
          stripe_cache_size:
            description:
              - 'MD RAID 4, 5 and 6 only: number of stripes in the stripe cache, each 4 KiB of memory for each disk.
                If omitted, an automatic value.'
              - From 17 to 32768.
            type: int
          skip_copy:
            description:
              - 'MD RAID 4, 5 and 6 only: whether full pages are written directly from the memory of the request
                instead of from a copy. If omitted, an automatic value.'
            type: bool
          scheduler:
            description:
              - 'MD RAID only: I/O scheduler of the member disks. If omitted, the automatic scheduler for each disk.'
              - 'V(none): No I/O scheduler. The automatic choice for solid-state disks with several queues.'
              - 'V(mq-deadline): Deadline scheduler. The automatic choice for rotating disks and for disks with
                one queue.'
              - One of V(none), V(mq-deadline), or null.
            type: str
          health_command:
            description:
              - 'External arrays only: name of the command on the appliance that reports the health of the array.
                If omitted, the health is unknown.'
            type: str
          integrity:
            description:
              - 'LVM RAID only: whether every disk has checksums (dm-integrity with a journal). Corrupt blocks on
                a disk are then repaired from the other disks. Checksums do not detect corruption on the way to
                the disk, and every write is written twice.'
              - If omitted at creation, the appliance uses V(false).
            type: bool
          encryption:
            description:
              - 'MD RAID only: method of encryption of all data on the array. Requires C(passphrase). Encryption
                cannot be enabled or disabled later. If omitted, the array is not encrypted.'
              - 'V(luks2): One dm-crypt device with a LUKS2 header between the array and its volumes.'
              - One of V(luks2), or null.
            type: str
          keep_key:
            description:
              - 'Encrypted arrays only: whether the appliance stores a key of its own and unlocks the array at every
                start. The data on removed disks stays protected, but not the data on a stolen appliance.'
              - If omitted at creation, the appliance uses V(false).
            type: bool
      volumes:
        description:
          - Volumes. If omitted or C(null), existing volumes stay unchanged.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Unique name of the volume.
            type: str
            required: true
          array:
            description:
              - Name or ID of the array.
            type: str
            required: true
          size_bytes:
            description:
              - 'Size of the volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool.'
              - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
            type: str
            required: true
          provisioning:
            description:
              - Whether the space is allocated when the volume is created (C(thick)) or when hosts write data (C(thin)).
              - If omitted at creation, the appliance uses V(thick).
              - 'V(thick): When the volume is created.'
              - 'V(thin): When hosts write data. The total size of thin volumes can exceed the capacity of the array.'
            type: str
            choices:
              - thick
              - thin
          description:
            description:
              - Description of the volume.
            type: str
          renamed_from:
            description:
              - Former name of the object. The object with this name is renamed and retains everything else, such
                as data, identity and mappings. Ignored if an object with the new name exists. Exported documents
                do not contain this field.
            type: str
      hosts:
        description:
          - Hosts. If omitted or C(null), existing hosts stay unchanged.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Name of the host.
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
              - CHAP credentials that the host must present over iSCSI and iSER. C(null) removes CHAP. If omitted,
                CHAP stays unchanged.
            type: dict
            suboptions:
              user:
                description:
                  - User name that the host must present.
                type: str
                required: true
              secret:
                description:
                  - Secret that the host must present, 12 to 16 printable ASCII characters. If omitted or C(null),
                    the stored secret stays unchanged.
                type: str
              mutual_user:
                description:
                  - User name that the appliance presents to the host. C(null) removes mutual CHAP. If omitted,
                    the user name stays unchanged.
                type: str
              mutual_secret:
                description:
                  - Secret that the appliance presents to the host, 12 to 16 printable ASCII characters. Must differ
                    from C(secret). If omitted, the stored secret stays unchanged.
                type: str
          dhchap:
            description:
              - DH-HMAC-CHAP keys that the host must present over NVMe. C(null) removes DH-HMAC-CHAP. If omitted,
                DH-HMAC-CHAP stays unchanged.
            type: dict
            suboptions:
              secret:
                description:
                  - Key of the host in the form C(DHHC-1:…). If omitted or C(null), the stored key stays unchanged.
                type: str
              is_mutual:
                description:
                  - Whether the appliance also authenticates itself to the host, with C(mutual_secret). C(false)
                    removes the key of the appliance. If omitted or C(null), C(true) if C(mutual_secret) is set,
                    and unchanged otherwise.
                type: bool
              mutual_secret:
                description:
                  - Key of the appliance, in the same form. Must differ from C(secret). If omitted, the stored key
                    stays unchanged.
                type: str
              hash:
                description:
                  - Hash of the exchange. If omitted, unchanged on an existing host. Has no effect with the export
                    engine C(spdk), which negotiates the hash.
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
                  - Diffie-Hellman group of the exchange. If omitted, unchanged on an existing host. Has no effect
                    with the export engine C(spdk), which negotiates the group.
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
              - Seconds, from 30 to 86400, after which the paths of the host open without missing volumes. Hosts
                then treat the missing volumes as lost. If C(null), the paths stay closed until all volumes are
                present.
              - From 30 to 86400.
            type: int
          renamed_from:
            description:
              - Former name of the object. The object with this name is renamed and retains everything else, such
                as data, identity and mappings. Ignored if an object with the new name exists. Exported documents
                do not contain this field.
            type: str
      host_groups:
        description:
          - Host groups. If omitted or C(null), existing host groups stay unchanged.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Name of the host group.
            type: str
            required: true
          hosts:
            description:
              - Names or IDs of the hosts in the group. A host belongs to one group at most.
            type: list
            elements: str
          description:
            description:
              - Description of the host group.
            type: str
          opens_without_missing_after_s:
            description:
              - Seconds, from 30 to 86400, after which the paths to the volumes of the group open without missing
                volumes. Hosts then treat the missing volumes as lost. If C(null), the paths stay closed until all
                volumes are present.
              - From 30 to 86400.
            type: int
          renamed_from:
            description:
              - Former name of the object. The object with this name is renamed and retains everything else, such
                as data, identity and mappings. Ignored if an object with the new name exists. Exported documents
                do not contain this field.
            type: str
      portals:
        description:
          - Portals. If omitted or C(null), existing portals stay unchanged.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Unique name of the portal.
            type: str
            required: true
          protocol:
            description:
              - Protocol that the portal serves. SCSI over Fibre Channel (C(fc)) has no portals.
              - If omitted at creation, the appliance uses V(iscsi).
              - 'V(iscsi): iSCSI: SCSI over TCP.'
              - 'V(iser): iSER: iSCSI over RDMA.'
              - 'V(nvme-tcp): NVMe over TCP.'
              - 'V(nvme-rdma): NVMe over RDMA.'
              - 'V(nvme-fc): NVMe over Fibre Channel.'
              - 'V(fc): SCSI over Fibre Channel. FC ports serve this protocol; portals do not.'
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
              - IP address of the appliance to listen on, or C(0.0.0.0) or C(::) for all addresses.
            type: str
            required: true
          port:
            description:
              - Port number to listen on. If omitted, 3260 for iSCSI, 3261 for iSER, and 4420 for NVMe over TCP
                or RDMA.
              - From 1 to 65535.
            type: int
          engine:
            description:
              - Export engine of the portal. If omitted, the engine of the kernel. All NVMe portals have the same
                engine.
              - 'V(lio): LIO, the SCSI target of the kernel: iSCSI, iSER and Fibre Channel.'
              - 'V(nvmet): The NVMe target of the kernel, nvmet: NVMe over TCP, RDMA and Fibre Channel.'
              - 'V(spdk): SPDK, an NVMe target in user space: NVMe over TCP.'
              - One of V(lio), V(nvmet), V(spdk), or null.
            type: str
      fc_ports:
        description:
          - FC ports with their modes. If omitted or C(null), managed FC ports stay unchanged.
        type: list
        elements: dict
        suboptions:
          wwpn:
            description:
              - 'WWPN of the FC port: 16 hexadecimal digits, with or without colons.'
            type: str
            required: true
          mode:
            description:
              - Mode of the FC port. C(dual) is refused.
              - If omitted at creation, the appliance uses V(target).
              - 'V(target): The port serves volumes to hosts.'
              - 'V(initiator): The port connects to other storage systems.'
              - 'V(dual): The port is target and initiator at once. This mode can be observed but not requested.'
              - 'V(disabled): The port is neither target nor initiator.'
            type: str
            choices:
              - target
              - initiator
              - dual
              - disabled
      mappings:
        description:
          - Mappings. If omitted or C(null), existing mappings stay unchanged. All mappings of a volume with several
            owners must have C(shared) set to C(true).
        type: list
        elements: dict
        suboptions:
          volume:
            description:
              - ID or name of the volume to map.
            type: str
            required: true
          host:
            description:
              - ID or name of the host that receives access. Required unless C(host_group) is set.
            type: str
          host_group:
            description:
              - ID or name of the host group that receives access. Required unless C(host) is set.
            type: str
          lun:
            description:
              - LUN, or namespace ID over NVMe (from 1). If omitted, the lowest free number from 1 is assigned.
              - From 0 to 255.
            type: int
          family:
            description:
              - Protocol family of the mapping. If omitted, NVMe for an owner that has only NQNs, and SCSI for any
                other owner.
              - 'V(scsi): SCSI, over iSCSI, iSER or Fibre Channel.'
              - 'V(nvme): NVMe, over TCP, RDMA or Fibre Channel.'
              - One of V(scsi), V(nvme), or null.
            type: str
          shared:
            description:
              - Whether the volume may be mapped although it has another owner.
              - If omitted at creation, the appliance uses V(false).
            type: bool
      schedules:
        description:
          - Schedules. If omitted or C(null), existing schedules stay unchanged.
        type: list
        elements: dict
        suboptions:
          name:
            description:
              - Name of the schedule.
            type: str
            required: true
          action:
            description:
              - Action of the schedule. The action cannot be changed later.
              - 'V(snapshot): Takes a snapshot of each volume, then deletes snapshots that the retention does not
                cover.'
              - 'V(scrub): Scrubs each array: reads all of its data and compares the data with its redundancy.'
            type: str
            choices:
              - snapshot
              - scrub
            required: true
          volumes:
            description:
              - Names or IDs of the volumes to take snapshots of. Required for the action C(snapshot) only.
            type: list
            elements: str
          arrays:
            description:
              - Names or IDs of the arrays to scrub, except RAID 0 and external arrays. Required for the action
                C(scrub) only.
            type: list
            elements: str
          when:
            description:
              - Cron expression with minute, hour, day of month, month and weekday, such as C(0 3 * * *).
            type: str
            required: true
          keep:
            description:
              - Retention of the snapshots, per volume. Required for the action C(snapshot) only.
            type: dict
            suboptions:
              last:
                description:
                  - Number of most recent snapshots to retain.
                  - From 0 to 1000.
                  - If omitted at creation, the appliance uses V(0).
                type: int
              hourly:
                description:
                  - 'Number of hourly snapshots to retain: the newest of each hour. Hours without snapshots are
                    skipped.'
                  - From 0 to 1000.
                  - If omitted at creation, the appliance uses V(0).
                type: int
              daily:
                description:
                  - 'Number of daily snapshots to retain: the newest of each day. Days without snapshots are skipped.'
                  - From 0 to 1000.
                  - If omitted at creation, the appliance uses V(0).
                type: int
              weekly:
                description:
                  - 'Number of weekly snapshots to retain: the newest of each ISO week. Weeks without snapshots
                    are skipped.'
                  - From 0 to 1000.
                  - If omitted at creation, the appliance uses V(0).
                type: int
              monthly:
                description:
                  - 'Number of monthly snapshots to retain: the newest of each month. Months without snapshots are
                    skipped.'
                  - From 0 to 1000.
                  - If omitted at creation, the appliance uses V(0).
                type: int
          snapshot_name:
            description:
              - Pattern for the names of the snapshots. Must contain C({volume}), and may contain C({date}) and
                C({time}).
              - If omitted at creation, the appliance uses V({volume}.{date}-{time}).
            type: str
          missed:
            description:
              - Handling of runs that were missed while the appliance was down.
              - If omitted at creation, the appliance uses V(run_once).
              - 'V(run_once): One run replaces all missed runs.'
              - 'V(skip): Missed runs are skipped.'
            type: str
            choices:
              - run_once
              - skip
          enabled:
            description:
              - Whether the schedule runs automatically. A disabled schedule can still be run manually.
              - If omitted at creation, the appliance uses V(true).
            type: bool
          description:
            description:
              - Free-text description.
            type: str
          renamed_from:
            description:
              - Former name of the object. The object with this name is renamed and retains everything else, such
                as data, identity and mappings. Ignored if an object with the new name exists. Exported documents
                do not contain this field.
            type: str
      settings:
        description:
          - Settings. If omitted or C(null), the settings stay unchanged.
        type: dict
        suboptions:
          name:
            description:
              - Name of the appliance. C(null) restores the host name.
            type: str
          host_name:
            description:
              - Host name of the operating system, without a domain. C(null) leaves the present host name as it
                is.
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
                  - Host name or address of the log server. Required, except for the transport C(local), which has
                    none.
                type: str
              port:
                description:
                  - Port of the log server. If omitted, 6514 for C(tls) and 514 for C(udp) and C(tcp). Not allowed
                    for C(local).
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
              - 'Firewall mode. C(null) restores the default: C(managed) after installation from the ISO, otherwise
                C(off).'
              - 'V(managed): The firewall accepts only traffic to portals, the web page, API and SSH.'
              - 'V(off): The firewall of Lunette filters no traffic.'
              - One of V(managed), V(off), or null.
            type: str
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
                  - CHAP secret of the appliance, of 12 to 16 characters. Must differ from C(secret). Not returned
                    with the settings.
                type: str
          backup:
            description:
              - Settings of scheduled backups. C(null) ends them; stored backups stay on the server.
            type: dict
            suboptions:
              url:
                description:
                  - HTTPS address of an existing folder on the WebDAV server. It is shown to every user, so it must
                    not be secret.
                type: str
                required: true
              user:
                description:
                  - User name for the login to the server (HTTP basic authentication). If omitted, requests have
                    no login.
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
                  - Cron expression with minute, hour, day of month, month and weekday, in the time zone of the
                    appliance.
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
  scope:
    description:
      - 'Objects to which the request is limited, such as C(host/esx3), each with what belongs to it: volumes of
        an array, mappings of a volume, mappings and mapped volumes of a host or host group, and hosts of a host
        group. If empty, the request applies to the whole document.'
    type: list
    elements: str
  destroy:
    description:
      - Objects that may be deleted, such as C(volume/lun03) or C(mapping/lun03/host/esx3), and disks that may be
        wiped, such as C(disk/ID). A portal or mapping that is named here is replaced if it cannot be changed. Nothing
        else is deleted or wiped.
    type: list
    elements: str
  wait:
    description:
      - Whether to wait until the job has finished.
    type: bool
    default: true
  wait_timeout:
    description:
      - Maximum time to wait in seconds. After that the job continues, and the next run waits for it.
    type: int
    default: 3600
  in_use:
    description:
      - Whether volumes that hosts are using may be taken away. If V(false), the task fails and names the volumes.
      - Also allows a number that another volume had until recently, and whose device hosts may still have.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Applies a site document as one job
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
  description: Response of the appliance.
  returned: unless the response is a job
  type: dict
plan:
  description: 'Plan of the appliance: changes, steps, devices, bytes destroyed, hosts interrupted and warnings.'
  returned: when something changes
  type: dict
problem:
  description: 'The problem document: C(type), C(detail), C(errors).'
  returned: when refused
  type: dict
job:
  description: The job that made the change, with its steps.
  returned: when there was one
  type: dict
progress:
  description: Progress of the job, in seconds since the start of the task.
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
