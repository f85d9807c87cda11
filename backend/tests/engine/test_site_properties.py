"""Any two valid sites: A then B is B, B twice is nothing, every plan passes the checker, nothing unnamed goes.

Every change is made by the product's own code on a real database; only jobs are taken to succeed at once, as in the
rehearsal of a document. On the fake machine, where fewer sites are made, they really run. The long profile looks at
many more sites.
"""

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.tests import seen
from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.engine.test_site import ask, there
from backend.tests.exploring import explored, fixed
from backend.tests.faults.world import ACTOR, World, database_template
from backend.tests.planner.sites import (
    ADDRESSES,
    ARRAYS,
    DISK_BYTES,
    DISKS,
    FC_PORTS,
    Facts,
    Scene,
    facts,
    open_sites,
    scenes,
    sites,
)
from lunette.agent import serving
from lunette.domain.arrays import ArrayEngine
from lunette.domain.base import Model
from lunette.domain.errors import InUse, LunetteError
from lunette.domain.exports import ServingState
from lunette.domain.jobs import JobState
from lunette.domain.mappings import Family, Protocol
from lunette.domain.plans import Plan
from lunette.domain.schedules import ScheduleAction
from lunette.domain.settings import SettingsPatch
from lunette.domain.site import Site, SiteNoun, SiteRequest, key_of
from lunette.domain.sizes import GIB
from lunette.domain.snapshots import SnapshotCreate
from lunette.domain.volumes import Provisioning
from lunette.engine import completion, snapshots
from lunette.engine import site as engine
from lunette.engine.outcome import Outcome
from lunette.engine.site_known import known
from lunette.planner import site as planner
from lunette.planner.site import KnownSite, SiteChange, Verb
from lunette.planner.site_scope import narrow
from lunette.store.database import store_of
from lunette.store.journal import Job
from lunette.store.resources import Snapshot, Volume
from lunette.system.fake import FakeDisk, FakeSignature, Media

FEW, MANY = 8, 1500
"""Examples in `make test`, which take seconds for all of them, and in the full matrix."""
FEW_MADE, MANY_MADE = 5, 200
"""Those that are made on the fake machine."""


class Played:
    """An appliance in a transaction that leaves nothing behind: jobs succeed at once, the machine is foreseen."""

    def __init__(self, tx: Session, appliance: Appliance) -> None:
        self._tx = tx
        self._stage = engine.Stage(appliance.control.desk)

    def known(self) -> KnownSite:
        return known(self._tx, store_of(self._tx).box)

    def facts(self) -> Facts:
        return facts(self.known().site)

    def settings(self) -> SettingsPatch:
        """Those a drawn site says something about."""
        found = self.known().site.settings
        assert found is not None
        return SettingsPatch(name=found.name, history_days=found.history_days)

    def changes(self, wanted: Site, destroy: Collection[str]) -> tuple[SiteChange, ...]:
        return planner.difference(SiteRequest(site=wanted, destroy=tuple(sorted(destroy))), self.known()).changes

    def rehearse(self, changes: Sequence[SiteChange]) -> list[Plan]:
        return [outcome.plan for outcome in engine.rehearse(self._tx, self._stage.desk, ADMIN, changes)]

    def bring_to(self, wanted: Site, destroy: Collection[str] = ()) -> tuple[SiteChange, ...]:
        """Applies the document; everything in `destroy` may go. Returns the changes."""
        changes = self.changes(wanted, destroy)
        engine.play(self._tx, self._stage, ADMIN, changes)
        return changes

    def snapshots(self) -> dict[str, str]:
        """The volume of each by its name."""
        return snapshots_in(self._tx)

    def take(self, wanted: Mapping[str, str]) -> None:
        for name, volume in wanted.items():
            wish = SnapshotCreate(name=name, volume=volume)
            self._succeed(snapshots.take(self._tx, self._stage.desk, ADMIN, wish, False))

    def drop(self, names: Collection[str]) -> None:
        for name in names:
            self._succeed(snapshots.delete(self._tx, self._stage.desk, ADMIN, name, False))

    def _succeed(self, outcome: Outcome) -> None:
        self._tx.flush()
        self._stage.run(outcome.plan)
        completion.succeeded(self._tx, self._stage.desk, self._tx.get_one(Job, outcome.job_id))
        self._tx.flush()


def snapshots_in(tx: Session) -> dict[str, str]:
    query = select(Snapshot.name, Volume.name).join(Volume, Volume.id == Snapshot.volume_id)
    return dict(tx.execute(query).all())


@contextmanager
def played(appliance: Appliance, disks: Sequence[int] = (10 * GIB,) * 8) -> Iterator[Played]:
    """On disks of these sizes."""
    blank = [seen.disk(number, size_bytes=size) for number, size in enumerate(disks, 1)]
    appliance.agent.disks = {disk.id: disk for disk in blank}
    appliance.control._cache.forget()
    with appliance.store.write() as tx:
        yield Played(tx, appliance)
        tx.rollback()


