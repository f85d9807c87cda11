"""What there is, as plain data that can be compared: the machine, and the rows of the database.

Left out is what may differ between two worlds that are equally good: random ids the tools choose, times, progress.
"""

from collections.abc import Iterator

from sqlalchemy import select

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.block.media import Lv
from backend.tests.fakemachine.files.configfs import Group
from backend.tests.fakemachine.md.kernel import RunningArray
from lunette.providers.encryption.keys import KEPT_DIR
from lunette.store.database import Store
from lunette.store.resources import (
    Array,
    ArrayDisk,
    DeletedSnapshot,
    DeletedVolume,
    Mapping,
    ReleaseRow,
    Snapshot,
    Target,
    Volume,
)

Picture = dict[str, object]
_REPORTED = ("info", "dynamic_sessions", "sessions", "num_cmds", "version", "lio_version")
"""Attributes that tell of the moment."""


def machine_picture(machine: FakeSystem) -> Picture:
    """Disks and their content, our running arrays, their groups and volumes, all of configfs, and the listeners.

    Foreign arrays need not run: our services do not start them after a boot.
    """
    return {
        "disks": {disk.serial: sorted(_content(machine, disk.serial)) for disk in machine.blocks.disks},
        "lights": {disk.serial for disk in machine.blocks.disks if disk.is_located},
        "arrays": {
            array.geometry.uuid: (
                array.geometry.name,
                array.is_active,
                sorted(array.members),
                _auxiliary(array),
                array.geometry.policy,
            )
            for array in _own_arrays(machine)
        },
        "groups": dict(_groups(machine)),
        "lvm raid": dict(_lvm_raid(machine)),
        "encrypted": dict(_encrypted(machine)),
        "keys": [name for name in machine.files.listdir(KEPT_DIR) if name.startswith("array-")],
        "pools": dict(_pools(machine)),
        "exports": dict(_exports(machine.target.root)) if machine.target else {},
        "nvme exports": dict(_exports(machine.nvme.root)) if machine.nvme else {},
        "listeners over RDMA": machine.rdma.listeners,
        "spdk exports": _spdk(machine),
        "paths that are away": sorted(set(machine.network.firewall.tables) & {"lunette_path"}),
    }


def _spdk(machine: FakeSystem) -> object:
    """What SPDK serves, and what it was given to read."""
    keys = sorted(name for name in machine.files.listdir("/run/lunette-spdk") if name.endswith(".key"))
    spdk = machine.spdk
    return (
        spdk.is_running,
        {name: one["filename"] for name, one in spdk.bdevs.items()},
        {nqn: (one.namespaces, one.hosts, one.listeners) for nqn, one in spdk.subsystems.items()},
        sorted(spdk.keys),
        keys,
    )


def _auxiliary(array: RunningArray) -> list[str]:
    """Disks that stand by or are being filled for one that works, which a rebuild turns into members meanwhile."""
    return sorted(m.disk.serial for m in array.bound() if not m.is_faulty and m not in array.members.values())


def _own_arrays(machine: FakeSystem) -> list[RunningArray]:
    return [array for array in machine.md.arrays.values() if not array.geometry.name.startswith("other:")]


def _content(machine: FakeSystem, serial: str) -> Iterator[str]:
    disk = next(disk for disk in machine.blocks.disks if disk.serial == serial)
    for signature in disk.media.all_signatures():
        yield f"{signature.type} {signature.label or ''} {signature.uuid or ''}"
    for part in disk.partitions:
        yield f"partition {part.number}"
        yield from (f"{s.type} in partition {part.number}" for s in part.media.all_signatures())


def _groups(machine: FakeSystem) -> Iterator[tuple[str, object]]:
    """Groups on running arrays, whether or not LVM's devices file shows them."""
    for array in _own_arrays(machine):
        luks = array.media.luks
        label = (luks.inner if luks else array.media).pv
        if label is None or not array.is_active:
            continue
        vg = label.vg
        name = vg.name if vg else f"label without a group on {array.geometry.name}"
        lvs = {lv.name: _volume(machine, lv) for lv in vg.lvs.values()} if vg else {}
        above = [device for device in machine.blocks.stacked.values() if array.kernel_name in device.below]
        beneath = [machine.blocks.stacked[array.kernel_name], *(one for one in above if one.kind == "crypt")]
        listed = machine.lvm.is_listed(beneath[-1])
        extents = vg.extent_count if vg else 0
        yield name, {"tags": sorted(vg.tags) if vg else [], "volumes": lvs, "listed": listed, "extents": extents}


def _lvm_raid(machine: FakeSystem) -> Iterator[tuple[str, object]]:
    """Groups over several disks, with the group and the volumes on their RAID volume."""
    raid = machine.tools.raid
    serials = {disk.media.pv.uuid: disk.serial for disk in machine.blocks.disks if disk.media.pv}
    for name, vg in raid.groups(listed=False).items():
        lv, run = vg.lv, raid.running.get(name)
        shape = (
            (lv.level, lv.size, [serials.get(pv, "gone") for pv in lv.images], sorted(lv.tags), lv.integrity)
            if lv
            else None
        )
        label = lv.media.pv if lv else None
        upper = label.vg if label else None
        above = {one.name: _volume(machine, one) for one in upper.lvs.values()} if upper else {}
        yield (
            name,
            {
                "tags": sorted(vg.tags),
                "disks": sorted(serials.get(pv, "gone") for pv in vg.pvs),
                "volume": shape,
                "active": run is not None,
                "group": (upper.name, sorted(upper.tags)) if upper else label is not None,
                "volumes": above,
            },
        )


