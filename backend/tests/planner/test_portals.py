"""Plans for portals: own addresses only, no two listeners on one port."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from backend.tests import seen
from backend.tests.planner.test_arrays import identities
from backend.tests.providers.test_rdma import device
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.mappings import ExportEngine, PortalCreate, PortalPatch, Protocol
from lunette.planner.access import portals
from lunette.planner.access.connected import Connected
from lunette.planner.access.portals import ChangedPortal, KnownPortal, NewPortal
from lunette.providers.exports.lio import plan as lio
from lunette.providers.exports.nvmet import plan as nvmet
from lunette.providers.exports.spdk import plan as spdk


def known(address: str, port: int = 3260) -> KnownPortal:
    return KnownPortal("p0", "first", "iscsi", address, port)


def plan(*present: KnownPortal, **spec: Any) -> NewPortal:
    asked = PortalCreate.model_validate({"name": "p1", "address": "10.0.2.15"} | spec)
    return portals.plan_create(asked, seen.machine(), False, present, identities())


def test_an_own_address_and_every_address_are_accepted() -> None:
    assert plan().engine is ExportEngine.LIO
    assert plan(address="0.0.0.0").id
    assert plan(address="fe80::1").id


@pytest.mark.parametrize(
    ("spec", "field"), [({"address": "192.0.2.1"}, "address"), ({"protocol": "nvme-rdma"}, "protocol")]
)
def test_a_foreign_address_or_an_unserved_protocol_is_refused(spec: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        plan(**spec)
    assert [problem.field for problem in refusal.value.errors] == [field]


@pytest.mark.parametrize(
    ("present", "address"),
    [
        ("10.0.2.15", "10.0.2.15"),
        ("0.0.0.0", "10.0.2.15"),
        ("10.0.2.15", "0.0.0.0"),
        ("::", "10.0.2.15"),
        ("0.0.0.0", "::"),
        ("fe80::1", "::"),
    ],
)
def test_two_listeners_that_overlap_are_a_conflict(present: str, address: str) -> None:
    with pytest.raises(Conflict, match="first already listens on"):
        plan(known(present), address=address)


def test_a_place_that_a_portal_is_moving_away_from_is_still_taken() -> None:
    former = replace(known("10.0.2.15"), is_former=True)
    with pytest.raises(
        Conflict, match=r"first listens on 10\.0\.2\.15:3260 until its move ends; use another port, or try"
    ):
        plan(former, address="10.0.2.15")


@pytest.mark.parametrize(("present", "address"), [("127.0.0.1", "10.0.2.15"), ("0.0.0.0", "fe80::1")])
def test_listeners_that_do_not_overlap_live_together(present: str, address: str) -> None:
    assert plan(known(present), address=address).id
    assert plan(known("10.0.2.15", 3261)).id


def test_closing_the_last_portal_warns_and_names_who_is_logged_in() -> None:
    last = portals.plan_delete(known("0.0.0.0"), 0, Connected(("h1",)))
    assert "last portal for SCSI" in last.warnings[0]
    assert "Currently logged in: h1." in last.warnings[0]
    assert portals.plan_delete(known("10.0.2.15"), 1, Connected()).warnings == ()


@pytest.mark.parametrize(
    ("protocol", "action", "words"),
    [
        ("iscsi", "change", "remains logged in through 10.0.2.15:3260 until that connection ends"),
        ("iser", "change", "cannot log in there again"),
        ("nvme-tcp", "interrupt", "loses its connections through 10.0.2.15:3260"),
        ("nvme-rdma", "interrupt", "loses its connections"),
    ],
)
def test_closing_a_portal_says_what_becomes_of_who_is_connected(protocol: str, action: str, words: str) -> None:
    """LIO leaves connections alone, nvmet and SPDK end them."""
    found = portals.plan_delete(replace(known("10.0.2.15"), protocol=protocol), 1, Connected(("h1",)))
    assert found.changes[1].action == action
    assert words in found.changes[1].detail
    assert found.hosts_interrupted == (("h1",) if action == "interrupt" else ())


def test_nvme_takes_its_own_engine_and_its_usual_port() -> None:
    new = plan(protocol="nvme-tcp")
    assert new.engine is ExportEngine.NVMET
    assert "10.0.2.15:4420" in new.plan.changes[0].detail


def by_spdk(*present: KnownPortal, **spec: Any) -> NewPortal:
    """A plan on a machine with nvmf_tgt."""
    machine = seen.machine(engines=(lio.capability(), nvmet.capability(), spdk.capability()))
    asked = {"name": "p1", "address": "10.0.2.15", "protocol": "nvme-tcp", "engine": "spdk"} | spec
    return portals.plan_create(PortalCreate.model_validate(asked), machine, False, present, identities())


def test_spdk_serves_nvme_over_tcp_on_request() -> None:
    new = by_spdk(known("10.0.2.15"))
    assert new.engine is ExportEngine.SPDK
    assert new.plan.changes[0].detail == "nvme-tcp on 10.0.2.15:4420, served by spdk"
    assert by_spdk(engine=None).engine is ExportEngine.NVMET


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        ({"address": "0.0.0.0"}, "address", "a portal for each address"),
        ({"protocol": "nvme-rdma"}, "engine", "spdk does not serve nvme-rdma"),
        ({"protocol": "iscsi"}, "engine", "spdk does not serve iscsi"),
        ({"engine": "lio"}, "engine", "lio does not serve nvme-tcp"),
    ],
)
def test_what_an_engine_cannot_serve_is_refused(spec: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(Invalid, match=words) as refusal:
        by_spdk(**spec)
    assert [problem.field for problem in refusal.value.errors] == [field]


@pytest.mark.parametrize(("engine", "other"), [("spdk", "nvmet"), (None, "spdk"), ("nvmet", "spdk")])
def test_all_portals_for_nvme_have_one_engine(engine: str | None, other: str) -> None:
    present = KnownPortal("p0", "first", "nvme-tcp", "127.0.0.1", 4420, other)
    with pytest.raises(Conflict, match=f"portal first is served by {other}") as refusal:
        by_spdk(present, engine=engine)
    assert [problem.field for problem in refusal.value.errors] == ["engine"]
    assert by_spdk(KnownPortal("p0", "first", "nvme-tcp", "127.0.0.1", 4420, engine or "nvmet"), engine=engine).id


def test_without_nvmf_tgt_the_refusal_says_what_to_build() -> None:
    machine = seen.machine(engines=(nvmet.capability(), spdk.capability(spdk.MISSING)))
    asked = PortalCreate.model_validate({"name": "p", "address": "10.0.2.15", "protocol": "nvme-tcp", "engine": "spdk"})
    with pytest.raises(Invalid, match="not installed") as refusal:
        portals.plan_create(asked, machine, False, (), identities())
    assert "build SPDK" in refusal.value.errors[0].message


def test_rdma_without_a_device_is_refused_with_what_is_missing() -> None:
    with pytest.raises(Invalid, match="no RDMA device"):
        plan(protocol="nvme-rdma")


def over_rdma(*present: KnownPortal, **spec: Any) -> NewPortal:
    """A plan on a machine with RDMA on 10.0.2.15 alone."""
    machine = seen.machine(engines=(lio.capability(), nvmet.capability()), rdma_devices=(device("10.0.2.15"),))
    asked = PortalCreate.model_validate({"name": "p1", "address": "10.0.2.15"} | spec)
    return portals.plan_create(asked, machine, False, present, identities())


def test_rdma_has_ports_of_its_own() -> None:
    assert over_rdma(known("10.0.2.15"), protocol="nvme-rdma", port=3260).engine is ExportEngine.NVMET


def test_iser_is_served_by_lio_alongside_iscsi_on_a_port_of_its_own() -> None:
    new = over_rdma(known("10.0.2.15"), known("0.0.0.0"), protocol="iser")
    assert new.engine is ExportEngine.LIO
    assert "iser on 10.0.2.15:3261" in new.plan.changes[0].detail


@pytest.mark.parametrize(("protocol", "of_present"), [("iser", "iscsi"), ("iscsi", "iser"), ("iser", "nvme-rdma")])
def test_iser_takes_its_port_over_tcp_and_rdma(protocol: str, of_present: str) -> None:
    """The kernel listens over TCP wherever it does over iSER."""
    with pytest.raises(Conflict, match="use another port"):
        over_rdma(KnownPortal("p0", "first", of_present, "10.0.2.15", 3261), protocol=protocol, port=3261)


@pytest.mark.parametrize("protocol", ["iser", "nvme-rdma"])
def test_rdma_on_an_address_without_it_is_refused_with_those_that_have_it(protocol: str) -> None:
    with pytest.raises(Invalid, match=r"use one of 10\.0\.2\.15 \(rxe0/1\)") as refusal:
        over_rdma(protocol=protocol, address="127.0.0.1")
    assert [problem.field for problem in refusal.value.errors] == ["address"]
    assert over_rdma(protocol=protocol, address="0.0.0.0").id


def test_an_address_not_on_this_machine_is_refused_once() -> None:
    with pytest.raises(Invalid, match="does not have the address") as refusal:
        over_rdma(protocol="iser", address="192.0.2.1")
    assert len(refusal.value.errors) == 1


FC = "nn-0x20000000C9000001:pn-0x10000000C9000001"


def over_fc(*present: KnownPortal, offered: bool = True, **spec: Any) -> NewPortal:
    lacking = {} if offered else {Protocol.NVME_FC: "no Fibre Channel port of this appliance can be an NVMe target"}
    machine = seen.machine(engines=(nvmet.capability(None, lacking), lio.capability()))
    asked = PortalCreate.model_validate({"name": "p1", "address": FC, "protocol": "nvme-fc"} | spec)
    return portals.plan_create(asked, machine, False, present, identities())


def test_nvme_over_fibre_channel_takes_the_names_of_a_port_and_no_number() -> None:
    new = over_fc()
    assert new.engine is ExportEngine.NVMET
    assert new.plan.changes[0].detail == f"nvme-fc on {FC.lower()}"


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        ({"address": "21:00:00:24:ff:00:00:01"}, "address", "specify its names"),
        ({"protocol": "nvme-tcp"}, "address", "are for nvme-fc"),
        ({"port": 4420}, "port", "omit it"),
        ({"engine": "spdk"}, "engine", "spdk"),
    ],
)
def test_what_does_not_go_with_fibre_channel_is_refused_by_its_field(
    spec: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(Invalid, match=words) as refusal:
        over_fc(**spec)
    assert [problem.field for problem in refusal.value.errors] == [field]


def test_without_a_port_that_can_be_a_target_nvme_over_fibre_channel_is_refused() -> None:
    with pytest.raises(Invalid, match="can be an NVMe target"):
        over_fc(offered=False)


def test_one_fibre_channel_port_is_one_portal() -> None:
    first = KnownPortal("p0", "first", "nvme-fc", FC.lower(), 0, "nvmet")
    with pytest.raises(Conflict, match="first already listens on nn-0x"):
        over_fc(first)
    assert over_fc(KnownPortal("p0", "first", "nvme-tcp", "0.0.0.0", 4420, "nvmet")).id


@pytest.mark.parametrize("address", ["nn-0x1:pn-0x2", "fabric", f"{FC}0"])
def test_an_address_of_no_form_is_refused_with_the_forms(address: str) -> None:
    with pytest.raises(ValidationError, match="nn-0x20000024ff000001"):
        PortalCreate.model_validate({"name": "p1", "address": address})


def patched(
    *before: KnownPortal, hosts: tuple[str, ...] = (), others: tuple[KnownPortal, ...] = (), **spec: Any
) -> ChangedPortal:
    asked = PortalPatch.model_validate(spec)
    places = [replace(one, engine=one.engine or "lio") for one in before or (known("10.0.2.15"),)]
    return portals.plan_patch(places, asked, seen.machine(), False, others, Connected(hosts))


def test_a_portal_that_is_renamed_stays_where_it_is() -> None:
    found = patched(name="front", hosts=("h1",))
    assert not found.is_moved
    assert [(one.noun, one.detail) for one in found.plan.changes] == [
        ("portal", "becomes front; hosts do not notice it")
    ]
    assert found.plan.warnings == ()


def test_a_portal_that_stays_as_it_is_has_an_empty_plan() -> None:
    assert patched(name="first", address="10.0.2.15", port=3260).plan.changes == ()


def test_a_renamed_portal_may_have_lost_its_address() -> None:
    assert patched(known("192.0.2.99"), name="front").portal.name == "front"


@pytest.mark.parametrize(
    ("protocol", "action", "words"),
    [("iscsi", "change", "remains logged in through 10.0.2.15:3260"), ("nvme-tcp", "interrupt", "loses its connect")],
)
def test_a_move_opens_first_and_says_what_becomes_of_who_is_connected(protocol: str, action: str, words: str) -> None:
    found = patched(replace(known("10.0.2.15"), protocol=protocol, engine="nvmet"), port=3261, hosts=("h1",))
    moved, host = found.plan.changes
    assert moved.detail == "10.0.2.15:3261 opens, then 10.0.2.15:3260 is closed"
    assert (host.name, host.action) == ("h1", action)
    assert words in host.detail
    assert found.plan.hosts_interrupted == (("h1",) if action == "interrupt" else ())
    assert "apply their setup kits again" in found.plan.warnings[0]
    assert (found.is_moved, found.overlaps) == (True, frozenset())


@pytest.mark.parametrize(("before", "after"), [("0.0.0.0", "10.0.2.15"), ("10.0.2.15", "0.0.0.0"), ("::", "0.0.0.0")])
def test_what_overlaps_with_itself_closes_first_and_says_so(before: str, after: str) -> None:
    found = patched(known(before), address=after)
    assert found.overlaps == {"p0"}
    assert "is closed, then" in found.plan.changes[0].detail
    assert "overlap" in found.plan.warnings[-1]


def test_a_place_that_it_has_left_and_not_closed_is_free_for_it() -> None:
    left = replace(known("10.0.2.15"), id="p9")
    found = patched(known("127.0.0.1"), left, address="10.0.2.15")
    assert found.overlaps == frozenset()
    found = patched(known("127.0.0.1"), left, address="0.0.0.0")
    assert found.overlaps == {"p0", "p9"}


@pytest.mark.parametrize(
    ("spec", "kind", "field"),
    [
        ({"address": "192.0.2.99"}, Invalid, "address"),
        ({"address": "nn-0x20000024ff000001:pn-0x21000024ff000001"}, Invalid, "address"),
        ({"address": "127.0.0.1"}, Conflict, "address"),
    ],
)
def test_a_place_that_is_not_free_or_not_here_is_refused(spec: dict[str, Any], kind: type[Any], field: str) -> None:
    with pytest.raises(kind) as refusal:
        patched(others=(known("127.0.0.1"),), **spec)
    assert refusal.value.errors[0].field == field
    assert "was not changed" in str(refusal.value)
