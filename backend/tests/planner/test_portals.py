"""Plans for portals: own addresses only, no two listeners on one port."""

from typing import Any

import pytest

from backend.tests import seen
from backend.tests.planner.test_arrays import identities
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.mappings import ExportEngine, PortalCreate
from lunette.planner import portals
from lunette.planner.connected import Connected
from lunette.planner.portals import KnownPortal, NewPortal
from lunette.providers.exports.nvmet import plan as nvmet


def known(address: str, port: int = 3260) -> KnownPortal:
    return KnownPortal("p0", "first", "iscsi", address, port)


def plan(*present: KnownPortal, **wish: Any) -> NewPortal:
    asked = PortalCreate.model_validate({"name": "p1", "address": "10.0.2.15"} | wish)
    return portals.plan_create(asked, seen.machine(), False, present, identities())


def test_an_own_address_and_every_address_are_accepted() -> None:
    assert plan().engine is ExportEngine.LIO
    assert plan(address="0.0.0.0").id
    assert plan(address="fe80::1").id


@pytest.mark.parametrize(("wish", "field"), [({"address": "192.0.2.1"}, "address"), ({"protocol": "iser"}, "protocol")])
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
    last = portals.plan_delete(known("0.0.0.0"), 0, Connected(("h1",)))
    assert last.hosts_interrupted == ("h1",)
    assert "last portal for SCSI" in last.warnings[0]
    assert "1 hosts are logged in" in last.warnings[0]
    assert portals.plan_delete(known("10.0.2.15"), 1, Connected()).warnings == ()


def test_nvme_takes_its_own_engine_and_its_usual_port() -> None:
    new = plan(protocol="nvme-tcp")
    assert new.engine is ExportEngine.NVMET
    assert "10.0.2.15:4420" in new.plan.changes[0].detail


def test_rdma_without_a_device_is_refused_with_what_is_missing() -> None:
    with pytest.raises(Invalid, match="no RDMA device"):
        plan(protocol="nvme-rdma")


def test_rdma_has_ports_of_its_own() -> None:
    rdma = nvmet.capability(None, {})
    asked = PortalCreate.model_validate({"name": "p1", "address": "10.0.2.15", "protocol": "nvme-rdma", "port": 3260})
    assert portals.plan_create(asked, seen.machine(engines=(rdma,)), False, [known("10.0.2.15")], identities()).id
