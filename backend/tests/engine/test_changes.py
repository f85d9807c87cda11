"""Changes as requests make them: a refusal or a dry run writes nothing, and what races has one winner."""

import re
import threading
from collections.abc import Callable

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.tests.engine.conftest import ADMIN, DISKS, Appliance
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.errors import Conflict, InUse, LunetteError, NoSpace, NotFound, Unavailable
from lunette.domain.exports import ObservedSession
from lunette.domain.hosts import HostCreate, HostGroupCreate, HostGroupPatch, HostPatch
from lunette.domain.mappings import MappingCreate, PortalCreate, Protocol, Split
from lunette.domain.plans import Plan
from lunette.domain.sizes import GIB
from lunette.domain.volumes import VolumeCreate, VolumeGrow, VolumePatch
from lunette.engine.changes import arrays, host_groups, hosts, mappings, portals, volumes
from lunette.engine.context.outcome import Outcome
from lunette.store.journal import Event, Job
from lunette.store.resources import (
    Array,
    DeletedSnapshot,
    DeletedVolume,
    FcPort,
    Host,
    HostGroup,
    Mapping,
    Meta,
    Portal,
    ReleaseRow,
    Snapshot,
    Volume,
)
from lunette.store.schedules import Schedule
from lunette.store.schema import Base

Change = Callable[[Session, bool], Outcome]


def counts(appliance: Appliance) -> dict[str, int]:
    """Rows per table, and the generation: what a change must not touch if it is refused or only shown."""
    tables = (
        Array,
        Volume,
        DeletedVolume,
        Snapshot,
        DeletedSnapshot,
        Host,
        HostGroup,
        Mapping,
        Portal,
        FcPort,
        Schedule,
        ReleaseRow,
        Job,
        Event,
    )
    with appliance.store.read() as tx:
        found = {table.__tablename__: tx.scalar(select(func.count()).select_from(table)) or 0 for table in tables}
        return found | {"generation": int(tx.get_one(Meta, "export_generation").value)}


def refuse(appliance: Appliance, error: type[LunetteError], change: Change) -> LunetteError:
    before = counts(appliance)
    with pytest.raises(error) as refusal, appliance.store.write() as tx:
        change(tx, False)
    assert counts(appliance) == before
    return refusal.value


def fields(refusal: LunetteError) -> list[tuple[str, str | None]]:
    return [(problem.field, problem.value) for problem in refusal.errors]


def furnish(appliance: Appliance) -> None:
    """An array, volumes v1 to v3, hosts h1 and h2, a group g of h2, a portal; v1 for h1, v2 for the group."""
    appliance.array()
    appliance.volumes("v1", "v2", "v3", "unmapped", "spare")
    appliance.host("h1")
    appliance.host("h2")
    with appliance.store.write() as tx:
        host_groups.create(appliance.control.change(tx, ADMIN), HostGroupCreate(name="g", hosts=("h2",)))
    appliance.portal()
    appliance.map(MappingCreate(volume="v1", host="h1"), MappingCreate(volume="v2", host_group="g"))


def every_change(appliance: Appliance) -> list[Change]:
    control = appliance.control
    with appliance.store.read() as tx:
        mapping_id = tx.scalars(select(Mapping.id)).first() or ""
    return [
        lambda tx, dry: arrays.create(
            control.change(tx, ADMIN, dry_run=dry), ArrayCreate(name="b", level=Level.RAID1, disks=DISKS[4:6])
        ),
        lambda tx, dry: volumes.create(
            control.change(tx, ADMIN, dry_run=dry), [VolumeCreate(name="x", array="tank", size_bytes=GIB)]
        ),
        lambda tx, dry: volumes.patch(control.change(tx, ADMIN, dry_run=dry), "v1", VolumePatch(name="y")),
        lambda tx, dry: hosts.create(control.change(tx, ADMIN, dry_run=dry), HostCreate(name="h3")),
        lambda tx, dry: hosts.patch(control.change(tx, ADMIN, dry_run=dry), "h1", HostPatch(description="x")),
        lambda tx, dry: host_groups.create(
            control.change(tx, ADMIN, dry_run=dry), HostGroupCreate(name="g2", hosts=("h1",))
        ),
        lambda tx, dry: host_groups.patch(control.change(tx, ADMIN, dry_run=dry), "g", HostGroupPatch(hosts=())),
        lambda tx, dry: portals.create(
            control.change(tx, ADMIN, dry_run=dry),
            PortalCreate.model_validate({"name": "p2", "address": "10.0.2.15", "port": 3261}),
        ),
        lambda tx, dry: mappings.create(
            control.change(tx, ADMIN, dry_run=dry), [MappingCreate(volume="v3", host="h1")]
        ),
        lambda tx, dry: mappings.delete(control.change(tx, ADMIN, dry_run=dry), mapping_id),
        lambda tx, dry: portals.delete(control.change(tx, ADMIN, dry_run=dry), "p1"),
        lambda tx, dry: volumes.delete(control.change(tx, ADMIN, dry_run=dry), "unmapped"),
        lambda tx, dry: volumes.grow(control.change(tx, ADMIN, dry_run=dry), "spare", VolumeGrow(size_bytes=2 * GIB)),
    ]


