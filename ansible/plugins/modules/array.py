#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array
short_description: Create, change or delete an array of an appliance
version_added: 0.1.0
description:
  - Creates an array from disks.
  - Changes the speed limits, tuning and other settings of an array.
  - Deletes an array without volumes, and wipes its disks.
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
  group_thread_cnt:
    description:
      - 'MD RAID 4, 5 and 6 only: number of threads per NUMA node that compute parity, in addition to the thread
        of the array. If omitted, an automatic value.'
      - From 0 to 64.
    type: int
  stripe_cache_size:
    description:
      - 'MD RAID 4, 5 and 6 only: number of stripes in the stripe cache, each 4 KiB of memory for each disk. If
        omitted, an automatic value.'
      - From 17 to 32768.
    type: int
  skip_copy:
    description:
      - 'MD RAID 4, 5 and 6 only: whether full pages are written directly from the memory of the request instead
        of from a copy. If omitted, an automatic value.'
    type: bool
  scheduler:
    description:
      - 'MD RAID only: I/O scheduler of the member disks. If omitted, the automatic scheduler for each disk.'
      - 'V(none): No I/O scheduler. The automatic choice for solid-state disks with several queues.'
      - 'V(mq-deadline): Deadline scheduler. The automatic choice for rotating disks and for disks with one queue.'
    type: str
    choices:
      - none
      - mq-deadline
  sync_speed_min_bytes_s:
    description:
      - 'MD RAID only, except C(raid0): minimum speed of a resync, rebuild or scrub in bytes per second and disk,
        even under load. If omitted, the default of the kernel.'
      - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
    type: str
  sync_speed_max_bytes_s:
    description:
      - 'MD RAID only, except C(raid0): maximum speed of a resync, rebuild or scrub in bytes per second and disk,
        even without load. If omitted, the default of the kernel.'
      - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
    type: str
  write_mostly:
    description:
      - 'MD RAID C(raid1) only: IDs of those C(disks) that are read only if no other disk has the data, such as
        slower or remote disks.'
    type: list
    elements: str
  spare_group:
    description:
      - 'MD RAID only, except C(raid0): name of the spare group. A degraded array without a spare receives a spare
        of another array in the group.'
    type: str
  health_command:
    description:
      - 'External arrays only: name of the command on the appliance that reports the health of the array. If omitted,
        the health is unknown.'
    type: str
  name:
    description:
      - Unique name of the array.
      - The module identifies the resource by it.
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
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - md
      - zfs
      - lvm
      - external
  level:
    description:
      - Level of the array. The list of engines shows the levels of each engine.
      - Fixed when the resource is created; a later difference is refused.
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
  disks:
    description:
      - Stable IDs of the member disks, as returned by M(lunette.appliance.disk_info).
      - Used when the resource is created; a later difference is a warning.
    type: list
    elements: str
  chunk_bytes:
    description:
      - 'MD RAID and LVM RAID, except C(raid1): chunk size in bytes, a power of two. If omitted, 64 KiB.'
      - A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
      - Fixed when the resource is created; a later difference is refused.
    type: str
  layout:
    description:
      - 'MD RAID C(raid10) only: arrangement of the copies. If omitted, C(n2). An array with a far layout (C(f2),
        C(f3)) cannot grow.'
      - 'V(n2): Near, two copies. The copies of a chunk are on adjacent disks.'
      - 'V(f2): Far, two copies. Each copy has its own section of every disk: fast reads, slow writes on rotating
        disks. The array cannot grow.'
      - 'V(o2): Offset, two copies. Each stripe is repeated in the next stripe, shifted by one disk.'
      - 'V(n3): Near, three copies. The copies of a chunk are on adjacent disks.'
      - 'V(f3): Far, three copies. Each copy has its own section of every disk: fast reads, slow writes on rotating
        disks. The array cannot grow.'
      - 'V(o3): Offset, three copies. Each stripe is repeated in the next two stripes, shifted by one disk each.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - n2
      - f2
      - o2
      - n3
      - f3
      - o3
  write_hole:
    description:
      - Protection against the write hole. If omitted, C(ppl) for MD RAID C(raid5) with up to 64 disks of which
        none has an active volatile write cache, C(bitmap) for any other redundant array of MD RAID and for LVM
        RAID. ZFS pools always have C(copy_on_write).
      - 'V(ppl): Partial parity log. Closes the write hole. MD RAID arrays of level C(raid5) only, while none of
        their disks has an active volatile write cache; costs 30% to 40% of the random write performance.'
      - 'V(bitmap): Write-intent bitmap. Shortens the resync after an unclean shutdown, but the write hole stays
        open.'
      - 'V(journal): Journal on a separate disk. Closes the write hole. Found on arrays that other systems created;
        Lunette does not create such journals.'
      - 'V(none): No protection. A full resync follows an unclean shutdown.'
      - 'V(copy_on_write): No write hole, because ZFS never overwrites data in place.'
      - 'V(external): Unknown to Lunette: the device of an external array handles the write hole.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - ppl
      - bitmap
      - journal
      - none
      - copy_on_write
      - external
  wipe:
    description:
      - IDs of those disks in this request that may be wiped, which destroys their data. A disk with signatures
        that is not listed is refused.
      - Used when the resource is created, and not compared afterward.
    type: list
    elements: str
  spares:
    description:
      - 'MD RAID and ZFS, except levels without redundancy: IDs of the spares. The first spare replaces a failed
        data disk automatically.'
      - Used when the resource is created; a later difference is a warning.
    type: list
    elements: str
  log:
    description:
      - 'ZFS pools only: IDs of the log disks, which receive synchronous writes first. Several log disks form one
        mirror.'
      - Used when the resource is created; a later difference is a warning.
    type: list
    elements: str
  cache:
    description:
      - 'ZFS pools only: IDs of the cache disks, which store copies of frequently read data. Each disk adds capacity.
        The loss of a cache disk loses no data.'
      - Used when the resource is created; a later difference is a warning.
    type: list
    elements: str
  special:
    description:
      - 'ZFS pools only: IDs of the special disks, which store the metadata of the pool in one mirror. The mirror
        must survive as many disk failures as the data disks. The pool needs special disks as long as the pool exists.'
      - Used when the resource is created; a later difference is a warning.
    type: list
    elements: str
  group_data_disks:
    description:
      - 'dRAID only: number of data disks in each group. If omitted, the number that suits blocks of 16 KiB: 4 on
        disks with 4 KiB sectors, fewer if the array has few disks.'
      - From 1 to 255.
      - Fixed when the resource is created; a later difference is refused.
    type: int
  distributed_spares:
    description:
      - 'dRAID only: number of distributed spares, whose space is spread over all disks. If omitted, one for every
        20 disks, rounded up.'
      - From 0 to 100.
      - Fixed when the resource is created; a later difference is refused.
    type: int
  integrity:
    description:
      - 'LVM RAID only: whether every disk has checksums (dm-integrity with a journal). Corrupt blocks on a disk
        are then repaired from the other disks. Checksums do not detect corruption on the way to the disk, and every
        write is written twice.'
      - If omitted at creation, the appliance uses V(false).
      - Fixed when the resource is created; a later difference is refused.
    type: bool
  encryption:
    description:
      - 'MD RAID only: method of encryption of all data on the array. Requires C(passphrase). Encryption cannot
        be enabled or disabled later. If omitted, the array is not encrypted.'
      - 'V(luks2): One dm-crypt device with a LUKS2 header between the array and its volumes.'
      - Fixed when the resource is created; a later difference is refused.
    type: str
    choices:
      - luks2
  passphrase:
    description:
      - 'Encrypted arrays only: passphrase that unlocks the array, here and on any Linux machine; 12 to 512 printable
        characters. Lunette does not store the passphrase. Without the passphrase and without a stored key, the
        data is lost.'
      - Used when the resource is created, and not compared afterward.
    type: str
  keep_key:
    description:
      - 'Encrypted arrays only: whether the appliance stores a key of its own and unlocks the array at every start.
        The data on removed disks stays protected, but not the data on a stolen appliance.'
      - If omitted at creation, the appliance uses V(false).
      - Fixed when the resource is created; a later difference is refused.
    type: bool
  state:
    description:
      - Whether the resource exists after the task.
    type: str
    choices:
      - present
      - absent
    default: present
  clear:
    description:
      - Fields to clear. An omitted option leaves its field unchanged.
    type: list
    elements: str
    choices:
      - group_thread_cnt
      - stripe_cache_size
      - skip_copy
      - scheduler
      - sync_speed_min_bytes_s
      - sync_speed_max_bytes_s
      - spare_group
      - health_command
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
  destroy_data:
    description:
      - Whether the task may destroy data. If V(false), a change that would destroy data fails and names the loss.
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
- name: Ensure the array exists
  lunette.appliance.array:
    name: tank
    level: raid5
    disks:
      - nvme-eui.0001
      - nvme-eui.0002
      - nvme-eui.0003
    chunk_bytes: 64KiB
