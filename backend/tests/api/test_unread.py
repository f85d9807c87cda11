"""What cannot be read affects only its own view: an alert names it, none of it is reported missing, the rest works."""

import functools
import json
from collections.abc import Sequence
from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import Api

WHOLE = {"clean", "resyncing"}
LVM = "  Error reading device /dev/sdx at 0 length 512.\n"


def disks(api: Api, count: int) -> list[str]:
    return [disk["id"] for disk in api.items("/disks") if disk["state"] == "free"][:count]


def array(api: Api, name: str, **spec: Any) -> None:
    api.done(api.made("/arrays", {"name": name, "disks": disks(api, 2), **spec}))


@pytest.fixture
def standing(appliance: Api) -> Api:
    """An md array and a pool, with a volume each."""
    array(appliance, "mirror", level="raid1")
    array(appliance, "tank", level="mirror", engine="zfs")
    for name in ("mirror", "tank"):
        appliance.done(appliance.made("/volumes", {"name": f"on-{name}", "array": name, "size_bytes": 1 << 26}))
    return appliance


def alerts(api: Api) -> dict[str, str]:
    return {one["key"]: one["message"] for one in api.items("/alerts") if one["resolved_at"] is None}


def health(api: Api) -> dict[str, str]:
    return {one["name"]: one["health"] for one in api.items("/arrays")}


def test_a_pool_that_cannot_be_read_is_unknown_and_the_rest_continues(standing: Api, machine: FakeSystem) -> None:
    real = machine.tools.command("zpool")

    def odd(argv: Sequence[str]) -> tuple[int, str, str]:
        code, out, err = real(argv)
        if argv[1] != "status":
            return code, out, err
        reported = json.loads(out)
        for pool in reported["pools"].values():
            del pool["vdevs"]
        return code, json.dumps(reported), err

    machine.tools.add("zpool", odd)
    machine.changed()
    standing.until(lambda: health(standing)["tank"] == "unknown")
    assert health(standing)["mirror"] in WHOLE
    assert {disk["state"] for disk in standing.items("/disks") if disk["array"] == "tank"} == {"member"}
    assert standing.get("/drift")["items"] == []
    refused = standing.delete("/volumes/on-tank")
    assert refused.status_code == 409
    assert "cannot be read now" in refused.json()["detail"]
    assert standing.delete("/arrays/tank").status_code == 409
    standing.done(standing.made("/volumes", {"name": "another", "array": "mirror", "size_bytes": 1 << 26}))
    (pool,) = machine.zfs.imported
    standing.until(lambda: f"agent.unread:zfs:{pool}" in alerts(standing))
    assert not [key for key in alerts(standing) if key.startswith("array.")]
    machine.tools.add("zpool", real)
    machine.changed()
    standing.until(lambda: health(standing)["tank"] == "clean")
    standing.until(lambda: f"agent.unread:zfs:{pool}" not in alerts(standing))
    standing.done(standing.delete("/volumes/on-tank").json())


def _say(answer: tuple[int, str, str], _argv: Sequence[str]) -> tuple[int, str, str]:
    return answer


def test_groups_that_lvm_omitted_are_not_missing(standing: Api, machine: FakeSystem) -> None:
    for tool, row in (("vgs", "vg"), ("lvs", "lv")):
        answer = 5, json.dumps({"report": [{row: []}]}), LVM
        machine.tools.add(tool, functools.partial(_say, answer))
    machine.changed()
    standing.until(lambda: not standing.get("/drift")["complete"])
    assert set(health(standing).values()) <= WHOLE
    assert standing.get("/drift")["items"] == []
    assert standing.delete("/volumes/on-mirror").status_code == 409
    standing.done(standing.delete("/volumes/on-tank").json())
