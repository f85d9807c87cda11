"""The number of a volume that was unmapped goes to no other volume while a host may have the old device."""

import pytest
from sqlalchemy import select

from backend.tests.engine.conftest import ADMIN, Appliance
from lunette.domain.exports import ObservedSession, SessionCount
from lunette.domain.hosts import HostCreate, HostGroupCreate, HostGroupPatch, HostPatch
from lunette.domain.mappings import MappingCreate, Protocol
from lunette.domain.observations import SessionsObservation
from lunette.domain.plans import Plan, Reuse
from lunette.domain.settings import SettingsPatch
from lunette.domain.volumes import VolumePatch
from lunette.engine.changes import host_groups, mappings, settings, volumes
from lunette.engine.changes import hosts as hosts_changes
from lunette.engine.context import uptime
from lunette.engine.exports.numbers import NumberWatch
from lunette.engine.undo import undo as undoing
from lunette.store.journal import Event
from lunette.store.resources import HeldNumber, Host, Mapping, Meta, Target, Volume
from lunette.store.schema import utc_now

IQN = "iqn.2026-01.com.example:h1"
WWPN = "21:00:00:24:ff:00:00:0a"


class Hosts:
    """Who is logged in, as LIO shows it."""

    def __init__(self) -> None:
        self.sessions: dict[tuple[str, str], str] = {}
        """ISIDs by target and initiator."""
        self.hidden = 0

    def __call__(self) -> SessionsObservation:
        found = tuple(
            ObservedSession(
                target=target,
                initiator=initiator,
                protocol=Protocol.ISCSI,
                portal=None,
                peer="10.0.0.5",
                state="logged in",
                since=None,
                tag=1,
                number=1,
                isid=isid,
                queue_depth=64,
            )
            for (target, initiator), isid in self.sessions.items()
        )
        targets = {target for target, _ in self.sessions}
        counts = tuple(
            SessionCount(target=one, sessions=sum(target == one for target, _ in self.sessions) + self.hidden)
            for one in targets
        )
        return SessionsObservation(taken_at=0.0, sessions=found, counts=counts)


@pytest.fixture
def hosts() -> Hosts:
    return Hosts()


@pytest.fixture
def site(appliance: Appliance) -> Appliance:
    """Three volumes; a host with an IQN, one with a WWPN, and a group without hosts."""
    appliance.array()
    appliance.volumes("a", "b", "c")
    appliance.host("h1", IQN)
    with appliance.store.write() as tx:
        hosts_changes.create(appliance.control.change(tx, ADMIN), HostCreate(name="f1", wwpns=(WWPN,)))
        host_groups.create(appliance.control.change(tx, ADMIN), HostGroupCreate(name="g1"))
    return appliance


def give(site: Appliance, volume: str, host: str = "h1", lun: int | None = None, group: str | None = None) -> int:
    """The number it got."""
    owner = {"host_group": group} if group else {"host": host}
    (id_,) = site.map(MappingCreate.model_validate({"volume": volume, "lun": lun, **owner}))
    with site.store.read() as tx:
        return tx.get_one(Mapping, id_).lun


def planned(site: Appliance, volume: str, host: str = "h1", lun: int | None = None) -> Plan:
    with site.store.write() as tx:
        spec = MappingCreate(volume=volume, host=host, lun=lun)
        return mappings.create(site.control.change(tx, ADMIN, dry_run=True), [spec]).plan


def take(site: Appliance, volume: str) -> Plan:
    """Delete the mapping of a volume, and let the agent apply that."""
    with site.store.write() as tx:
        id_ = tx.scalars(select(Mapping.id).join(Volume).where(Volume.name == volume)).one()
        plan = mappings.delete(site.control.change(tx, ADMIN), id_).plan
    site.converge()
    return plan


def join(site: Appliance, *names: str) -> Plan:
    with site.store.write() as tx:
        return host_groups.patch(site.control.change(tx, ADMIN), "g1", HostGroupPatch(hosts=names)).plan


