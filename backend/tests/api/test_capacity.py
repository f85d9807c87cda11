"""Space is counted the same way for every engine and everywhere: used and free space add up to the usable space."""

from typing import Any

import pytest

from backend.tests.scene import disk_ids
from backend.tests.wiring import Api
from lunette.domain.sizes import GIB, MIB
from lunette.domain.volumes import EXTENT_BYTES
from lunette.engine.context.known_arrays import capacity
from lunette.store.resources import Array

SIZE = 64 * MIB
ARRAYS: dict[str, dict[str, Any]] = {
    "md": {"level": "raid5", "disks": 4},
    "encrypted md": {"level": "raid1", "disks": 2, "encryption": "luks2", "passphrase": "correct horse battery"},
    "lvm": {"engine": "lvm", "level": "raid1", "disks": 2},
    "external": {"engine": "external", "level": "external", "disks": 1},
    "raidz2": {"engine": "zfs", "level": "raidz2", "disks": 6},
    "mirror with a log": {"engine": "zfs", "level": "mirror", "disks": 2, "log": 1, "spares": 1},
    "draid": {"engine": "zfs", "level": "draid1", "disks": 5},
}
ROLES = ("disks", "log", "spares")


def made(appliance: Api, spec: dict[str, Any]) -> Any:
    free = iter(disk_ids(appliance))
    chosen = {role: [next(free) for _ in range(spec[role])] for role in ROLES if role in spec}
    appliance.made("/arrays", {"name": "tank", **spec, **chosen})
    return appliance.get("/arrays/tank")


def check(shown: Any) -> None:
    """Nothing is left over, and nothing is counted twice."""
    assert shown["used_bytes"] + shown["free_bytes"] == shown["usable_bytes"]
    assert 0 <= shown["used_bytes"] <= shown["usable_bytes"]


@pytest.mark.parametrize("spec", ARRAYS.values(), ids=ARRAYS)
def test_used_and_free_space_are_the_usable_space(appliance: Api, spec: dict[str, Any]) -> None:
    empty = made(appliance, spec)
    check(empty)
    assert empty["used_bytes"] == 0, "what the array keeps for itself is no space for volumes"
    appliance.made("/volumes", {"name": "thick", "array": "tank", "size_bytes": SIZE})
    thick = appliance.get("/arrays/tank")
    check(thick)
    assert thick["usable_bytes"] == empty["usable_bytes"]
    assert SIZE <= thick["used_bytes"] < SIZE + 8 * MIB
    (listed,) = appliance.items("/arrays")
    figures = ("usable_bytes", "used_bytes", "free_bytes")
    assert [listed[key] for key in figures] == [thick[key] for key in figures]
    thin = {"name": "thin", "array": "tank", "size_bytes": SIZE, "provisioning": "thin"}
    appliance.made("/volumes", thin)
    check(appliance.get("/arrays/tank"))


@pytest.mark.parametrize("name", [name for name, spec in ARRAYS.items() if spec.get("engine") != "zfs"])
def test_the_capacity_is_the_planned_one(appliance: Api, name: str) -> None:
    """LVM aligns its metadata by the device, so the group may have an extent or two more than is certain."""
    spec = ARRAYS[name]
    disks = disk_ids(appliance)[: spec["disks"]]
    layouts = appliance.get("/layouts", disks=disks)["layouts"]
    planned = next(
        one["usable_bytes"]
        for one in layouts
        if (one["engine"], one["level"]) == (spec.get("engine", "md"), spec["level"])
    )
    shown = made(appliance, spec)["usable_bytes"]
    header = 16 * MIB if "encryption" in spec else 0
    assert 0 <= shown - (planned - header) <= 2 * EXTENT_BYTES


@pytest.mark.parametrize(
    ("engine", "encryption", "less"),
    [("md", None, 0), ("md", "luks2", 16 * MIB), ("zfs", None, 0), ("external", None, 0), ("lvm", None, 0)],
)
def test_an_array_that_does_not_run_has_the_capacity_it_was_planned_with(
    engine: str, encryption: str | None, less: int
) -> None:
    row = Array(engine=engine, size_bytes=GIB, encryption=encryption)
    plain = Array(engine=engine, size_bytes=GIB, encryption=None)
    assert capacity(plain) - capacity(row) == less
    assert capacity(plain) == GIB if engine == "zfs" else GIB - 64 * MIB < capacity(plain) < GIB
