"""Plans for portals: own addresses only, no two listeners on one port."""

from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner.test_arrays import identities
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.mappings import ExportEngine, PortalCreate
from lunette.planner import portals
from lunette.planner.portals import KnownPortal, NewPortal


def known(address: str, port: int = 3260) -> KnownPortal:
    return KnownPortal("p0", "first", "iscsi", address, port)


def plan(*present: KnownPortal, **wish: Any) -> NewPortal:
    asked = PortalCreate.model_validate({"name": "p1", "address": "10.0.2.15"} | wish)
    return portals.plan_create(asked, seen.machine(), False, present, identities())


def test_an_own_address_and_every_address_are_accepted() -> None:
    assert plan().engine is ExportEngine.LIO
    assert plan(address="0.0.0.0").id
    assert plan(address="fe80::1").id


@pytest.mark.parametrize(
    ("wish", "field"), [({"address": "192.0.2.1"}, "address"), ({"protocol": "nvme-tcp"}, "protocol")]
)
def test_a_foreign_address_or_an_unserved_protocol_is_refused(wish: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        plan(**wish)
    assert [problem.field for problem in refusal.value.errors] == [field]


@pytest.mark.parametrize(
    ("present", "address"),
    [
        ("10.0.2.15", "10.0.2.15"), ("0.0.0.0", "10.0.2.15"), ("10.0.2.15", "0.0.0.0"), ("::", "10.0.2.15"),
        ("0.0.0.0", "::"), ("fe80::1", "::"),
    ],
)  # fmt: skip
def test_two_listeners_that_overlap_are_a_conflict(present: str, address: str) -> None:
    with pytest.raises(Conflict, match="first listens on"):
        plan(known(present), address=address)


@pytest.mark.parametrize(("present", "address"), [("127.0.0.1", "10.0.2.15"), ("0.0.0.0", "fe80::1")])
def test_listeners_that_do_not_overlap_live_together(present: str, address: str) -> None:
    assert plan(known(present), address=address).id
    assert plan(known("10.0.2.15", 3261)).id


def test_closing_the_last_portal_warns_and_names_who_is_logged_in() -> None:
    last = portals.plan_delete(known("0.0.0.0"), 0, ["h1"])
    assert last.hosts_interrupted == ("h1",)
    assert "last portal" in last.warnings[0]
    assert "1 hosts are logged in" in last.warnings[0]
    assert portals.plan_delete(known("10.0.2.15"), 1, []).warnings == ()
