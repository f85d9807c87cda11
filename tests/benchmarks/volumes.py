"""`python -m tests.benchmarks.volumes [VOLUMES…]`: many volumes as one change, and one change where there are many.

On user-mode Linux, one CPU, on an array of four disks with LVM. The sizes are created one after the other, each in
addition to those before; all of it is deleted in the end, in the same parts.
"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence

from lunette.client import Client
from lunette.domain.volumes import MAX_BATCH
from tests.benchmarks.output import power, print_kernel, print_table
from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB
from tests.machines.uml import Uml

SIZES = (100, 300, 1_000)
VOLUME_BYTES = 4 * MIB
HOSTS = 4
"""A host has at most 256 LUNs."""
STEPS = ("created", "each created", "reading", "dry run", "mapping", "boot", "deleted", "each deleted")
COLUMNS = ("volumes", "new", *(f"{step} s" for step in STEPS))
_DISK_MIB, _REPEATED, _DEADLINE_S, _BOOT_S = 4096, 3, 7200.0, 1200.0
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
                print_table(f"Volumes, {kind}", COLUMNS, [*map(_cells, rows), *_powers(rows)])
    return 0


def _prepare(made: Appliance) -> None:
    client = made.client
    client.patch("/settings", {"deleted_keep_hours": 0})
    client.wait(client.post("/arrays", {"name": "tank", "level": "raid10", "disks": made.disk_ids("ubd")}))
    for number in range(HOSTS):
        client.post("/hosts", {"name": f"host{number}", "iqns": [f"iqn.2026-01.com.example:host{number}"]})
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
        row: Row = {"volumes": size, "new": size - there}
        rows.append(row)
        row["created"] = _seconds(lambda batch=batch: _finish(client, "create-batch", batch))  # type: ignore[misc]
        row["each created"] = row["created"] / row["new"]
        row["reading"] = _median(lambda: client.get("/disks"))
        row["dry run"] = _median(lambda: client.post("/volumes", {**shape, "name": "one"}, dry_run=True))
        row["mapping"] = _median(lambda: _map(client, kind), lambda: _unmap(client))
        row["boot"] = _boot(made, [f"{kind}{number:05}" for number in range(1, size + 1)])
        there = size
    for row in reversed(rows):
        names = [f"{kind}{number:05}" for number in range(there - int(row["new"]) + 1, there + 1)]
        row["deleted"] = _seconds(lambda names=names: _finish(client, "delete-batch", {"volumes": names}))  # type: ignore[misc]
        row["each deleted"] = row["deleted"] / row["new"]
        there -= len(names)


def _finish(client: Client, verb: str, body: dict[str, object]) -> None:
    client.wait(client.post(f"/volumes:{verb}", body), deadline_s=_DEADLINE_S)


def _map(client: Client, kind: str) -> None:
    """Until hosts can use the volume."""
    mapping = client.post("/mappings", {"volume": f"{kind}00001", "host": "host0"})
    wait_until("it is served", lambda: client.get(f"/mappings/{mapping['id']}")["state"] == "open", pause_s=0.02)


def _unmap(client: Client) -> None:
    ids = [str(mapping["id"]) for mapping in client.list("/mappings")]
    for first in range(0, len(ids), MAX_BATCH):
        client.post("/mappings:delete-batch", {"mappings": ids[first : first + MAX_BATCH]})


def _boot(made: Appliance, volumes: Sequence[str]) -> float:
    """From the start of the machine until every volume is served to its host. None is mapped before and afterward."""
    client = made.client
    split = {"volumes": list(volumes), "hosts": [f"host{number}" for number in range(HOSTS)]}
    client.post("/mappings:create-batch", {"split": split})
    _wait_for_all(client, len(volumes))
    made.machine.stop()
    began = time.monotonic()
    made.machine.start()
    made.wait_for_api(_BOOT_S)
    _wait_for_all(client, len(volumes))
    took = time.monotonic() - began
    _unmap(client)
    return took


def _wait_for_all(client: Client, count: int) -> None:
    def are_served() -> bool:
        states = [mapping["state"] for mapping in client.list("/mappings")]
        return len(states) == count and set(states) == {"open"}

    wait_until("every volume is served", are_served, deadline_s=_BOOT_S)


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
    return [
        f"{row['volumes']:,.0f}",
        f"{row['new']:,.0f}",
        *(f"{row[step]:.2f}" if step in row else "" for step in STEPS),
    ]


def _powers(rows: Sequence[Row]) -> list[list[str]]:
    """One line: the exponent by which each figure grows with the number of volumes."""
    if len(rows) < 2:
        return []
    return [["power", "", *(power([(row["volumes"], row[step]) for row in rows if step in row]) for step in STEPS)]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
