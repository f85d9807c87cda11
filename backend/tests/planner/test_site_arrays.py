"""More disks in a document join the array that is there, under the role they have in it; none is ever taken away."""

from typing import Any

import pytest

from backend.tests.planner.test_site import ARRAY, refused, site
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.site import SiteRequest
from lunette.planner.site.difference import KnownSite, difference

POOL = {**ARRAY, "engine": "zfs", "level": "mirror", "write_hole": "copy_on_write", "log": ["nvme-D5"]}


Joins = list[tuple[str, dict[str, Any], str]]


def joining(entry: dict[str, Any], there: dict[str, Any], *destroy: str, members: int | None = None) -> Joins:
    request = SiteRequest(site=site(arrays=[entry]), destroy=destroy)
    known = KnownSite(site(arrays=[there]), members={} if members is None else {"tank": members})
    found = difference(request, known).changes
    assert {change.keys for change in found} <= {("array/tank",)}
    return [(change.verb, change.specs[0].model_dump(mode="json"), change.places[0]) for change in found]


def test_disks_join_by_their_list_and_an_array_grows_last() -> None:
    more = {**ARRAY, "disks": ["nvme-D2", "nvme-D3", "nvme-D1"], "spares": ["nvme-D4"]}
    assert joining(more, ARRAY, "disk/nvme-D4") == [
        ("add_spares", {"disks": ["nvme-D4"], "wipe": ["nvme-D4"]}, "arrays[0].spares"),
        ("grow", {"disks": ["nvme-D3"], "wipe": []}, "arrays[0].disks"),
    ]
    assert joining(more, {**more, "disks": more["disks"][::-1]}) == []


def test_a_pool_is_given_disks_in_addition_to_its_data() -> None:
    more = {**POOL, "log": ["nvme-D5", "nvme-D6"], "cache": ["nvme-D7"], "spares": ["nvme-D8"]}
    assert [(verb, spec.get("role"), spec["disks"]) for verb, spec, _ in joining(more, POOL)] == [
        ("add_spares", None, ["nvme-D8"]),
        ("add_disks", "log", ["nvme-D6"]),
        ("add_disks", "cache", ["nvme-D7"]),
    ]


def test_a_spare_of_the_array_that_became_a_member_is_not_added_again() -> None:
    """An array that stands lists a spare that took a lost disk's place among its disks."""
    there = {**ARRAY, "disks": ["nvme-D1", "nvme-D2", "nvme-D3"]}
    (found,) = joining({**ARRAY, "spares": ["nvme-D3", "nvme-D4"]}, there)
    assert found[:2] == ("add_spares", {"disks": ["nvme-D4"], "wipe": []})


def test_an_array_grows_to_as_many_members_as_the_document_lists() -> None:
    """A member that was lost and removed returns as a spare once a spare has taken its place."""
    there = {**ARRAY, "disks": ["nvme-D1", "nvme-D3"]}
    wanted = {**ARRAY, "spares": ["nvme-D3"]}
    back = ("add_spares", {"disks": ["nvme-D2"], "wipe": []}, "arrays[0].disks")
    assert joining(wanted, there, members=2) == [back]
    more = {**wanted, "disks": ["nvme-D4", *wanted["disks"]]}
    grow = ("grow", {"disks": ["nvme-D4"], "wipe": []}, "arrays[0].disks")
    assert joining(more, there, members=2) == [back, grow]


def test_more_disks_than_can_join_at_once_are_refused() -> None:
    wanted = site(arrays=[{**ARRAY, "disks": [*ARRAY["disks"], *(f"nvme-E{number}" for number in range(65))]}])
    ((field, message),) = refused(Invalid, wanted, site(arrays=[ARRAY]))
    assert (field, message.startswith("65 disks would be added to array/tank")) == ("arrays[0].disks", True)


def test_a_spare_of_a_pool_that_is_listed_as_a_member_is_a_difference() -> None:
    """ZFS does not turn a spare into a member automatically."""
    there = {**POOL, "spares": ["nvme-D8"]}
    ((verb, spec, place),) = joining({**POOL, "disks": [*POOL["disks"], "nvme-D8"]}, there)
    assert (verb, spec["disks"], place) == ("grow", ["nvme-D8"], "arrays[0].disks")
    swapped = {**there, "disks": ["nvme-D1", "nvme-D8"], "spares": ["nvme-D2"]}
    found = refused(Conflict, site(arrays=[swapped]), site(arrays=[there]))
    assert [field for field, _ in found] == ["arrays[0].disks", "arrays[0].spares"]


def test_an_omitted_list_stays_and_is_not_a_reason_to_grow() -> None:
    pool = {**POOL, "spares": ["nvme-D8"]}
    bare = {name: value for name, value in pool.items() if name not in ("spares", "log")}
    assert joining(bare, pool) == []


@pytest.mark.parametrize(
    "fewer",
    [
        {"disks": ["nvme-D1", "nvme-D3", "nvme-D4"]},
        {"disks": ["nvme-D1"]},
        {"log": ["nvme-D6"]},
        {"log": []},
        {"spares": ["nvme-D7"]},
    ],
)
def test_no_document_takes_a_disk_away_or_changes_one_for_another(fewer: dict[str, Any]) -> None:
    there = site(arrays=[{**POOL, "spares": ["nvme-D8"]}])
    found = refused(Conflict, site(arrays=[{**POOL, **fewer}]), there, "disk/nvme-D3", "array/tank")
    assert f"arrays[0].{next(iter(fewer))}" in [field for field, _ in found]
    assert all("lunette array" in message and "added to the document" in message for _, message in found)


def test_an_array_that_a_job_has_gets_no_disks() -> None:
    wanted = site(arrays=[{**ARRAY, "spares": ["nvme-D4"]}])
    ((_, message),) = refused(Conflict, wanted, site(arrays=[ARRAY]), busy={"array/tank": "stuck"})
    assert "array/tank is stuck now" in message
