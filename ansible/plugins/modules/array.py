#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: array
short_description: Make, change or delete an array of an appliance
version_added: 0.1.0
description:
  - Creates an array of disks. A disk that carries anything is refused unless it is listed in `wipe`.
  - Sets the pace of resync, rebuild and scrub, and the tuning. Both are kept, and set again after every start.
  - Destroys an array that holds no volumes any more, and clears its disks.
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
  group_thread_cnt:
    description:
      - Threads per NUMA node that compute parity beside the array's own. Parity arrays only. Without it, a number
        that suits the cores.
      - From 0 to 64.
    type: int
  stripe_cache_size:
    description:
      - Stripes in the cache of a parity array, of 4 KiB for each disk. Without it, a number that suits disks and
        memory; never more than 1/32 of the memory.
      - From 17 to 32768.
    type: int
  skip_copy:
    description:
      - Write whole pages of a parity array from the memory they came in instead of a copy.
    type: bool
  scheduler:
    description:
      - I/O scheduler of the member disks. Without it, what suits each disk.
    type: str
    choices:
      - none
      - mq-deadline
  sync_speed_min_bytes_s:
    description:
      - How much of a resync, rebuild or scrub is done in each second on each disk, even while hosts use the array.
      - Bytes as a number, or with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
    type: str
  sync_speed_max_bytes_s:
    description:
      - How much of it is done at most, even while nobody uses the array.
      - Bytes as a number, or with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
    type: str
  write_mostly:
    description:
      - 'Raid1 only: ids of those disks that are read only if no other holds the data, such as slower or remote
        ones. An empty list takes it from all.'
    type: list
    elements: str
  spare_group:
    description:
      - 'Md arrays only: name of a group of arrays that lend each other their spares.'
    type: str
  health_command:
    description:
      - 'External arrays only: the name of the command on the appliance that tells their health. Without it, nobody
        does.'
    type: str
  name:
    description:
      - Name; it is how the module finds it.
    type: str
    required: true
  engine:
    description:
      - What builds the array.
      - The appliance takes V(md) when it is created without.
      - Fixed when it is created; a difference later is refused.
    type: str
    choices:
      - md
      - zfs
      - lvm
      - external
  level:
    description:
      - How the disks protect one another.
      - Fixed when it is created; a difference later is refused.
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
      - Stable ids of the member disks, as M(lunette.appliance.disk_info) shows them.
      - Used when it is created; a difference later is a warning.
    type: list
    elements: str
  chunk_bytes:
    description:
      - How much goes to one disk before the next one's turn.
      - Bytes as a number, or with a unit such as V(10GiB) (binary) or V(10GB) (decimal).
      - Fixed when it is created; a difference later is refused.
    type: str
  layout:
    description:
      - 'Where the copies of an md raid10 lie: V(n2) near, V(f2) far, V(o2) offset, with the number of copies. A
        far layout can never grow.'
      - Fixed when it is created; a difference later is refused.
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
      - What a parity array keeps so that a power cut between data and parity can be survived.
      - Fixed when it is created; a difference later is refused.
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
      - Ids of those disks whose present content may be destroyed. A disk that carries anything and is not listed
        here is refused.
      - Used when it is created, and not compared afterwards.
    type: list
    elements: str
  spares:
    description:
      - 'Ids of disks that stand by: the first takes the place of a member that is lost.'
      - Used when it is created; a difference later is a warning.
    type: list
    elements: str
  log:
    description:
      - 'Pools only: ids of disks that take synchronous writes first. Several are one mirror.'
      - Used when it is created; a difference later is a warning.
    type: list
    elements: str
  cache:
    description:
      - 'Pools only: ids of disks that keep copies of what is read often. Each adds room, none is redundant or needs
        to be.'
      - Used when it is created; a difference later is a warning.
    type: list
    elements: str
  special:
    description:
      - 'Pools only: ids of disks for the pool''s metadata, one mirror that survives at least as much as the data
        disks. They stay for the life of the pool.'
      - Used when it is created; a difference later is a warning.
    type: list
    elements: str
  group_data_disks:
    description:
      - 'Draid only: data disks of each group. Without it, as many as a volume''s block has sectors.'
      - From 1 to 255.
      - Fixed when it is created; a difference later is refused.
    type: int
  distributed_spares:
    description:
      - 'Draid only: how many disks'' worth of spare room lies on all disks. Without it one, and one more for each
        further 20 disks.'
      - From 0 to 100.
      - Fixed when it is created; a difference later is refused.
    type: int
  integrity:
    description:
      - 'Engine V(lvm) only, when it is made: checksums (dm-integrity, with a journal) under each disk''s copy,
        from which wrong blocks are repaired. Each write is written twice.'
      - The appliance takes V(False) when it is created without.
      - Fixed when it is created; a difference later is refused.
    type: bool
  encryption:
    description:
      - Encrypts everything on a new md array with LUKS2. It cannot be turned on or off later, and needs O(passphrase).
      - Fixed when it is created; a difference later is refused.
    type: str
    choices:
      - luks2
  passphrase:
    description:
      - 'Opens an encrypted array; needed to make one, and not looked at afterwards. It is kept nowhere: who loses
        it loses the data.'
      - Used when it is created, and not compared afterwards.
    type: str
  keep_key:
    description:
      - 'Of an encrypted array, when it is made: the appliance keeps a key of its own and unlocks the array at every
        start. That protects disks that leave the appliance, not an appliance that is stolen whole.'
      - The appliance takes V(False) when it is created without.
      - Fixed when it is created; a difference later is refused.
    type: bool
  state:
    description:
      - Whether it is to be there.
    type: str
    choices:
      - present
      - absent
    default: present
  clear:
    description:
      - Fields to take away. An option that is left out stays as it is.
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
      - Waits until the work is done.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait at most. The work goes on after that, and the next run waits for it.
    type: int
    default: 3600
  destroy_data:
    description:
      - Allows data to be destroyed. Without it, a change that would is refused and says what would be lost.
    type: bool
    default: false
"""

EXAMPLES = r"""
---
- name: Ensure it is there
  lunette.appliance.array:
    name: tank
    level: raid5
    disks:
      - nvme-eui.0001
      - nvme-eui.0002
      - nvme-eui.0003
    chunk_bytes: 64KiB
- name: Ensure it is gone
  lunette.appliance.array:
    name: tank
    state: absent
    destroy_data: true
"""

RETURN = r"""
resource:
  description: The array as the API shows it, with the fields C(id), C(name), C(engine), C(level), C(state), C(health),
    C(uuid), C(usable_bytes), C(free_bytes), C(thin_pool), C(chunk_bytes), C(layout), C(write_mostly), C(group_data_disks),
    C(distributed_spares), C(write_hole), C(growing), C(sync_speed_min_bytes_s), C(sync_speed_max_bytes_s), C(group_thread_cnt),
    C(stripe_cache_size), C(skip_copy), C(scheduler), C(spare_group), C(health_command), C(integrity), C(encryption),
    C(keep_key), C(locked), C(tuning), C(members), C(volumes), C(deleted_bytes), C(observed), C(created_at), C(updated_at).
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
