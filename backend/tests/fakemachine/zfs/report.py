"""What `zpool status -j` and `zfs list -j` of OpenZFS 2.3 print, as far as the product reads it."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from backend.tests.fakemachine.zfs.pools import SCAN_SECONDS, AuxiliaryVdev, FakeZvol, ImportedPool, Member, PoolData
from backend.tests.fakemachine.zfs.vdevs import top_guid

Row = dict[str, Any]
_NONE = {"referenced": "0", "origin": "-", "volmode": "-"}


def _version(command: str) -> Row:
    return {"output_version": {"command": command, "vers_major": 0, "vers_minor": 1}}


def status(pools: Sequence[ImportedPool], now: float) -> str:
    """`zpool status -j --json-int`."""
    return json.dumps({**_version("zpool status"), "pools": {pool.data.name: _pool(pool, now) for pool in pools}})


def _pool(pool: ImportedPool, now: float) -> Row:
    data, state = pool.data, pool.state()
    leaves = {row["name"]: row for row in _slots(pool)}
    if pairs := pool.pair_states():
        legs = [*leaves.items()]
        leaves = {
            f"mirror-{at}": _vdev(f"mirror-{at}", "mirror", 1 + at, state) | {"vdevs": dict(legs[2 * at : 2 * at + 2])}
            for at, state in enumerate(pairs)
        }
    elif data.level != "stripe":
        kind = data.level if data.level == "mirror" else data.level[:5]
        leaves = {f"{data.level}-0": _vdev(f"{data.level}-0", kind, 1, pool.data_state()) | {"vdevs": leaves}}
    root = _vdev(data.name, "root", data.guid, state) | {"vdevs": leaves}
    row: Row = {
        "name": data.name,
        "state": state,
        "pool_guid": data.guid,
        "txg": 6,
        "spa_version": 5000,
        "zpl_version": 5,
        "vdevs": {data.name: root},
        "error_count": 0,
    }
    groups = {"log": "logs", "special": "special", "cache": "l2cache", "spare": "spares"}
    auxiliary = {group: rows for kind, group in groups.items() if (rows := dict(_auxiliary(pool, kind)))}
    if data.distributed:
        states = {name: "INUSE" if name in data.distributed_in.values() else "AVAIL" for name in data.distributed}
        spares = {name: _distributed(name, state) for name, state in states.items()}
        auxiliary["spares"] = spares | auxiliary.get("spares", {})
    return row | auxiliary | ({"scan_stats": _scan(pool, now)} if pool.scan else {})


def _distributed(name: str, state: str) -> Row:
    return _vdev(name, "dspare", 7000 + int(name.rpartition("-")[2]), state) | {"path": name}


def _auxiliary(pool: ImportedPool, kind: str) -> Iterator[tuple[str, Row]]:
    """The auxiliary vdevs of one class."""
    for vdev in pool.data.auxiliary:
        if vdev.kind != kind:
            continue
        leaves = {row["name"]: row for row in (_auxiliary_leaf(pool, vdev, guid) for guid in vdev.guids)}
        if len(vdev.guids) == 1:
            yield from leaves.items()
            continue
        states = [guid in pool.auxiliary for guid in vdev.guids]
        state = "ONLINE" if all(states) else "DEGRADED" if any(states) else "UNAVAIL"
        name = f"mirror-{vdev.number}"
        yield name, _vdev(name, "mirror", top_guid(vdev), state) | {"vdevs": leaves}


def _auxiliary_leaf(pool: ImportedPool, vdev: AuxiliaryVdev, guid: int) -> Row:
    member, new = pool.auxiliary.get(guid), pool.auxiliary_filling.get(guid)
    lost = _vdev(str(guid), "disk", guid, "UNAVAIL" if vdev.is_nameless else "REMOVED")
    row = _leaf(member) if member else lost | {"path": pool.data.paths[guid]}
    if member and vdev.kind == "spare":
        row |= {"state": "INUSE" if guid in pool.data.spared.values() else "AVAIL"}
    if new:
        both = {leaf["name"]: leaf for leaf in (row, _leaf(new))}
        row = _vdev(f"replacing-{guid}", "replacing", guid // 2 + 2, "ONLINE") | {"vdevs": both}
    return row


def _slots(pool: ImportedPool) -> Iterator[Row]:
    for slot, guid in enumerate(pool.data.slots):
        member, new = pool.members.get(slot), pool.filling.get(slot)
        away = "CANT_OPEN" if slot in pool.absent else "REMOVED"
        lost = _vdev(str(guid), "disk", guid, "FAULTED" if slot in pool.given_up else away)
        row = _leaf(member) if member else lost | {"path": pool.data.paths[guid]}
        if new:
            both = {leaf["name"]: leaf for leaf in (row, _leaf(new))}
            row = _vdev(f"replacing-{slot}", "replacing", 2 + slot, "ONLINE") | {"vdevs": both}
        if (spare := pool.auxiliary.get(pool.data.spared.get(slot, 0))) is not None:
            both = {leaf["name"]: leaf for leaf in (row, _leaf(spare))}
            row = _vdev(f"spare-{slot}", "spare", 100 + slot, "ONLINE" if member else "DEGRADED") | {"vdevs": both}
        if name := pool.data.distributed_in.get(slot):
            both = {row["name"]: row, name: _distributed(name, "ONLINE")}
            row = _vdev(f"spare-{slot}", "spare", 200 + slot, "ONLINE" if member else "DEGRADED") | {"vdevs": both}
        yield row


def _leaf(member: Member) -> Row:
    path = member.label.data.paths[member.label.vdev_guid]
    name = path.rpartition("/")[2].removesuffix("-part1")
    row = _vdev(name, "disk", member.label.vdev_guid, "ONLINE") | {"checksum_errors": member.checksum_errors}
    size = next(part.media.size_bytes for part in member.disk.partitions if part.number == 1)
    return row | {"path": path, "phys_space": size}


def _vdev(name: str, kind: str, guid: int, state: str) -> Row:
    """JSON has CANT_OPEN where people read UNAVAIL (vdev_state_str, cmd/zpool/zpool_main.c)."""
    counts = {"read_errors": 0, "write_errors": 0, "checksum_errors": 0}
    reported = "CANT_OPEN" if state == "UNAVAIL" else state
    return {"name": name, "vdev_type": kind, "guid": guid, "class": "normal", "state": reported, **counts}


def _scan(pool: ImportedPool, now: float) -> Row:
    share = min(1.0, (now - pool.scan_started) / SCAN_SECONDS) if pool.is_scanning else 1.0
    total = max(1, pool.data.used_bytes())
    return {
        "function": pool.scan,
        "state": "SCANNING" if pool.is_scanning else "FINISHED",
        "start_time": int(pool.scan_started),
        "to_examine": total,
        "examined": int(total * share),
        "issued": int(total * share),
        "issued_bytes_per_scan": int(total * share),
        "pass_start": int(pool.scan_started),
        "errors": 0,
        "processed": 0,
    }


def datasets(pools: Sequence[PoolData], fields: Sequence[str], *, is_deep: bool) -> str:
    """`zfs list -j -p -t filesystem,volume,snapshot -o FIELDS`; the roots alone unless it is deep."""
    found = {}
    for data in pools:
        free = data.size_bytes - data.used_bytes()
        root = {"available": str(free), "used": str(data.used_bytes()), "volsize": "-", "refreservation": "0"} | _NONE
        found[data.name] = _dataset(data.name, "FILESYSTEM", root, fields, data.properties, {})
        for name, zvol in data.zvols.items() if is_deep else ():
            full = f"{data.name}/{name}"
            found[full] = _dataset(full, "VOLUME", _sizes(zvol, free), fields, zvol.properties, data.properties)
            for short, snapshot in zvol.snapshots.items():
                sizes = {
                    "available": "-",
                    "used": "0",
                    "volsize": str(snapshot.size_bytes),
                    "refreservation": "-",
                } | _NONE
                of = f"{full}@{short}"
                inherited = data.properties | zvol.properties
                found[of] = _dataset(of, "SNAPSHOT", sizes, fields, snapshot.properties, inherited)
    return json.dumps({**_version("zfs list"), "datasets": found})


def _sizes(zvol: FakeZvol, free: int) -> dict[str, str]:
    used = 0 if zvol.is_thin else zvol.size_bytes
    return {
        "available": str(free),
        "used": str(used),
        "volsize": str(zvol.size_bytes),
        "refreservation": str(used),
        "referenced": "0",
        "origin": zvol.origin or "-",
        "volmode": "default",
    }


def _dataset(
    name: str, kind: str, sizes: dict[str, str], fields: Sequence[str], own: dict[str, str], parent: dict[str, str]
) -> Row:
    properties: Row = {}
    for word in fields:
        if ":" not in word:
            value = name if word == "name" else own.get(word) or sizes[word]
            properties[word] = {"value": value, "source": _source("LOCAL" if word in own else "NONE")}
        elif word not in own and word in parent:
            properties[word] = {"value": parent[word], "source": _source("INHERITED")}
        else:
            properties[word] = {"value": own.get(word, "-"), "source": _source("LOCAL")}
    return {"name": name, "type": kind, "pool": name.partition("/")[0], "createtxg": "1", "properties": properties}


def _source(kind: str) -> dict[str, str]:
    return {"type": kind, "data": "-"}
