"""A volume that hosts use at this moment is taken away only by a play that says so."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.lio.iscsi import FakeSession
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.scene import ADDRESS, make_array
from tests.collection.rig import rig

IQN = "iqn.2026-01.com.example:db"
MAPPING = {"volume": "data", "host": "db"}
GONE = {**MAPPING, "state": "absent"}


@contextmanager
def writing(machine: FakeSystem, session: FakeSession) -> Iterator[None]:
    """A host that writes until the block ends, however long a play takes."""
    over = threading.Event()

    def write() -> None:
        while not over.wait(0.05):
            machine.advance(0.5)
            machine.carry(session, 1, Io(writes=500, write_bytes=2**20))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


def test_a_volume_in_use_stays_unless_the_play_lets_it_go(tmp_path: Path) -> None:
    with rig(tmp_path) as at:
        make_array(at.api)
        at.api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "64MiB"})
        at.api.made("/hosts", {"name": "db", "iqns": [IQN]})
        at.api.made("/portals", {"name": "front", "address": ADDRESS})
        at.run("mapping", MAPPING)
        at.api.until(lambda: at.api.items("/mappings")[0]["state"] == "open")
        session = at.machine.login(IQN, at.api.get("/hosts/db")["target_iqn"], f"{ADDRESS}:3260")

        def is_written_to() -> bool:
            path = f"/mappings/{at.api.items('/mappings')[0]['id']}"
            return bool(at.api.delete(path, dry_run=True).json()["volumes"][0]["busy"])

        with writing(at.machine, session):
            at.api.until(is_written_to)
            for check in (True, False):
                refused = at.run("mapping", GONE, check=check)
                assert refused["failed"]
                assert "hosts use data" in refused["msg"]
                assert "in_use: true" in refused["msg"]
            cut_off = at.run("host", {"name": "db", "iqns": []})
            assert "hosts use data" in cut_off["msg"]
        assert len(at.api.items("/mappings")) == 1
        assert at.run("mapping", {**GONE, "in_use": True})["changed"]
        assert at.api.items("/mappings") == []


def test_a_number_that_hosts_may_still_have_is_given_only_by_a_play_that_says_so(tmp_path: Path) -> None:
    with rig(tmp_path) as at:
        make_array(at.api)
        for name in ("data", "next"):
            at.api.made("/volumes", {"name": name, "array": "tank", "size_bytes": "64MiB"})
        at.api.made("/hosts", {"name": "db", "iqns": [IQN]})
        at.run("mapping", MAPPING)
        at.run("mapping", GONE)
        spec = {"volume": "next", "host": "db", "lun": 1}
        refused = at.run("mapping", spec)
        assert refused["failed"]
        assert "LUN 1 of db (volume data)" in refused["msg"]
        assert "in_use: true" in refused["msg"]
        assert at.api.items("/mappings") == []
        assert at.run("mapping", {**spec, "in_use": True})["changed"]
        assert at.api.items("/mappings")[0]["lun"] == 1