def pass_hours(site: Appliance, hours: float) -> None:
    with site.store.write() as tx:
        before = uptime.advance(tx, 0.0, utc_now())
        row = tx.get_one(Meta, uptime.KEY)
        row.value = before.model_copy(update={"seconds": before.seconds + hours * 3600}).model_dump_json()


def target(site: Appliance) -> str:
    with site.store.read() as tx:
        return tx.scalars(select(Target.iqn).join(Host).where(Host.name == "h1")).one()


def held(site: Appliance) -> int:
    with site.store.read() as tx:
        return len(tx.scalars(select(HeldNumber.lun)).all())


def formers(plan: Plan) -> list[tuple[str, str, str]]:
    return [(one.number, one.volume, one.former) for one in plan.reused]


def test_another_volume_gets_another_number_and_the_same_one_its_own_again(site: Appliance) -> None:
    assert give(site, "a") == 1
    assert "stays reserved for 24 hours" in take(site, "a").changes[0].detail
    assert give(site, "b") == 2
    assert give(site, "a") == 1
    assert held(site) == 0


def test_a_requested_number_names_the_volume_that_had_it_by_its_present_name(site: Appliance) -> None:
    give(site, "a")
    take(site, "a")
    with site.store.write() as tx:
        volumes.patch(site.control.change(tx, ADMIN), "a", VolumePatch(name="a2"))
    plan = planned(site, "b", lun=1)
    assert plan.reused == (Reuse(number="LUN 1", owner="h1", volume="b", former="a2"),)
    assert any("A host that still has that device would write to volume b" in line for line in plan.warnings)
    assert planned(site, "b", lun=2).reused == ()
    assert planned(site, "b", host="f1", lun=1).reused == ()


def test_the_number_is_free_after_the_time_of_the_settings(site: Appliance) -> None:
    with site.store.write() as tx:
        settings.patch(site.control.change(tx, ADMIN), SettingsPatch(number_held_hours=3))
    give(site, "a")
    take(site, "a")
    pass_hours(site, 2.9)
    plan = planned(site, "b")
    assert any("LUN 1 (a)" in line and "after 1 hour at the latest" in line for line in plan.warnings)
    pass_hours(site, 0.2)
    assert give(site, "b") == 1


def test_a_new_session_frees_the_number_and_a_returning_one_does_not(site: Appliance, hosts: Hosts) -> None:
    watch, place = NumberWatch(site.store, hosts), (target(site), IQN)
    give(site, "a")
    hosts.sessions[place] = "00023d010000"
    take(site, "a")
    for isid in ("00023d010000", None, "00023d010000"):
        hosts.sessions = {place: isid} if isid else {}
        watch.round()
        assert held(site) == 1
    hosts.sessions[place] = "00023d020000"
    watch.round()
    assert give(site, "b") == 1


def test_sessions_before_the_agent_took_the_volume_away_count_for_nothing(site: Appliance, hosts: Hosts) -> None:
    watch, place = NumberWatch(site.store, hosts), (target(site), IQN)
    give(site, "a")
    site.converge()
    with site.store.write() as tx:
        mappings.delete(site.control.change(tx, ADMIN), tx.scalars(select(Mapping.id)).one())
    for isid in ("00023d010000", "00023d020000"):
        hosts.sessions[place] = isid
        watch.round()
    site.converge()
    watch.round()
    assert held(site) == 1
    hosts.sessions[place] = "00023d030000"
    watch.round()
    assert held(site) == 0


@pytest.mark.parametrize("hidden", [0, 1], ids=["nobody was logged in", "it has another session that is not shown"])
def test_only_the_time_counts_where_the_old_sessions_are_not_known(site: Appliance, hosts: Hosts, hidden: int) -> None:
    watch, place = NumberWatch(site.store, hosts), (target(site), IQN)
    give(site, "a")
    hosts.hidden = hidden
    hosts.sessions = {place: "00023d010000"} if hidden else {}
    take(site, "a")
    watch.round()
    hosts.hidden = 0
    for isid in ("00023d020000", "00023d030000"):
        hosts.sessions[place] = isid
        watch.round()
    assert held(site) == 1
    pass_hours(site, 24.1)
    watch.round()
    assert held(site) == 0