def details(plan: Plan) -> list[str]:
    """What a plan says, without the moments in it: a minute may pass between a look and the change."""
    return [re.sub(r"\d+-\d+-\d+ \d+:\d+ UTC", "then", change.detail) for change in plan.changes]


def test_every_change_can_be_shown_without_writing_anything(appliance: Appliance) -> None:
    furnish(appliance)
    changes = every_change(appliance)
    before = counts(appliance)
    shown = []
    for change in changes:
        with appliance.store.write() as tx:
            outcome = change(tx, True)
        assert outcome.job_id is None
        assert outcome.ids == ()
        assert outcome.plan.changes
        shown.append(details(outcome.plan))
    assert counts(appliance) == before
    done = []
    for change in changes:
        with appliance.store.write() as tx:
            outcome = change(tx, False)
        if outcome.job_id:
            appliance.finish(outcome)
        done.append(details(outcome.plan))
    assert done == shown
    assert counts(appliance)["event"] > before["event"]


def test_deletions_of_what_is_not_used_can_be_shown_too(lone: Appliance) -> None:
    lone.array()
    lone.host("h1")
    with lone.store.write() as tx:
        host_groups.create(lone.control.change(tx, ADMIN), HostGroupCreate(name="g"))
    before = counts(lone)
    with lone.store.write() as tx:
        assert arrays.delete(lone.control.change(tx, ADMIN, dry_run=True), "tank").plan.bytes_destroyed() > 0
        assert hosts.delete(lone.control.change(tx, ADMIN, dry_run=True), "h1").plan.changes
        assert host_groups.delete(lone.control.change(tx, ADMIN, dry_run=True), "g").plan.changes
    assert counts(lone) == before


