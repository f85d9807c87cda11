"""`python -m tests.benchmarks.volumes [VOLUMES…]`: many volumes as one change, and one change where there are many.

On user-mode Linux, one CPU, on an array of four disks with LVM. The sizes are created one after the other, each in
addition to those before; all of it is deleted in the end, in the same parts.
"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence

from lunette.client import Client
from tests.benchmarks.output import print_kernel, print_table
from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB
from tests.machines.uml import Uml

SIZES = (100, 300, 1_000)
VOLUME_BYTES = 4 * MIB
COLUMNS = ("volumes", "new", "created s", "each s", "reading s", "dry run s", "mapping s", "deleted s", "each s")
_DISK_MIB, _REPEATED, _DEADLINE_S = 4096, 3, 7200.0
_AGE_S = 2.5
"""Older readings of the machine are not used for a plan."""
Row = dict[str, float]


def main(words: Sequence[str]) -> int:
    """Boots once, measures thin volumes, and thick ones where asked for, and prints one table for each."""
    kinds = [word for word in words if not word.isdigit()] or ["thin"]
    sizes = sorted(int(word) for word in words if word.isdigit()) or SIZES
    with appliance(Uml("volumes", disks=4, disk_mib=_DISK_MIB, memory_mib=2048)) as made:
        print_kernel(f"{made.machine.check('uname -r').strip()} (user-mode)")
        _prepare(made)
        for kind in kinds:
            rows: list[Row] = []
            try:
                _measure(made, kind, sizes, rows)
            finally:
                print_table(f"Volumes, {kind}", COLUMNS, [_cells(row) for row in rows])
    return 0


def _prepare(made: Appliance) -> None:
    client = made.client
    client.patch("/settings", {"deleted_keep_hours": 0})
    client.wait(client.post("/arrays", {"name": "tank", "level": "raid10", "disks": made.disk_ids("ubd")}))
    client.post("/hosts", {"name": "host", "iqns": ["iqn.2026-01.com.example:host"]})
    client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": 3260})
    wait_until("the first resync is over", lambda: not _is_syncing(client), deadline_s=600)


def _is_syncing(client: Client) -> bool:
    return bool(client.get("/arrays/tank")["observed"]["progress"])


def _measure(made: Appliance, kind: str, sizes: Sequence[int], rows: list[Row]) -> None:
    client, there = made.client, 0
    shape = {"array": "tank", "size_bytes": VOLUME_BYTES, "provisioning": kind}
    for size in sizes:
        print(f"  … {size - there:,} more, {size:,} in all", flush=True)
        batch = {**shape, "name_pattern": f"{kind}%05d", "first": there + 1, "count": size - there}
        row = {"volumes": size, "new": size - there}
        rows.append(row)
        row["created"] = _seconds(lambda batch=batch: _finish(client, "create-batch", batch))  # type: ignore[misc]
        row["reading"] = _median(lambda: client.get("/disks"))
        row["dry run"] = _median(lambda: client.post("/volumes", {**shape, "name": "one"}, dry_run=True))
        row["mapping"] = _median(lambda: _map(client, kind), lambda: _unmap(client))
        there = size
    for row in reversed(rows):
        names = [f"{kind}{number:05}" for number in range(there - int(row["new"]) + 1, there + 1)]
        row["deleted"] = _seconds(lambda names=names: _finish(client, "delete-batch", {"volumes": names}))  # type: ignore[misc]
        there -= len(names)


def _finish(client: Client, verb: str, body: dict[str, object]) -> None:
    client.wait(client.post(f"/volumes:{verb}", body), deadline_s=_DEADLINE_S)


def _map(client: Client, kind: str) -> None:
    """Until hosts can use the volume."""
    mapping = client.post("/mappings", {"volume": f"{kind}00001", "host": "host"})
    wait_until("it is served", lambda: client.get(f"/mappings/{mapping['id']}")["state"] == "open", pause_s=0.02)


def _unmap(client: Client) -> None:
    for mapping in client.list("/mappings"):
        client.delete(f"/mappings/{mapping['id']}")


def _median(what: Callable[[], object], after: Callable[[], object] = lambda: None) -> float:
    """Of several, each with a reading of the machine that is too old."""
    found = []
    for _ in range(_REPEATED):
        time.sleep(_AGE_S)
        found.append(_seconds(what))
        after()
    return statistics.median(found)


def _seconds(what: Callable[[], object]) -> float:
    began = time.monotonic()
    what()
    return time.monotonic() - began


def _cells(row: Row) -> list[str]:
    def shown(name: str, per: float = 1.0) -> str:
        return f"{row[name] / per:.2f}" if name in row else ""

    made = [
        shown("created"),
        shown("created", row["new"]),
        *(shown(name) for name in ("reading", "dry run", "mapping")),
    ]
    return [f"{row['volumes']:,.0f}", f"{row['new']:,.0f}", *made, shown("deleted"), shown("deleted", row["new"])]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