def deleted(changes: Sequence[SiteChange]) -> set[str]:
    return {key for change in changes for key in change.keys if change.verb is Verb.DELETE}


def check_a_then_b_is_b(appliance: Appliance, scene: Scene) -> None:
    """What has snapshots goes only once they are gone; all others stay."""
    first, second, leaving = scene.first, scene.second, scene.leaving()
    with played(appliance, scene.disks) as world:
        world.bring_to(first)
        assert world.facts() == facts(first)
        world.take(scene.snapshots)
        if leaving:
            with pytest.raises(InUse, match="has the snapshots"):
                world.rehearse(world.changes(second, facts(first)))
            assert world.facts() == facts(first)
        world.drop(leaving)
        changes = world.bring_to(second, facts(first))
        assert world.facts() == facts(second)
        assert world.settings() == second.settings
        assert world.snapshots() == scene.staying()
        assert deleted(changes) >= facts(first).keys() - facts(second).keys()
        assert world.bring_to(second, facts(first)) == ()
        exported = Site.model_validate_json(known(world._tx, None).site.model_dump_json(exclude_unset=True))
        assert world.bring_to(exported) == ()


@fixed("a_then_b_is_b", FEW)
@given(scene=scenes())
def test_a_then_b_is_b_and_b_again_is_nothing(lone: Appliance, scene: Scene) -> None:
    check_a_then_b_is_b(lone, scene)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("a_then_b_is_b", MANY)
@given(scene=scenes())
def test_a_then_b_is_b_for_very_many_sites(lone: Appliance, scene: Scene) -> None:
    check_a_then_b_is_b(lone, scene)


def check_only_what_is_named_goes(appliance: Appliance, scene: Scene, named: set[str]) -> None:
    """Either it is refused as a whole, or nothing goes but what was named. Snapshots are no part of any document."""
    with played(appliance, scene.disks) as world:
        world.bring_to(scene.first)
        world.take(scene.snapshots)
        before = world.facts()
        try:
            changes = world.changes(scene.second, named)
            plans = world.rehearse(changes)
        except LunetteError as refusal:
            if refusal.status >= 500:  # such as a plan that its own check refuses: a fault of the planner
                raise
            assert world.facts() == before
            return
        assert world.facts() == before
        assert deleted(changes) <= named
        # A volume is set aside, and can be had back; what goes with its array is gone.
        arrays = [key for key in deleted(changes) if key.startswith("array/")]
        assert bool(sum(plan.bytes_destroyed() for plan in plans)) == bool(arrays)
        world.bring_to(scene.second, named)
        assert before.keys() - world.facts().keys() <= named
        assert world.snapshots() == scene.snapshots


@st.composite
def named_scenes(draw: st.DrawFn) -> tuple[Scene, set[str]]:
    """Two sites, and some of the first that may go."""
    scene = draw(scenes())
    keys = sorted(facts(scene.first))
    return scene, draw(st.sets(st.sampled_from(keys))) if keys else set()


@fixed("nothing_unnamed_goes", FEW)
@given(case=named_scenes())
def test_nothing_goes_that_was_not_named(lone: Appliance, case: tuple[Scene, set[str]]) -> None:
    check_only_what_is_named_goes(lone, *case)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("nothing_unnamed_goes", MANY)
@given(case=named_scenes())
def test_nothing_goes_that_was_not_named_in_very_many_sites(lone: Appliance, case: tuple[Scene, set[str]]) -> None:
    check_only_what_is_named_goes(lone, *case)


@fixed("what_is_left_open_stays", FEW)
@given(first=sites(), second=open_sites())
def test_what_a_document_leaves_open_stays_and_applying_it_twice_changes_nothing(
    lone: Appliance, first: Site, second: Site
) -> None:
    with played(lone) as world:
        world.bring_to(first)
        before = world.facts()
        try:
            world.rehearse(world.changes(second, before))
        except LunetteError as refusal:  # such as: a host wants an initiator of another whose initiators are left open
            if refusal.status >= 500:
                raise
            reject()
        world.bring_to(second, before)
        after = world.facts()
        assert world.bring_to(second, before) == ()
        for noun in SiteNoun:
            for entry in second.entries(noun):
                key = key_of(noun, entry)
                held, now = before.get(key, {}), after.get(key, {})
                for name in left_open(entry, held, now):
                    assert now[name] == held[name]