def _encrypted(machine: FakeSystem) -> Iterator[tuple[str, object]]:
    """Headers on running arrays, what opens them, and whether they are open."""
    for array in _own_arrays(machine):
        luks = array.media.luks
        if luks is not None:
            mapped = [name for name, one in machine.crypt.mappings().items() if one.below == [array.kernel_name]]
            yield array.geometry.name, (luks.uuid, luks.label, len(luks.keys), mapped)


def _volume(machine: FakeSystem, lv: Lv) -> object:
    """Tags, sizes, what a thin one holds, and the size the kernel has for it."""
    view = next((view for view in machine.lvm.lvs() if view.lv is lv), None)
    active = machine.lvm.kernel_name(view) if view else None
    size = machine.blocks.stacked[active].size_bytes if active else None
    return sorted(lv.tags), len(lv.extents), len(lv.metadata_extents), lv.virtual_extents, lv.content, size


def _pools(machine: FakeSystem) -> Iterator[tuple[str, object]]:
    """The imported pools with their zvols; a device that is not there yet counts."""
    for name, pool in machine.zfs.imported.items():
        zvols = {
            short: (
                zvol.size_bytes,
                zvol.is_thin,
                sorted(zvol.properties.items()),
                machine.blocks.find(f"/dev/zvol/{name}/{short}") is not None,
                zvol.origin,
                list(zvol.snapshots),
            )
            for short, zvol in pool.data.zvols.items()
        }
        members = {slot: member.disk.serial for slot, member in pool.members.items()}
        serials = {guid: member.disk.serial for guid, member in pool.auxiliary.items()}
        spared = {slot: serials.get(guid, "gone") for slot, guid in pool.data.spared.items()}
        auxiliary = sorted(
            (vdev.kind, [serials.get(guid, "gone") for guid in vdev.guids]) for vdev in pool.data.auxiliary
        )
        yield (
            name,
            {
                "guid": pool.data.guid,
                "level": pool.data.level,
                "ashift": pool.data.ashift,
                "members": members,
                "spared": spared,
                "beside": auxiliary,
                "properties": pool.data.properties,
                "zvols": zvols,
            },
        )


def _exports(group: Group, path: str = "") -> Iterator[tuple[str, object]]:
    for name, attribute in group.attributes.items():
        if attribute.show and name not in _REPORTED:
            yield f"{path}/{name}", attribute.show()
    for name, target in group.links.items():
        yield f"{path}/{name}", f"-> {_named(target, target.path())}"
    for child in group.children.values():
        name = _named(child, child.name)
        yield f"{path}/{name}/", ""
        yield from _exports(child, f"{path}/{name}")


def _named(group: Group, otherwise: str) -> str:
    """A LUN of a Fibre Channel port goes by what it leads to: its number there may be another after a boot."""
    if group.kind == "lun" and group.links and "/qla2xxx/" in f"/{group.path()}":
        return f"lun of {next(iter(group.links.values())).path()}"
    return otherwise


def rows_picture(store: Store) -> Picture:
    """What the database says there is."""
    with store.read() as tx:
        return {
            "arrays": {row.name: (row.state, row.uuid, row.group_name) for row in tx.scalars(select(Array))},
            "array disks": {
                row.disk_id: (row.array_id, row.leaving, row.role) for row in tx.scalars(select(ArrayDisk))
            },
            "volumes": {row.name: (row.state, row.backing_name, row.size_bytes) for row in tx.scalars(select(Volume))},
            "deleted": {
                row.name: (row.state, row.backing_name, row.held_bytes) for row in tx.scalars(select(DeletedVolume))
            },
            "snapshots": {
                row.name: (row.state, row.backing_name, row.size_bytes) for row in tx.scalars(select(Snapshot))
            },
            "deleted snapshots": {
                row.name: (row.state, row.backing_name, row.volume_id) for row in tx.scalars(select(DeletedSnapshot))
            },
            "mappings": sorted((row.volume_id, row.lun) for row in tx.scalars(select(Mapping))),
            "targets": sorted(row.iqn for row in tx.scalars(select(Target))),
            "releases": sorted((row.kind, row.ref) for row in tx.scalars(select(ReleaseRow))),
        }


def differences(expected: object, found: object, at: str = "") -> list[str]:
    """Where two pictures differ, one line each."""
    if isinstance(expected, dict) and isinstance(found, dict):
        lines = []
        for key in sorted({*expected, *found}, key=str):
            if key not in expected:
                lines.append(f"{at}/{key} should not be there: {found[key]!r}")
            elif key not in found:
                lines.append(f"{at}/{key} is gone: {expected[key]!r}")
            else:
                lines += differences(expected[key], found[key], f"{at}/{key}")
        return lines
    return [] if expected == found else [f"{at} is {found!r} instead of {expected!r}"]
