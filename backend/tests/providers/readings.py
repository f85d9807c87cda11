"""Every reader with what its tool prints. A new reader is put to the test of odd output by being listed here."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.tests import seen
from backend.tests.block_tree import recorded_tree, without_tree
from backend.tests.recorded import recorded
from lunette.providers.arrays.lvm import parse as lvm_raid
from lunette.providers.arrays.md import parse as md
from lunette.providers.arrays.md import superblock
from lunette.providers.arrays.zfs import counters as zfs_counters
from lunette.providers.arrays.zfs import datasets, labels
from lunette.providers.arrays.zfs import parse as zfs
from lunette.providers.disks import diskstats, listing, running, smart_parse
from lunette.providers.disks import parse as disks
from lunette.providers.encryption import device as luks
from lunette.providers.exports.lio import connected, refused
from lunette.providers.exports.lio import sessions as lio_sessions
from lunette.providers.exports.paths import sockets
from lunette.providers.exports.spdk import sessions as spdk_sessions
from lunette.providers.exports.spdk import state as spdk
from lunette.providers.fabrics import port_counters, rdma
from lunette.providers.firewall import run as nft
from lunette.providers.network import observe as network
from lunette.providers.updates import efi, rauc, slots
from lunette.providers.volumes.lvm import parse as lvm

DISKS = tuple(seen.disk(number) for number in range(4))


@dataclass(frozen=True)
class Reading:
    """What a tool printed, and the reader that is given it."""

    text: str
    read: Callable[[str], object]


def _document(reader: Callable[[Any], object]) -> Callable[[str], object]:
    """For a reader that is given what a program answered, not its text: what is no JSON never gets so far."""

    def read(text: str) -> object:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return reader(value)

    return read


def _pools(text: str) -> object:
    """Also what is made of each pool."""
    return [zfs.array(pool, True, 1, DISKS, 1e9) for pool in zfs.pools(text, {})]


def _raid_groups(text: str, volumes: str) -> object:
    status = recorded("lvm-2.03.31/raid-status-lost.txt")
    return [lvm_raid.array(group, status, DISKS) for group in lvm_raid.groups(text, volumes, {})]


def _drives(text: str) -> object:
    facts = disks.SysfsFacts(path="/sys/devices/x", holders=(), write_cache=False, numa_node=None, transports=())
    return [disks.disk(entry, ("scsi-S1",), {}, facts) for entry in disks.drives(text, {})]


VGS, LVS = recorded("lvm-2.03.31/vgs.json"), recorded("lvm-2.03.31/lvs.json")
RAID_PVS, RAID_LVS = recorded("lvm-2.03.31/raid-pvs-lost.json"), recorded("lvm-2.03.31/raid-lvs-lost.json")
PVS = '{"report": [{"pv": [{"pv_uuid": "a-b", "vg_name": "g"}, {"pv_uuid": "c-d", "vg_name": ""}]}]}'
WIPEFS = recorded("util-linux-2.41/wipefs.json")
SMART = {
    "smartctl": {"messages": [{"string": "odd", "severity": "error"}]},
    "logical_block_size": 512,
    "smart_status": {"passed": True, "nvme": {"value": 0, "media_read_only": False}},
    "temperature": {"current": 35, "op_limit_max": 60, "drive_trip": 65},
    "power_on_time": {"hours": 9},
    "endurance_used": {"current_percent": 3},
    "scsi_grown_defect_list": 0,
    "scsi_error_counter_log": {"read": {"total_uncorrected_errors": 0}},
    "ata_smart_attributes": {"table": [{"id": 5, "raw": {"value": 7, "string": "7 (1 2)"}}]},
    "ata_device_statistics": {"pages": [{"number": 1, "table": [{"offset": 24, "value": 8}]}]},
    "ata_sct_erc": {"read": {"enabled": True, "deciseconds": 70}, "write": {"enabled": True, "deciseconds": 70}},
}
NVME = {
    "smart_status": {"passed": True, "nvme": {"value": 0}},
    "nvme_smart_health_information_log": {
        "temperature": 300,
        "available_spare": 100,
        "available_spare_threshold": 10,
        "percentage_used": 101,
        "data_units_written": 5,
        "power_on_hours": 9,
        "unsafe_shutdowns": 1,
        "media_errors": 0,
    },
}
CONTROLLER = json.dumps({"oacs": 6, "fna": 4, "sanicap": 3, "vwc": 1, "wctemp": 343, "cctemp": 353})
IP = [
    {"ifname": "lo", "flags": ["LOOPBACK"], "link_type": "loopback", "addr_info": []},
    {
        "ifname": "eth0",
        "flags": ["UP", "LOWER_UP"],
        "mtu": 1500,
        "min_mtu": 68,
        "max_mtu": 9000,
        "operstate": "UP",
        "link_type": "ether",
        "address": "02:00:00:00:00:01",
        "addr_info": [{"family": "inet", "local": "192.0.2.1", "prefixlen": 24, "scope": "global", "dynamic": True}],
    },
]
PLACE = {"trtype": "TCP", "adrfam": "IPv4", "traddr": "192.0.2.1", "trsvcid": "4420"}
SPDK = [
    [{"trtype": "TCP"}],
    [
        {"nqn": "nqn.2014-08.org.nvmexpress.discovery", "subtype": "Discovery", "listen_addresses": [PLACE]},
        {
            "nqn": "nqn.2026-11.io.example:1",
            "subtype": "NVMe",
            "serial_number": "1",
            "model_number": "M",
            "namespaces": [{"nsid": 1, "bdev_name": "b", "uuid": "u", "nguid": "0" * 32}],
            "hosts": [{"nqn": "nqn.2014-08.org.example:h", "dhchap_key": "k"}],
            "listen_addresses": [PLACE],
        },
    ],
    [
        {
            "name": "b",
            "uuid": "u",
            "block_size": 512,
            "num_blocks": 9,
            "driver_specific": {"aio": {"filename": "/dev/x"}},
        },
    ],
    [{"name": "k", "removed": False}],
]
QUEUES = [
    {
        "qid": 0,
        "hostnqn": "nqn.2014-08.org.example:h",
        "state": "active",
        "peer_address": PLACE,
        "listen_address": PLACE,
    },
]
CMDLINE = (
    "BOOT_IMAGE=/vmlinuz lunette.slots=11111111-1111-4111-8111-111111111111,22222222-2222-4222-8222-222222222222 "
    "lunette.efi=1234-ABCD rauc.slot=a root=MD=x quiet\n"
)
SS = "0 0 192.0.2.1:3260 192.0.2.10:51000 cubic wscale:7,7 cwnd:10 lastsnd:16 lastrcv:16 lastack:16\n"
NET = "Inter-| Receive\n face |bytes\n  eth0: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n"
BLOCK_STATISTICS = "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
JOURNAL = json.dumps(
    {
        "MESSAGE": "iSCSI Initiator Node: iqn.1994-05.com.example:x is not authorized to access iSCSI target portal "
        "group: 1.",
        "__REALTIME_TIMESTAMP": "1764102441000000",
    }
)
NFT = {"nftables": [{"metainfo": {"version": "1.1"}}, {"chain": {"family": "inet", "name": "input", "handle": 1}}]}
PARTITIONS = {"blockdevices": [{"name": "/dev/sda1", "uuid": "1234-ABCD", "fstype": "vfat"}]}
LABELS = {"blockdevices": [{"name": "sda", "partlabel": None}, {"name": "sda1", "partlabel": "zfs-1"}]}
PFC = {"pfc_cap": 8, "prio_pfc": [False, True, False]}
CM_IDS = recorded("iproute2-6.15/rdma-resource-cm_id.json")
IOSTATS = recorded("zfs-2.3.9/iostats.txt")

READINGS: Mapping[str, tuple[Reading, ...]] = {
    "arrays.lvm.parse.groups": (
        Reading(RAID_PVS, lambda text: _raid_groups(text, RAID_LVS)),
        Reading(RAID_LVS, lambda text: _raid_groups(RAID_PVS, text)),
    ),
    "arrays.lvm.parse.statuses": (Reading(recorded("lvm-2.03.31/raid-status-lost.txt"), lvm_raid.statuses),),
    "arrays.lvm.parse.integrity": (Reading(recorded("lvm-2.03.31/raid-status-filling.txt"), lvm_raid.integrity),),
    "arrays.md.superblock.superblock": (Reading(recorded("mdadm-4.4/examine-raid5-ppl.txt"), superblock.superblock),),
    "arrays.md.parse.detail": (Reading(recorded("mdadm-4.4/detail-export-raid5.txt"), md.detail),),
    "arrays.zfs.parse.pools": tuple(
        Reading(recorded(f"zfs-2.3.9/zpool-status-{name}.json"), _pools)
        for name in ("raidz1", "replacing", "scrubbing")
    ),
    "arrays.zfs.datasets.datasets": (
        Reading(recorded("zfs-2.3.9/zfs-list.json"), lambda text: datasets.datasets(text, {})),
    ),
    "arrays.zfs.counters.parse": (Reading(IOSTATS, zfs_counters.parse),),
    "arrays.zfs.labels.are_of_libzfs": (Reading(json.dumps(LABELS), labels.are_of_libzfs),),
    "disks.diskstats.parse": (Reading(BLOCK_STATISTICS, diskstats.parse),),
    "disks.listing.entries": tuple(
        Reading(without_tree(recorded_tree(name)), read)
        for name in ("qemu", "uml")
        for read in (_drives, listing.entries)
    ),
    "disks.parse.signatures": (Reading(WIPEFS, disks.signatures),),
    "disks.running.groups": (Reading(PVS, running.groups),),
    "disks.smart_parse.reading": tuple(
        Reading(json.dumps(reported), lambda text: smart_parse.reading(text, 0.0)) for reported in (SMART, NVME)
    ),
    "disks.smart_parse.recovery": (Reading(json.dumps(SMART), smart_parse.recovery),),
    "disks.smart_parse.erases": (
        Reading(CONTROLLER, lambda text: smart_parse.erases(smart_parse.document(text))),
        Reading(CONTROLLER, lambda text: smart_parse.limits(smart_parse.document(text))),
        Reading(CONTROLLER, lambda text: smart_parse.volatile_cache(smart_parse.document(text))),
    ),
    "encryption.device.slots_in": (Reading('{"keyslots": {"0": {"type": "luks2"}}}', luks.slots_in),),
    "exports.lio.connected.parse_table": tuple(
        Reading(recorded(f"linux-6.18/proc-net-{name}.txt"), lambda text: connected.parse_table(text, {3260}))
        for name in ("tcp", "tcp6")
    ),
    "exports.lio.refused.parse": (Reading(JOURNAL, refused.parse),),
    "exports.lio.sessions.parse_info": (
        Reading(recorded("linux-6.12/iscsi-acl-logged-in.txt"), lio_sessions.parse_info),
    ),
    "exports.paths.sockets.parse": (Reading(SS, sockets.parse),),
    "exports.spdk.state.read": (Reading(json.dumps(SPDK), _document(spdk.read)),),
    "exports.spdk.sessions.read": (
        Reading(
            json.dumps(QUEUES), _document(lambda reported: spdk_sessions.read("nqn.2026-11.io.example:1", reported))
        ),
    ),
    "fabrics.port_counters.parse_net": (Reading(NET, port_counters.parse_net),),
    "fabrics.rdma.parse_listeners": (Reading(CM_IDS, rdma.parse_listeners),),
    "fabrics.rdma.parse_pfc": (Reading(json.dumps(PFC), rdma.parse_pfc),),
    "firewall.run.parse": (Reading(json.dumps(NFT), nft.parse),),
    "network.observe.parse_links": (Reading(json.dumps(IP), network.parse_links),),
    "network.observe.parse_networkd": (
        Reading('{"Interfaces": [{"Name": "eth0", "NetworkFile": "/x"}]}', network.parse_networkd),
    ),
    "updates.efi.parse_partitions": (
        Reading(json.dumps(PARTITIONS), lambda text: efi.parse_partitions(text, "1234-ABCD")),
    ),
    "updates.rauc.parse_info": (Reading('{"compatible": "lunette", "version": "1.0"}', rauc.parse_info),),
    "updates.slots.parse": (Reading(CMDLINE, slots.parse),),
    "volumes.lvm.parse.groups": (
        Reading(VGS, lambda text: lvm.observed(lvm.groups(text, LVS, {}))),
        Reading(LVS, lambda text: lvm.observed(lvm.groups(VGS, text, {}))),
    ),
    "volumes.lvm.parse.group_of_volumes": (
        Reading(recorded("lvm-2.03.31/vgs-with-volumes.json"), lvm.group_of_volumes),
    ),
    "volumes.lvm.parse.physical_volumes": (Reading(recorded("lvm-2.03.31/pvs.json"), lvm.physical_volumes),),
}
"""By module and name, without the package they are all in."""
BY_MACHINE = {"exports.lio.foreign.observe", "exports.nvmet.foreign.observe", "arrays.md.parse.running_array"}
"""Readers of the kernel's files: put to the test on a whole machine (agent/test_odd_machine.py)."""
SOURCE = Path(__file__).parents[2] / "src" / "lunette" / "providers"