def left_open(entry: Model, before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    """The fields that are to stay. A portal with another protocol may need another engine."""
    fields = before.keys() - entry.model_fields_set
    return fields - {"engine"} if before.get("protocol") != after.get("protocol") else fields


@fixed("a_scope_keeps_changes_inside", FEW)
@given(first=sites(), second=sites(), data=st.data())
def test_a_scope_keeps_the_changes_inside(lone: Appliance, first: Site, second: Site, data: st.DataObject) -> None:
    scopes = [key for key in {**facts(first), **facts(second)} if not key.startswith("mapping/")]
    assume(scopes)
    scope = data.draw(st.sampled_from(sorted(scopes)))
    with played(lone) as world:
        world.bring_to(first)
        there = world.known()
        request = SiteRequest(site=second, scope=(scope,), destroy=tuple(sorted(facts(first))))
        touched = {key for change in planner.difference(request, there).changes for key in change.keys}
        inside = {key for site in (first, second) for key in facts(narrow(site, there.site, (scope,), second))}
        assert scope in inside
        assert touched <= inside


class Made:
    """An appliance with a fake machine of its own, on which every change is made by the agent's own code."""

    def __init__(self, database: Path, disks: Sequence[int]) -> None:
        self.world = World(database)
        machine = self.world.machine
        machine.addresses.update(ADDRESSES)
        for number, size in enumerate(disks, 1):
            serial = f"D{number}"
            machine.add_disk(FakeDisk(f"nvme{number}n1", serial, "Disk", "nvme", serial, Media(size)))
        for wwpn in FC_PORTS:
            machine.add_fc_port(wwpn, "qla2xxx")
        serving.prepare(machine)
        machine.advance(40)
        self.world.converge()

    def bring_to(self, wanted: Site, destroy: Collection[str] = ()) -> None:
        """Applies the document and lets time go by until all of it is served, and nothing else."""
        outcome = ask(self.world, wanted, *destroy)
        if outcome.job_id is not None:
            assert self._end(outcome.job_id) is JobState.SUCCEEDED, self.world.story(outcome.job_id)
        report = self.world.settle()
        assert report.unexplained == ()
        assert len(report.volumes) == len({mapping.volume for mapping in wanted.mappings or ()})
        assert {port.state for port in report.fc_ports} <= {ServingState.OPEN}

    def snapshots(self) -> dict[str, str]:
        """Those of the database; the machine has as many."""
        with self.world.store.read() as tx:
            found = snapshots_in(tx)
        observed = self.world.control.observation(0)
        assert sum(volume.snapshot_id is not None for volume in observed.volumes) == len(found)
        return found

    def take(self, wanted: Mapping[str, str]) -> None:
        for name, volume in wanted.items():
            wish = SnapshotCreate(name=name, volume=volume)
            self.world.do(lambda tx, wish=wish: self.world.control.take_snapshot(tx, ACTOR, wish))  # type: ignore[misc]

    def drop(self, names: Collection[str]) -> None:
        for name in names:
            self.world.do(lambda tx, name=name: self.world.control.delete_snapshot(tx, ACTOR, name))  # type: ignore[misc]

    def _end(self, job_id: str) -> JobState:
        """Runs a document's job and those it files. Before each of these the agent is told what leaves."""
        for _ in range(100):
            with self.world.store.read() as tx:
                if (state := JobState(tx.get_one(Job, job_id).state)).is_over:
                    return state
                unfinished = tx.scalars(select(Job.id).where(Job.state.in_(engine.UNFINISHED))).all()
            for one in unfinished:
                if one != job_id:
                    self.world.converge()
                self.world.control.run_job(one)
        raise AssertionError(self.world.story(job_id))


@contextmanager
def made(template: Path, disks: Sequence[int]) -> Iterator[Made]:
    with TemporaryDirectory() as folder:
        machine = Made(Path(shutil.copy(template, folder)), disks)
        with closing(machine.world):
            yield machine


@pytest.fixture
def template(sqlite_template: Path, tmp_path: Path) -> Path:
    return database_template(sqlite_template, tmp_path)


def check_a_then_b_is_made_and_served(template: Path, scene: Scene) -> None:
    first, second, leaving = scene.first, scene.second, scene.leaving()
    with made(template, scene.disks) as machine:
        machine.bring_to(first)
        machine.take(scene.snapshots)
        assert machine.snapshots() == scene.snapshots
        if leaving:
            with pytest.raises(InUse, match="has the snapshots"):
                ask(machine.world, second, *facts(first))
        machine.drop(leaving)
        machine.bring_to(second, facts(first))
        assert there(machine.world) == facts(second)
        assert machine.snapshots() == scene.staying()
        assert ask(machine.world, second, *facts(first)).job_id is None


@fixed("a_then_b_is_made", FEW_MADE)
@given(scene=scenes())
def test_a_then_b_is_made_on_the_machine_and_served(template: Path, scene: Scene) -> None:
    check_a_then_b_is_made_and_served(template, scene)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("a_then_b_is_made", MANY_MADE)
@given(scene=scenes())
def test_a_then_b_is_made_and_served_for_many_sites(template: Path, scene: Scene) -> None:
    check_a_then_b_is_made_and_served(template, scene)


def kinds(scene: Scene) -> Iterator[object]:
    """What there is in a scene."""
    sizes = dict(zip(DISKS, scene.disks, strict=True))
    for site in (scene.first, scene.second):
        yield from (noun for noun in SiteNoun if site.entries(noun))
        engines = {array.name: array.engine for array in site.arrays or ()}
        yield from engines.values()
        yield from (("differing", one.engine) for one in site.arrays or () if len({sizes[d] for d in one.disks}) > 1)
        yield from ((engines[volume.array], volume.provisioning) for volume in site.volumes or ())
        yield from (portal.protocol for portal in site.portals or ())
        yield from ((mapping.family, mapping.host is None) for mapping in site.mappings or ())
        yield from (schedule.action for schedule in site.schedules or ())
    engine_of = {volume.name: ArrayEngine(ARRAYS[volume.array]["engine"]) for volume in scene.first.volumes or ()}
    yield from (("snapshot", engine_of[volume]) for volume in scene.snapshots.values())


def test_every_kind_is_among_the_fixed_examples() -> None:
    engines = (ArrayEngine.MD, ArrayEngine.ZFS)
    wanted = {
        *SiteNoun, *engines, *ScheduleAction, Protocol.ISCSI, Protocol.NVME_TCP, *product(Family, (False, True)),
        *product(engines, Provisioning), *product(("differing", "snapshot"), engines),
    }  # fmt: skip
    for name, count in (("a_then_b_is_b", FEW), ("a_then_b_is_made", FEW_MADE)):
        assert wanted - drawn(name, count) == set(), name


def drawn(name: str, count: int) -> set[object]:
    """The kinds in the examples of a fixed run."""
    found: set[object] = set()

    @fixed(name, count)
    @given(scene=scenes())
    def look(scene: Scene) -> None:
        found.update(kinds(scene))

    look()
    return found


@pytest.mark.parametrize(("before", "after", "server"), [("iscsi", "nvme-tcp", "nvmet"), ("nvme-tcp", "iscsi", "lio")])
def test_a_portal_with_another_protocol_has_the_engine_that_serves_it(
    lone: Appliance, before: str, after: str, server: str
) -> None:
    def site(protocol: str) -> Site:
        return Site.model_validate({"portals": [{"name": "front", "protocol": protocol, "address": "127.0.0.1"}]})

    with played(lone) as world:
        world.bring_to(site(before))
        world.bring_to(site(after), {"portal/front"})
        assert {(fact["protocol"], fact["engine"]) for fact in world.facts().values()} == {(after, server)}


def test_a_disk_of_any_role_may_be_named_by_any_of_its_links(template: Path) -> None:
    site = Site.model_validate({
        "arrays": [
            {"name": "pool", "engine": "zfs", "level": "mirror", "disks": ["nvme-D1", "nvme-Disk_D2"],
             "log": ["nvme-Disk_D3"], "spares": ["nvme-Disk_D4"]},
            {"name": "fast", "level": "raid1", "disks": ["nvme-D5", "nvme-Disk_D6"], "write_mostly": ["nvme-Disk_D6"],
             "spares": ["nvme-Disk_D7"]},
        ],
    })  # fmt: skip
    with made(template, DISK_BYTES[:1] * 8) as machine:
        machine.world.machine.blocks.disks[2].media.signatures = [FakeSignature("ext4", 1080)]
        machine.bring_to(site, {"disk/nvme-Disk_D3"})
        assert ask(machine.world, site).job_id is None
        pool, fast = (there(machine.world)[f"array/{name}"] for name in ("pool", "fast"))
        assert (pool["log"], fast["write_mostly"]) == ({"nvme-D3"}, {"nvme-D6"})


def test_a_schedule_that_lost_all_it_was_about_is_still_there(lone: Appliance) -> None:
    whole = Site.model_validate({
        "arrays": [{"name": "pool", **ARRAYS["pool"]}],
        "volumes": [{"name": "v", "array": "pool", "size_bytes": "64MiB"}],
        "schedules": [{"name": "daily", "action": "snapshot", "volumes": ["v"], "when": "0 2 * * *",
                       "keep": {"last": 7}}],
    })  # fmt: skip
    without = whole.model_copy(update={"volumes": (), "schedules": ()})
    with played(lone) as world:
        world.bring_to(whole)
        world.bring_to(without, {"volume/v"})
        world.bring_to(whole)
        assert world.facts().keys() == facts(whole).keys()
        world.bring_to(without, {"volume/v"})
        assert engine.export(world._tx, None).schedules == ()
        assert deleted(world.bring_to(without, {"schedule/daily"})) == {"schedule/daily"}
