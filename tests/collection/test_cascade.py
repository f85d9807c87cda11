"""A play that deletes states whether what prevents the deletion is deleted too."""

from pathlib import Path

from backend.tests.scene import make_array
from tests.collection.rig import rig


def test_a_volume_goes_with_its_mappings_if_the_play_says_so(tmp_path: Path) -> None:
    with rig(tmp_path) as at:
        make_array(at.api)
        at.api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "64MiB"})
        at.api.made("/hosts", {"name": "db", "iqns": ["iqn.2026-01.com.example:db"]})
        at.run("mapping", {"volume": "data", "host": "db"})
        gone = {"name": "data", "state": "absent", "destroy_data": True}
        refused = at.run("volume", gone)
        assert refused["failed"]
        assert "mapped to db" in refused["msg"]
        planned = at.run("volume", {**gone, "cascade": True}, check=True)
        assert [one["noun"] for one in planned["plan"]["changes"]] == ["mapping", "volume"]
        assert at.run("volume", {**gone, "cascade": True})["changed"]
        assert (at.api.items("/volumes"), at.api.items("/mappings")) == ([], [])
        assert not at.run("volume", {**gone, "cascade": True})["changed"]
