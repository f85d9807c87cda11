"""The example playbook of the lab's scene: in check mode on an empty appliance, for real, and again."""

import json
import re
from collections.abc import Iterator

import pytest

from backend.tests.wiring import Api
from tests.collection.playing import COLLECTION, Player, take_away

pytestmark = pytest.mark.timeout(300)
_BOOK = COLLECTION / "playbooks/scene.yml"
# Fewer volumes than the lab, since each is a run of a module.
_VALUES = {
    "lunette_volumes": 2,
    "lunette_hosts": ["esx1", "esx4"],
    "lunette_volume_size": "8MiB",
    "lunette_portal_address": "192.0.2.1",
}
_SMALLER = ("-e", json.dumps(_VALUES))


@pytest.fixture(autouse=True)
def _takes_away(api: Api) -> Iterator[None]:
    yield
    take_away(api)


def test_the_scene_is_provisioned_and_the_second_run_changes_nothing(player: Player, api: Api) -> None:
    checked = player.run(_BOOK, "--check", *_SMALLER)
    assert re.search(r"changed=5 .*failed=0", checked), checked
    assert "could not be planned" in checked, "volumes of an array that is not there yet cannot be planned"
    assert [api.items(path) for path in ("/arrays", "/volumes", "/hosts", "/portals", "/mappings")] == [[]] * 5
    made = player.run(_BOOK, *_SMALLER)
    assert re.search(r"changed=5 .*failed=0", made), made
    shown = {(one["host"], one["volume"], one["lun"]) for one in api.items("/mappings")}
    assert shown == {("esx1", "lun01", 1), ("esx4", "lun02", 1)}
    assert [host["chap"] for host in api.items("/hosts")] == [{"user": "esx1", "mutual_user": "lunette"}, None]
    again = player.run(_BOOK, *_SMALLER)
    assert re.search(r"changed=0 .*failed=0", again), again
    assert "secret-12" not in checked + made + again
