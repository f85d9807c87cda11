"""Every example playbook: a check changes nothing, it does what it says, and the second run does nothing."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from backend.tests.wiring import Api
from tests.collection.playing import COLLECTION, Player, take_away

pytestmark = pytest.mark.timeout(240)
BOOKS = {path.stem: path for path in sorted((COLLECTION / "playbooks").glob("*.yml"))}
ELSEWHERE = {
    "scene": "tests/collection/test_scene.py",
    "bare_servers": "tests/e2e/test_playbook.py",
}
"""Playbooks that another test runs."""


@pytest.fixture(scope="module", autouse=True)
def _tank(api: Api) -> Iterator[None]:
    """An array for the playbooks; all that they created is removed afterward."""
    disks = [disk["id"] for disk in api.items("/disks", transport="nvme")]
    api.made("/arrays", {"name": "tank", "level": "raid6", "disks": disks[:5]})
    yield
    take_away(api)


def _run(player: Player, book: str, *flags: str, **values: Any) -> tuple[str, int]:
    """(what was printed, how many tasks changed something) of a play that must succeed."""
    printed = player.run(BOOKS[book], "-e", json.dumps(values), *flags)
    found = re.search(r"localhost .*changed=(\d+) .*failed=0", printed)
    assert found, printed
    return printed, int(found[1])


def _thrice(player: Player, book: str, **values: Any) -> str:
    """Check, run, run again; what the run printed."""
    would = _run(player, book, "--check", **values)[1]
    printed, changed = _run(player, book, **values)
    assert would == changed > 0
    assert _run(player, book, **values)[1] == 0
    return printed


def test_every_playbook_is_run_by_a_test() -> None:
    named = {name.removeprefix("test_").removesuffix("_is_played") for name in globals() if name.endswith("_is_played")}
    assert set(BOOKS) == named | set(ELSEWHERE)


@pytest.mark.parametrize("book", ["bare_servers", "scene"])
def test_a_playbook_that_is_run_elsewhere_can_be_read(player: Player, book: str) -> None:
    printed = player.run(BOOKS[book], "--syntax-check")
    assert f"playbook: {BOOKS[book]}" in printed, printed


@pytest.mark.slow
def test_esxi_fibre_channel_is_played(player: Player, api: Api) -> None:
    values = {"lunette_datastores": {"datastore1": "1GiB"}, "lunette_wwpns": {"esx1": ["10:00:00:10:9b:00:00:01"]}}
    _thrice(player, "esxi_fibre_channel", **values)
    (mapping,) = api.items("/mappings", volume="datastore1")
    assert (mapping["host_group"], mapping["family"]) == ("vsphere-a", "scsi")
    assert api.items("/fc-ports")[0]["mode"] == "target"


@pytest.mark.slow
def test_proxmox_nvme_is_played(player: Player, api: Api) -> None:
    nqns = {"pve1": "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-000000000001"}
    values = {"lunette_volume_size": "1GiB", "lunette_addresses": {"pve-a": "192.0.2.1"}, "lunette_nqns": nqns}
    _thrice(player, "proxmox_nvme", **values)
    (mapping,) = api.items("/mappings", volume="pve-disks")
    assert (mapping["host_group"], mapping["family"]) == ("pve", "nvme")
    lists = {file["path"]: file["content"] for file in api.get("/hosts/pve1/kit")["files"]}
    assert lists["/etc/lunette-host/nvme-portals"].startswith(f"{mapping['subsystem_nqn']} 192.0.2.1 4420 tcp ")


@pytest.mark.slow
def test_replace_disk_is_played(player: Player, api: Api) -> None:
    values = {"lunette_wait_minutes": 0}
    assert _run(player, "replace_disk", **values)[1] == 0, "nothing has failed yet"
    api.until(lambda: api.get("/arrays/tank")["health"] == "clean", deadline_s=120)
    failed = api.get("/arrays/tank")["members"][0]["disk_id"]
    api.made("/arrays/tank:fail", {"disk": failed})
    api.until(lambda: _state(api, failed) == "faulty")
    _thrice(player, "replace_disk", **values)
    assert failed not in {
        member["disk_id"] for member in api.get("/arrays/tank")["members"] if member["state"] == "in_sync"
    }
    assert len(api.get("/arrays/tank")["members"]) >= 5


def _state(api: Api, disk: str) -> str:
    return str(next(one["state"] for one in api.get("/arrays/tank")["members"] if one["disk_id"] == disk))


@pytest.mark.slow
def test_snapshot_before_upgrade_is_played(player: Player, api: Api) -> None:
    for name in ("db01", "db02"):
        api.made("/volumes", {"name": name, "array": "tank", "size_bytes": "8MiB", "provisioning": "thin"})
    _thrice(player, "snapshot_before_upgrade")
    assert {one["name"] for one in api.items("/snapshots")} == {"db01-before-2.0", "db02-before-2.0"}