- name: Ensure the array does not exist
  lunette.appliance.array:
    name: tank
    state: absent
    destroy_data: true
"""

RETURN = r"""
resource:
  description: The array as returned by the API, with the fields C(id), C(name), C(engine), C(level), C(state),
    C(health), C(uuid), C(usable_bytes), C(used_bytes), C(free_bytes), C(thin_pool), C(chunk_bytes), C(layout),
    C(write_mostly), C(group_data_disks), C(distributed_spares), C(write_hole), C(growing), C(sync_speed_min_bytes_s),
    C(sync_speed_max_bytes_s), C(group_thread_cnt), C(stripe_cache_size), C(skip_copy), C(scheduler), C(spare_group),
    C(health_command), C(integrity), C(encryption), C(keep_key), C(locked), C(tuning), C(members), C(volumes), C(deleted_bytes),
    C(observed), C(created_at), C(updated_at).
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

from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field, Noun
from ansible_collections.lunette.appliance.plugins.module_utils.resource import run_resource

ARGUMENTS = {
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
        "choices": ["none", "mq-deadline"],
    },
    "sync_speed_min_bytes_s": {
        "type": "str",
    },
    "sync_speed_max_bytes_s": {
        "type": "str",
    },
    "write_mostly": {
        "type": "list",
        "elements": "str",
    },
    "spare_group": {
        "type": "str",
    },
    "health_command": {
        "type": "str",
    },
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
    },
    "disks": {
        "type": "list",
        "elements": "str",
    },
    "chunk_bytes": {
        "type": "str",
    },
    "layout": {
        "type": "str",
        "choices": ["n2", "f2", "o2", "n3", "f3", "o3"],
    },
    "write_hole": {
        "type": "str",
        "choices": ["ppl", "bitmap", "journal", "none", "copy_on_write", "external"],
    },
    "wipe": {
        "type": "list",
        "elements": "str",
    },
    "spares": {
        "type": "list",
        "elements": "str",
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
    "integrity": {
        "type": "bool",
    },
    "encryption": {
        "type": "str",
        "choices": ["luks2"],
    },
    "passphrase": {
        "type": "str",
        "no_log": True,
    },
    "keep_key": {
        "type": "bool",
        "no_log": False,
    },
    "state": {
        "type": "str",
        "choices": ["present", "absent"],
        "default": "present",
    },
    "clear": {
        "type": "list",
        "elements": "str",
        "choices": [
            "group_thread_cnt",
            "stripe_cache_size",
            "skip_copy",
            "scheduler",
            "sync_speed_min_bytes_s",
            "sync_speed_max_bytes_s",
            "spare_group",
            "health_command",
        ],
    },
    "wait": {
        "type": "bool",
        "default": True,
    },
    "wait_timeout": {
        "type": "int",
        "default": 3600,
    },
    "destroy_data": {
        "type": "bool",
        "default": False,
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
    name="array",
    create="/arrays",
    item="/arrays/{array}",
    key=("name",),
    fields={
        "group_thread_cnt": Field(create=True, patch=True, shown=("group_thread_cnt",)),
        "stripe_cache_size": Field(create=True, patch=True, shown=("stripe_cache_size",)),
        "skip_copy": Field(create=True, patch=True, shown=("skip_copy",)),
        "scheduler": Field(create=True, patch=True, shown=("scheduler",)),
        "sync_speed_min_bytes_s": Field(create=True, patch=True, shown=("sync_speed_min_bytes_s",), kind="size"),
        "sync_speed_max_bytes_s": Field(create=True, patch=True, shown=("sync_speed_max_bytes_s",), kind="size"),
        "write_mostly": Field(create=True, patch=True, shown=("write_mostly",)),
        "spare_group": Field(create=True, patch=True, shown=("spare_group",)),
        "health_command": Field(create=True, patch=True, shown=("health_command",)),
        "name": Field(create=True, shown=("name",)),
        "engine": Field(create=True, shown=("engine",)),
        "level": Field(create=True, shown=("level",)),
        "disks": Field(create=True, shown=("members.disk_id",), kind="members"),
        "chunk_bytes": Field(create=True, shown=("chunk_bytes",), kind="size"),
        "layout": Field(create=True, shown=("layout",)),
        "write_hole": Field(create=True, shown=("write_hole",)),
        "wipe": Field(create=True),
        "spares": Field(create=True, shown=("members.disk_id",), kind="members"),
        "log": Field(create=True, shown=("members.disk_id",), kind="members"),
        "cache": Field(create=True, shown=("members.disk_id",), kind="members"),
        "special": Field(create=True, shown=("members.disk_id",), kind="members"),
        "group_data_disks": Field(create=True, shown=("group_data_disks",)),
        "distributed_spares": Field(create=True, shown=("distributed_spares",)),
        "integrity": Field(create=True, shown=("integrity",)),
        "encryption": Field(create=True, shown=("encryption",)),
        "passphrase": Field(create=True, secrets=("passphrase",)),
        "keep_key": Field(create=True, shown=("keep_key",)),
    },
)


def main():
    run_resource(ARGUMENTS, NOUN)


if __name__ == "__main__":
    main()
