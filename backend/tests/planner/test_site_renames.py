"""`renamed_from` renames an existing object, and everything that names it still means the same object."""

from typing import Any

import pytest
from pydantic import ValidationError

from backend.tests.planner.test_site import EMPTY, FULL, GROUP, HOST, MAPPING, VOLUME, changes, refused, shown, site
from lunette.domain.errors import Conflict
from lunette.domain.site import SiteRequest
from lunette.domain.volumes import VolumePatch
from lunette.planner.site.difference import KnownSite, difference

SNAPSHOTS = {
    "name": "nightly",
    "action": "snapshot",
    "volumes": ["v"],
    "when": "0 2 * * *",
    "keep": {"last": 3},
}
THERE: dict[str, Any] = {**FULL, "host_groups": [GROUP], "schedules": [SNAPSHOTS]}
NEW: dict[str, Any] = {
    **FULL,
    "volumes": [{**VOLUME, "name": "w", "renamed_from": "v"}],
    "hosts": [{**HOST, "name": "k", "renamed_from": "h"}],
    "host_groups": [{**GROUP, "name": "f", "renamed_from": "g", "hosts": ["k"]}],
    "mappings": [{**MAPPING, "volume": "w", "host": "k"}],
    "schedules": [{**SNAPSHOTS, "name": "late", "renamed_from": "nightly", "volumes": ["w"]}],
}


def test_everything_that_can_be_renamed_is_and_nothing_else_changes() -> None:
    found = changes(site(**NEW), site(**THERE))
    assert shown(found) == ["patch volume/v", "patch host/h", "patch host-group/g", "patch schedule/nightly"]
    assert found[0].specs == (VolumePatch(name="w"),)
    assert found[0].places == ("volumes[0]",)


def test_applied_again_it_renames_nothing() -> None:
    there = {section: [{**one, "renamed_from": None} for one in NEW[section]] for section in ("volumes", "hosts")}
    assert changes(site(**NEW), site(**{**NEW, **there})) == ()
    assert shown(changes(site(**NEW), site(**EMPTY)))[:2] == ["create array/tank", "create volume/w"]


def test_what_else_differs_changes_under_the_new_name() -> None:
    wanted = {**VOLUME, "name": "w", "renamed_from": "v", "size_bytes": "128MiB", "description": "x"}
    found = changes(site(volumes=[wanted]), site(**THERE))
    assert shown(found) == ["patch volume/v", "grow volume/w", "patch volume/w"]


def test_what_is_taken_away_is_named_by_its_new_name() -> None:
    wanted = site(volumes=NEW["volumes"], mappings=[])
    assert shown(changes(wanted, site(**THERE), "mapping/w/host/h")) == ["patch volume/v", "delete mapping/w/host/h"]
    request = SiteRequest(site=wanted, destroy=("volume/v",))
    found = difference(request, KnownSite(site(**THERE)))
    assert shown(found.changes) == ["patch volume/v"]
    assert any("but not found: volume/v" in note for note in found.notes)


def test_a_name_that_exists_already_is_left_alone_and_reported() -> None:
    there = site(**{**THERE, "volumes": [VOLUME, {**VOLUME, "name": "w"}]})
    found = difference(SiteRequest(site=site(volumes=NEW["volumes"])), KnownSite(there))
    assert found.changes == ()
    assert any("Nothing is renamed to volume/w" in note for note in found.notes)


def test_out_of_scope_nothing_is_renamed() -> None:
    assert shown(changes(site(**NEW), site(**THERE), scope=("host/k",))) == ["patch volume/v", "patch host/h"]
    assert changes(site(**NEW), site(**THERE), scope=("portal/p",)) == ()


def test_what_a_job_has_is_renamed_only_once_it_is_over() -> None:
    found = refused(Conflict, site(volumes=NEW["volumes"]), site(**THERE), busy={"volume/v": "changing"})
    assert found[0][1].startswith("volume/w is changing now")


@pytest.mark.parametrize(
    ("volumes", "words"),
    [
        ([{**VOLUME, "renamed_from": "v"}], "is the same as name"),
        ([{**VOLUME, "name": "w", "renamed_from": "v"}, VOLUME], "volume/v is in the document"),
        ([{**VOLUME, "name": n, "renamed_from": "v"} for n in "wx"], "2 entries of volumes"),
        (
            [{**VOLUME, "name": "a", "renamed_from": "b"}, {**VOLUME, "name": "b", "renamed_from": "a"}],
            "is in the document",
        ),
    ],
)
def test_a_name_that_could_mean_two_things_is_refused(volumes: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        site(volumes=volumes)
