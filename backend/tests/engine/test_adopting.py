"""Running targets of others become ours while their hosts go on, and come back by the boot ledger."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.fakemachine import When
from backend.tests.fakemachine.lio.iscsi import IscsiFabric
from backend.tests.faults.asking import free_disks
from backend.tests.faults.foreign_targets import (
    CHAP,
    DB,
    DB_TARGET,
    PORTAL,
    WEB1,
    WEB2,
    WEB_TARGET,
    make_group,
    restore,
    serial_of,
    store,
    target,
    two_targets,
)
from backend.tests.faults.harness import bystanders
from backend.tests.faults.picture import differences
from backend.tests.faults.world import ACTOR, World, database_template, with_bystanders
from backend.tests.providers.rtslib_moves import picture
from lunette.domain.adopting import AdoptRequest, Verdict
from lunette.domain.agent_protocol import DoStep, ObserveForeign, UndoStep
from lunette.domain.errors import Invalid
from lunette.domain.exports import ServingState
from lunette.domain.jobs import JobState
from lunette.engine.changes import adopting, volumes
from lunette.engine.changes import mappings as mappings_changes
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array, Host, HostGroup, Mapping, Portal, Volume


@pytest.fixture
def world(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    made = World(database_template(sqlite_template, tmp_path))
    with_bystanders(made)
    yield made
    made.close()


def judged(world: World, *targets: str, dry_run: bool = False) -> tuple[Outcome, Verdict]:
    """One request to adopt."""
    foreign = world.agent.ask(ObserveForeign())
    found: list[Verdict] = []

    def ask(tx: object) -> Outcome:
        spec = AdoptRequest(targets=targets)
        outcome, verdict = adopting.adopt(world.control.change(tx, ACTOR, dry_run=dry_run), spec, foreign)  # type: ignore[arg-type]
        found.append(verdict)
        return outcome

    return world.ask(ask), found[0]


def adopt(world: World, *targets: str) -> Verdict:
    outcome, verdict = judged(world, *targets)
    assert outcome.job_id, verdict
    state = world.finish(outcome.job_id)
    assert state.value == "succeeded", world.story(outcome.job_id)
    return verdict


def fabric(world: World) -> IscsiFabric:
    assert world.machine.iscsi is not None
    return world.machine.iscsi


def theirs(world: World) -> dict[str, str]:
    """Everything in configfs that others made."""
    own = ("lunette", "iqn.2026-11.io.lunette", "dbroot")
    return {path: value for path, value in picture(world.machine).items() if not any(one in path for one in own)}


def test_hosts_go_on_and_nothing_is_recreated(world: World) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    db = fabric(world).login(DB, DB_TARGET, PORTAL, ("db", "secret-of-db"))
    web = fabric(world).login(WEB2, WEB_TARGET, PORTAL)
    before = theirs(world)
    verdict = adopt(world)
    assert set(verdict.targets) == {DB_TARGET, WEB_TARGET}
    assert [finding for finding in verdict.findings if not finding.fits] == []
    report = world.settle()
    assert db in fabric(world).sessions
    assert web in fabric(world).sessions
    after = theirs(world)
    assert set(before) <= set(after), "nothing was taken away"
    changed = {path.rpartition("/")[2] for path in before if before[path] != after[path]}
    assert changed <= {"authentication", "demo_mode_discovery"}, changed
    assert all(one.state is ServingState.OPEN for one in report.targets)
    assert not [name for name in report.foreign if "old" in name or "disk" in name]
    assert world.agent.ask(ObserveForeign()).saved.targets == ()
    assert bystanders(world) == []


def test_what_is_adopted_retains_names_numbers_and_secrets(world: World) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    adopt(world)
    world.settle()
    with world.store.read() as tx:
        volume = tx.query(Volume).filter_by(name="disk1").one()
        assert volume.serial == serial_of("disk1")
        assert volume.naa == "6001405" + serial_of("disk1").replace("-", "")[:25]
        mappings = {tx.get_one(Volume, one.volume_id).name: one.lun for one in tx.query(Mapping)}
        assert {name: mappings[name] for name in ("disk0", "disk1", "shared")} == {"disk0": 0, "disk1": 5, "shared": 1}
        host = tx.query(Host).filter_by(name="db").one()
        assert host.chap_user == "db"
        assert world.store.box.open(host.chap_secret_sealed or "").get_secret_value() == CHAP["chap_password"]
        assert {one.host_id for one in tx.query(HostGroup).filter_by(name="web").one().members} == {
            tx.query(Host).filter_by(name=name).one().id for name in ("web1", "web2")
        }
        array = tx.query(Array).filter_by(name="md0").one()
        assert (array.engine_name, array.group_name, len(array.disks)) == ("old:0", "srv", 2)
        assert tx.query(Portal).count() == 2, "192.0.2.1:3260 was a portal already"


def test_exports_come_back_by_the_ledger_with_what_they_showed(world: World) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    adopt(world)
    world.settle()
    world.agent.kill()
    world.machine.reboot()
    for _ in range(12):
        world.pass_time(5)
    session = fabric(world).login(DB, DB_TARGET, PORTAL, ("db", "secret-of-db"))
    assert sorted(session.luns) == [0, 5]
    name = session.luns[5]
    shown = {path: value for path, value in picture(world.machine).items() if f"/{name}/" in path}
    tail = {path.split(f"/{name}/")[1]: value for path, value in shown.items()}
    assert tail["wwn/vpd_unit_serial"].endswith(serial_of("disk1"))
    assert (tail["wwn/vendor_id"], tail["wwn/product_id"], tail["wwn/revision"]) == ("LIO-ORG", "IBLOCK", "4.0")
    assert (tail["attrib/emulate_tas"], tail["attrib/emulate_tpu"]) == ("0", "0")
    assert world.machine.read_data("/dev/srv/disk1", 0) == "data of disk1"
    world.settle()


def test_a_dry_run_changes_nothing(world: World) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    before, rows = world.machine_picture(), world.rows_picture()
    outcome, _ = judged(world, dry_run=True)
    assert [step.kind for step in outcome.plan.steps] == ["group.adopt"]
    assert (world.machine_picture(), world.rows_picture()) == (before, rows)


def test_one_target_alone_leaves_the_other_as_it_is(world: World) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    web = fabric(world).login(WEB1, WEB_TARGET, PORTAL)
    verdict = adopt(world, DB_TARGET)
    assert verdict.targets == (DB_TARGET,)
    report = world.settle()
    assert WEB_TARGET in report.foreign
    assert web in fabric(world).sessions
    adopt(world)
    assert WEB_TARGET not in world.settle().foreign
    assert web in fabric(world).sessions


def test_what_is_unmapped_is_removed_although_its_name_is_not_ours(world: World) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    adopt(world)
    world.settle()
    with world.store.read() as tx:
        ids = [one.id for one in tx.query(Mapping) if tx.get_one(Volume, one.volume_id).name in ("disk0", "disk1")]
    for id_ in ids:
        world.do(lambda tx, id_=id_: mappings_changes.delete(world.control.change(tx, ACTOR), id_))  # type: ignore[misc]
    world.settle()
    left = [path for path in theirs(world) if DB_TARGET in path or "/disk" in path]
    assert left == []
    assert [path for path in theirs(world) if WEB_TARGET in path]
    world.do(lambda tx: volumes.delete(world.control.change(tx, ACTOR), "disk0"))


def test_a_name_that_is_not_there_is_refused(world: World) -> None:
    with pytest.raises(Invalid, match="was not found"):
        judged(world, DB_TARGET)


def test_a_shared_backstore_takes_both_targets_or_none(world: World) -> None:
    make_group(world.machine, free_disks(world)[:2], ("disk0",))
    restore(
        world.machine,
        [store("disk0")],
        [target(DB_TARGET, {0: "disk0"}, {DB: CHAP}), target(WEB_TARGET, {1: "disk0"}, {WEB1: {}})],
    )
    outcome, verdict = judged(world, DB_TARGET)
    assert outcome.job_id is None
    (found,) = [one for one in verdict.findings if one.path == f"/iscsi/{DB_TARGET}"]
    assert "is also served by" in found.words
    adopt(world)
    world.settle()
    with world.store.read() as tx:
        volume = tx.query(Volume).filter_by(name="disk0").one()
        assert [one.shared for one in tx.query(Mapping).filter_by(volume_id=volume.id)] == [True, True]


def test_a_mark_that_is_refused_leaves_everything_as_it_was(world: World) -> None:
    """Each in turn; at last nothing is refused any more."""
    two_targets(world.machine, free_disks(world)[:2])
    db = fabric(world).login(DB, DB_TARGET, PORTAL, ("db", "secret-of-db"))
    before, rows, standing = world.machine_picture(), world.rows_picture(), theirs(world)
    for words in ("vgchange --addtag", "srv/disk0", "srv/disk1", "srv/shared"):
        outcome, _ = judged(world)
        world.machine.faults.break_calls(lambda call, words=words: "--addtag" in call.detail and words in call.detail)  # type: ignore[misc]
        state = world.finish(outcome.job_id or "")
        world.machine.faults.disarm()
        story = world.story(outcome.job_id or "")
        assert state in (JobState.FAILED, JobState.UNDONE), story
        world.converge()
        assert differences(before, world.machine_picture()) == [], story
        assert differences(rows, world.rows_picture()) == [], story
        assert theirs(world) == standing, story
        assert db in fabric(world).sessions
    adopt(world)
    world.settle()
    assert db in fabric(world).sessions


@pytest.mark.parametrize("number", range(4, 28, 4))
def test_an_agent_that_is_killed_midway_continues(world: World, number: int) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    db = fabric(world).login(DB, DB_TARGET, PORTAL, ("db", "secret-of-db"))
    outcome, _ = judged(world)
    world.machine.faults.crash_at(number, When.AFTER)
    assert world.finish(outcome.job_id or "") is JobState.SUCCEEDED
    world.machine.faults.disarm()
    world.settle()
    assert db in fabric(world).sessions


def test_the_step_can_be_repeated_and_undone_twice(world: World) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    outcome, _ = judged(world, dry_run=True)
    (step,) = outcome.plan.steps
    before = world.machine_picture()
    assert not world.agent.ask(UndoStep(job_id="job", step=step)).changed, "it never ran"
    assert world.agent.ask(DoStep(job_id="job", step=step)).changed
    marked = world.machine_picture()
    assert differences(before, marked) != []
    assert not world.agent.ask(DoStep(job_id="job", step=step)).changed
    assert differences(marked, world.machine_picture()) == []
    assert world.agent.ask(UndoStep(job_id="job", step=step)).changed
    assert differences(before, world.machine_picture()) == []
    assert not world.agent.ask(UndoStep(job_id="job", step=step)).changed