def test_a_host_that_leaves_a_group_needs_confirmation_when_it_returns(site: Appliance) -> None:
    join(site, "h1", "f1")
    assert give(site, "a", group="g1") == 1
    join(site, "f1")
    take(site, "a")
    site.map(MappingCreate(volume="b", host_group="g1", lun=1))
    assert formers(join(site, "h1", "f1")) == [("LUN 1", "b", "a")]


def test_a_host_that_returns_to_the_same_volumes_needs_no_confirmation(site: Appliance) -> None:
    join(site, "h1", "f1")
    give(site, "a", group="g1")
    join(site, "f1")
    assert join(site, "h1", "f1").reused == ()


def test_the_end_of_a_groups_mapping_holds_the_number_for_its_hosts(site: Appliance) -> None:
    """A Fibre Channel port shows a host's own volumes and its group's under one set of numbers."""
    join(site, "h1", "f1")
    give(site, "a", group="g1")
    take(site, "a")
    assert give(site, "b", group="g1") == 2
    join(site, "h1")
    assert give(site, "c", "f1") == 3


def test_a_wwpn_takes_what_it_has_along_to_another_host(site: Appliance) -> None:
    give(site, "a", "f1")
    give(site, "b")
    with site.store.write() as tx:
        hosts_changes.patch(site.control.change(tx, ADMIN), "f1", HostPatch(wwpns=()))
    with site.store.write() as tx:
        plan = hosts_changes.patch(site.control.change(tx, ADMIN), "h1", HostPatch(wwpns=(WWPN,))).plan
    assert formers(plan) == [("LUN 1", "b", "a")]


def test_an_initiator_that_returns_to_its_host_needs_confirmation_of_changes(site: Appliance) -> None:
    give(site, "a")
    with site.store.write() as tx:
        hosts_changes.patch(site.control.change(tx, ADMIN), "h1", HostPatch(iqns=()))
    take(site, "a")
    site.map(MappingCreate(volume="b", host="h1", lun=1))
    with site.store.write() as tx:
        assert formers(hosts_changes.patch(site.control.change(tx, ADMIN), "h1", HostPatch(iqns=(IQN,))).plan) == [
            ("LUN 1", "b", "a")
        ]


def test_namespaces_are_held_back_for_the_time(site: Appliance, hosts: Hosts) -> None:
    with site.store.write() as tx:
        hosts_changes.patch(
            site.control.change(tx, ADMIN), "h1", HostPatch(nqns=("nqn.2026-01.com.example:h1",), iqns=())
        )
    assert give(site, "a") == 1
    assert "h1 loses namespace 1" in take(site, "a").changes[0].detail
    NumberWatch(site.store, hosts).round()
    assert formers(planned(site, "b", lun=1)) == [("namespace 1", "b", "a")]
    assert give(site, "b") == 2


def test_undoing_an_unmapping_gives_the_volume_its_number_again(site: Appliance) -> None:
    give(site, "a")
    take(site, "a")
    give(site, "b")
    with site.store.write() as tx:
        seq = tx.scalars(select(Event.seq).where(Event.kind == "mapping.deleted")).one()
        assert undoing.undo(site.control.change(tx, ADMIN), seq).plan.reused == ()
    with site.store.read() as tx:
        rows = tx.execute(select(Volume.name, Mapping.lun).join(Mapping).order_by(Volume.name)).all()
    assert [tuple(row) for row in rows] == [("a", 1), ("b", 2)]


def test_a_host_restored_after_its_deletion_has_its_old_devices(site: Appliance) -> None:
    give(site, "a")
    take(site, "a")
    with site.store.write() as tx:
        hosts_changes.delete(site.control.change(tx, ADMIN), site_id(site, "h1"))
    with site.store.write() as tx:
        seq = tx.scalars(select(Event.seq).where(Event.kind == "host.deleted")).one()
        undoing.undo(site.control.change(tx, ADMIN), seq)
    assert give(site, "b") == 2


def site_id(site: Appliance, name: str) -> str:
    with site.store.read() as tx:
        return tx.scalars(select(Host.id).where(Host.name == name)).one()