def test_two_arrays_racing_for_one_disk_have_one_winner(appliance: Appliance) -> None:
    appliance.control.observation()
    start = threading.Barrier(4)
    won: list[str] = []
    lost: list[LunetteError] = []

    def race(number: int) -> None:
        start.wait()
        try:
            appliance.ask_array(f"a{number}", DISKS[number : number + 3])
            won.append(f"a{number}")
        except Conflict as refusal:
            lost.append(refusal)

    threads = [threading.Thread(target=race, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    start.wait()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert len(lost) == 2
    assert all("belongs to array" in refusal.detail for refusal in lost)


def test_an_array_that_is_being_made_has_its_disks_and_its_name(appliance: Appliance) -> None:
    appliance.ask_array("tank", DISKS[:4])
    spec = ArrayCreate(name="other", level=Level.RAID1, disks=DISKS[3:5])
    refusal = refuse(
        appliance, Conflict, lambda tx, dry: arrays.create(appliance.control.change(tx, ADMIN, dry_run=dry), spec)
    )
    assert fields(refusal) == [("disks[0]", "nvme-D4")]
    same_name = ArrayCreate(name="tank", level=Level.RAID1, disks=DISKS[4:6])
    refusal = refuse(
        appliance, Conflict, lambda tx, dry: arrays.create(appliance.control.change(tx, ADMIN, dry_run=dry), same_name)
    )
    assert fields(refusal) == [("name", "tank")]


def test_the_33rd_volume_that_does_not_fit_refuses_the_whole_batch(appliance: Appliance) -> None:
    appliance.array()
    free = appliance.control.observation(0).groups[0].free_bytes
    size = free // 32 // (4 << 20) * (4 << 20)
    specs = [VolumeCreate(name=f"v{n:02}", array="tank", size_bytes=size) for n in range(33)]
    refusal = refuse(
        appliance, NoSpace, lambda tx, dry: volumes.create(appliance.control.change(tx, ADMIN, dry_run=dry), specs)
    )
    assert refusal.status == 409
    assert refusal.errors[0].field == "volumes[32].size_bytes"
    assert len(appliance.volumes(*(f"v{n:02}" for n in range(32)), size=size)) == 32


def test_space_promised_to_a_job_that_has_not_run_yet_is_not_given_twice(appliance: Appliance) -> None:
    appliance.array()
    free = appliance.control.observation(0).groups[0].free_bytes
    half = free // 2 // (4 << 20) * (4 << 20)
    first = appliance.ask_volumes("a", "b", size=half)
    spec = VolumeCreate(name="c", array="tank", size_bytes=half)
    refuse(appliance, NoSpace, lambda tx, dry: volumes.create(appliance.control.change(tx, ADMIN, dry_run=dry), [spec]))
    appliance.finish(first)
    refuse(appliance, NoSpace, lambda tx, dry: volumes.create(appliance.control.change(tx, ADMIN, dry_run=dry), [spec]))


def test_a_volume_that_is_being_made_can_be_neither_mapped_nor_deleted(appliance: Appliance) -> None:
    appliance.array()
    appliance.ask_volumes("v1")
    appliance.host("h1")
    specs = [MappingCreate(volume="v1", host="h1")]
    refusal = refuse(
        appliance, Conflict, lambda tx, dry: mappings.create(appliance.control.change(tx, ADMIN, dry_run=dry), specs)
    )
    assert "is creating" in refusal.detail
    refuse(appliance, Conflict, lambda tx, dry: volumes.delete(appliance.control.change(tx, ADMIN, dry_run=dry), "v1"))


def test_what_is_used_is_not_deleted_and_its_users_are_named(appliance: Appliance) -> None:
    furnish(appliance)
    control = appliance.control
    assert (
        "volumes (spare, unmapped, v1, v2, v3)"
        in refuse(
            appliance, InUse, lambda tx, dry: arrays.delete(control.change(tx, ADMIN, dry_run=dry), "tank")
        ).detail
    )
    assert (
        "mapped to h1"
        in refuse(appliance, InUse, lambda tx, dry: volumes.delete(control.change(tx, ADMIN, dry_run=dry), "v1")).detail
    )
    assert (
        "mapped to g"
        in refuse(appliance, InUse, lambda tx, dry: volumes.delete(control.change(tx, ADMIN, dry_run=dry), "v2")).detail
    )
    assert (
        "volumes v1"
        in refuse(appliance, InUse, lambda tx, dry: hosts.delete(control.change(tx, ADMIN, dry_run=dry), "h1")).detail
    )
    assert (
        "host group g"
        in refuse(appliance, InUse, lambda tx, dry: hosts.delete(control.change(tx, ADMIN, dry_run=dry), "h2")).detail
    )
    assert (
        "volumes v2"
        in refuse(
            appliance, InUse, lambda tx, dry: host_groups.delete(control.change(tx, ADMIN, dry_run=dry), "g")
        ).detail
    )


def test_a_taken_lun_number_and_a_second_owner_are_conflicts(appliance: Appliance) -> None:
    furnish(appliance)
    taken = [MappingCreate(volume="v3", host="h1", lun=1)]
    refusal = refuse(
        appliance, Conflict, lambda tx, dry: mappings.create(appliance.control.change(tx, ADMIN, dry_run=dry), taken)
    )
    assert fields(refusal) == [("lun", "1")]
    second = [MappingCreate(volume="v1", host="h2")]
    refuse(
        appliance, Conflict, lambda tx, dry: mappings.create(appliance.control.change(tx, ADMIN, dry_run=dry), second)
    )
    appliance.map(MappingCreate(volume="v1", host="h2", shared=True))


def test_32_volumes_are_split_over_four_hosts(appliance: Appliance) -> None:
    appliance.array(disks=DISKS)
    names = [f"lun{n:02}" for n in range(1, 33)]
    appliance.volumes(*names)
    for number in range(1, 5):
        appliance.host(f"h{number}")
    split = Split(volumes=tuple(names), hosts=("h1", "h2", "h3", "h4"))
    appliance.map(*split.expand())
    with appliance.store.read() as tx:
        query = select(Host.name, Volume.name, Mapping.lun).select_from(Mapping).join(Host).join(Volume)
        rows = tx.execute(query.order_by(Host.name, Mapping.lun)).all()
    assert [tuple(row) for row in rows[:2]] == [("h1", "lun01", 1), ("h1", "lun02", 2)]
    assert tuple(rows[31]) == ("h4", "lun32", 8)
    assert len(rows) == 32


def test_an_initiator_belongs_to_one_host(appliance: Appliance) -> None:
    appliance.host("h1")
    spec = HostCreate(name="h2", iqns=("iqn.2026-01.com.example:h1",))
    refusal = refuse(
        appliance, Conflict, lambda tx, dry: hosts.create(appliance.control.change(tx, ADMIN, dry_run=dry), spec)
    )
    assert fields(refusal) == [("iqns[0]", "iqn.2026-01.com.example:h1")]


def test_what_is_not_there_is_not_found(appliance: Appliance) -> None:
    for change in (
        arrays.delete,
        volumes.delete,
        hosts.delete,
        host_groups.delete,
        portals.delete,
        mappings.delete,
    ):
        with pytest.raises(NotFound, match="nothing"), appliance.store.write() as tx:
            change(appliance.control.change(tx, ADMIN), "nothing")


def test_while_the_agent_is_away_disks_are_not_touched_but_hosts_can_be_made(appliance: Appliance) -> None:
    appliance.agent.away = True
    spec = ArrayCreate(name="a", level=Level.RAID1, disks=DISKS[:2])
    refuse(
        appliance, Unavailable, lambda tx, dry: arrays.create(appliance.control.change(tx, ADMIN, dry_run=dry), spec)
    )
    assert appliance.host("h1")


def session(host: str, target: str, portal: str | None = "10.0.2.15:3260") -> ObservedSession:
    return ObservedSession(
        target=target,
        initiator=f"iqn.2026-01.com.example:{host}",
        protocol=Protocol.ISCSI,
        portal=portal,
        peer=None,
        state="in",
        since=None,
    )


def test_plans_name_the_hosts_they_interrupt(appliance: Appliance) -> None:
    furnish(appliance)
    appliance.converge()
    assert appliance.agent.wanted
    by_owner = {tuple(i.host for i in target.initiators): target.iqn for target in appliance.agent.wanted.targets}
    appliance.agent.sessions_now = (session("h1", by_owner["h1",]), session("h2", by_owner["h2",], None))
    control = appliance.control
    with appliance.store.read() as tx:
        ids = dict(tx.execute(select(Volume.name, Mapping.id).select_from(Mapping).join(Volume)).all())
    with appliance.store.write() as tx:
        assert mappings.delete(control.change(tx, ADMIN, dry_run=True), ids["v1"]).plan.hosts_interrupted == ("h1",)
        assert mappings.delete(control.change(tx, ADMIN, dry_run=True), ids["v2"]).plan.hosts_interrupted == ("h2",)
        leaving = portals.delete(control.change(tx, ADMIN, dry_run=True), "p1").plan
        assert {change.name for change in leaving.changes if change.noun == "host"} == {"h1", "h2"}
        assert leaving.hosts_interrupted == (), "LIO closes no connection with its portal"
        assert host_groups.patch(
            control.change(tx, ADMIN, dry_run=True), "g", HostGroupPatch(hosts=())
        ).plan.hosts_interrupted == ("h2",)
        assert hosts.patch(
            control.change(tx, ADMIN, dry_run=True), "h1", HostPatch(iqns=())
        ).plan.hosts_interrupted == ("h1",)
        appliance.agent.away = True
        assert "not known" in mappings.delete(control.change(tx, ADMIN, dry_run=True), ids["v1"]).plan.warnings[0]


def test_a_rename_touches_neither_identity_nor_device(appliance: Appliance) -> None:
    furnish(appliance)
    with appliance.store.read() as tx:
        before = tx.scalars(select(Volume).where(Volume.name == "v1")).one()
    with appliance.store.write() as tx:
        volumes.patch(appliance.control.change(tx, ADMIN), "v1", VolumePatch(name="renamed"))
    with appliance.store.read() as tx:
        after = tx.get_one(Volume, before.id)
    assert (after.name, after.version) == ("renamed", before.version + 1)
    assert (after.backing_name, after.identity()) == (before.backing_name, before.identity())
    refuse(
        appliance,
        Conflict,
        lambda tx, dry: volumes.patch(appliance.control.change(tx, ADMIN), "v2", VolumePatch(name="v3")),
    )


def test_every_table_of_the_schema_is_known_to_the_count() -> None:
    """Keeps `counts` honest: a new noun must be counted too."""
    counted = {
        "array",
        "volume",
        "deleted_volume",
        "snapshot",
        "deleted_snapshot",
        "host",
        "host_group",
        "mapping",
        "portal",
        "fc_port",
        "schedule",
        "release",
        "job",
        "event",
    }
    uncounted = {
        "meta",
        "array_disk",
        "host_initiator",
        "host_group_member",
        "former_listener",
        "target",
        "job_step",
        "alert",
        "user",
        "login_session",
        "api_token",
        "idempotency_key",
        "settings",
        "delivery",
        "schedule_state",
        "schedule_subject",
        "scheduled_snapshot",
        "clone_origin",
        "kept_state",
        "disk_count",
        "host_path_trial",
        "host_login",
        "second_factor",
        "held_number",
        "disk_reading",
    }
    assert set(Base.metadata.tables) == counted | uncounted
