"""Running NVMe subsystems of others become ours while their hosts stay connected, and come back by the boot ledger."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.engine.test_adopting import adopt, judged
from backend.tests.fakemachine import When
from backend.tests.fakemachine.nvme.nvmet import FakeController, NvmeTarget, Refuse
from backend.tests.faults.asking import free_disks
from backend.tests.faults.foreign_subsystems import (
    DB,
    DB_NQN,
    KEYS,
    NGUID,
    SHOWN,
    UUIDS,
    WEB1,
    WEB2,
    WEB_NQN,
    WHERE,
    Watch,
    connect,
    picture,
    two_subsystems,
)
from backend.tests.faults.foreign_targets import CHAP, DB_TARGET, restore, store, target
from backend.tests.faults.foreign_targets import DB as DB_IQN
from backend.tests.faults.harness import bystanders
from backend.tests.faults.picture import differences
from backend.tests.faults.world import ACTOR, World, database_template, give_nvme_host, nqn, with_bystanders
from lunette.agent import serving
from lunette.domain.agent_protocol import ObserveForeign, ObserveServed
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.exports import ServingState
from lunette.domain.jobs import JobState
from lunette.domain.mappings import ExportEngine, MappingCreate, PortalCreate, Protocol
from lunette.engine.changes import mappings, portals
from lunette.engine.changes import volumes as volumes_changes
from lunette.providers.exports.nvmet.configfs import ROOT
from lunette.store.resources import Host, HostGroup, Mapping, Portal, Target, Volume


@pytest.fixture
def world(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    made = World(database_template(sqlite_template, tmp_path))
    with_bystanders(made)
    two_subsystems(made.machine, free_disks(made)[:2])
    yield made
    made.close()


def nvmet(world: World) -> NvmeTarget:
    assert world.machine.nvme is not None
    return world.machine.nvme


def unmap(world: World, *volumes: str) -> None:
    with world.store.read() as tx:
        ids = [one.id for one in tx.query(Mapping) if tx.get_one(Volume, one.volume_id).name in volumes]
    for id_ in ids:
        world.do(lambda tx, id_=id_: mappings.delete(world.control.change(tx, ACTOR), id_))  # type: ignore[misc]
    world.settle()


def test_hosts_notice_nothing_at_any_call_and_nothing_is_recreated(world: World) -> None:
    watch = Watch(world.machine, *connect(world.machine))
    before = picture(world.machine)
    verdict = adopt(world)
    assert set(verdict.targets) == {DB_NQN, WEB_NQN}
    assert [finding for finding in verdict.findings if not finding.fits] == []
    report = world.settle()
    world.pass_time(30)
    assert watch.ended() == []
    assert watch.looks > 100
    after = picture(world.machine)
    assert {path: after.get(path) for path in before} == before
    added = {path.removeprefix(ROOT) for path in after.keys() - before.keys()}
    assert {path.split("/")[3] for path in added} == {"referrals"}, "the port tells of the other one, and no more"
    assert all(one.state is ServingState.OPEN for one in report.subsystems)
    assert DB_NQN not in report.foreign
    assert world.agent.ask(ObserveForeign()).subsystems == ()
    assert bystanders(world) == []


def test_what_is_adopted_retains_names_numbers_identities_and_keys(world: World) -> None:
    adopt(world)
    world.settle()
    with world.store.read() as tx:
        volumes = {one.name: one for one in tx.query(Volume)}
        assert {name: volumes[name].uuid for name in UUIDS} == UUIDS
        assert (volumes["disk0"].nguid, volumes["disk0"].without_nguid) == (NGUID.replace("-", ""), False)
        assert volumes["disk1"].without_nguid
        assert volumes["disk1"].nguid.strip("0"), "should it be shown one day, it has one"
        numbers = {tx.get_one(Volume, one.volume_id).name: (one.family, one.lun) for one in tx.query(Mapping)}
        assert {name: numbers[name] for name in ("disk0", "disk1", "shared")} == {
            "disk0": ("nvme", 3),
            "disk1": ("nvme", 7),
            "shared": ("nvme", 1),
        }
        host = tx.query(Host).filter_by(name="db").one()
        assert [one.name for one in host.initiators] == [DB]
        opened = [
            world.store.box.open(one or "") for one in (host.dhchap_secret_sealed, host.dhchap_mutual_secret_sealed)
        ]
        assert tuple(one.get_secret_value() for one in opened) == KEYS
        assert (host.dhchap_hash, host.dhchap_group) == ("sha384", "ffdhe2048")
        kept = tx.query(Target).filter_by(nqn=DB_NQN).one().adopted()
        assert kept is not None
        assert {("attr_serial", kept.serial), *kept.attributes} >= set(SHOWN.items())
        members = {one.host_id for one in tx.query(HostGroup).filter_by(name="old-web").one().members}
        assert members == {tx.query(Host).filter_by(name=name).one().id for name in ("web1", "web2")}
        portal = tx.query(Portal).filter_by(adopted="1").one()
        assert (portal.protocol, portal.engine, portal.address, portal.port) == ("nvme-tcp", "nvmet", "192.0.2.1", 4421)


def test_it_is_served_at_our_portals_too_and_ours_at_its_port(world: World) -> None:
    give_nvme_host(world, "erin", ["mapped"])
    world.settle()
    adopt(world)
    world.settle()
    assert DB_NQN in nvmet(world).discover(DB, "192.0.2.1:4420")
    found = nvmet(world).discover(nqn("erin"), WHERE)
    assert any("io.lunette" in one for one in found)
    assert "tcp:192.0.2.1:4420" in found


def test_it_is_restored_by_the_ledger_with_its_identity(world: World) -> None:
    adopt(world)
    world.settle()
    shown = {path: value for path, value in picture(world.machine).items() if f"/{DB_NQN}/attr_" in path}
    world.agent.kill()
    world.machine.reboot()
    for _ in range(12):
        world.pass_time(5)
    assert world.machine.listdir(f"{ROOT}/ports"), "its port is one of ours now"
    assert "1" not in world.machine.listdir(f"{ROOT}/ports")
    with pytest.raises(Refuse):
        nvmet(world).connect(DB, DB_NQN, WHERE, None)
    controller = nvmet(world).connect(DB, DB_NQN, WHERE, KEYS)
    assert sorted(nvmet(world).devices(controller)) == [3, 7]
    now = picture(world.machine)
    assert {path: now[path] for path in shown} == shown
    path = f"{ROOT}/subsystems/{DB_NQN}/namespaces"
    assert (now[f"{path}/3/device_nguid"].strip(), now[f"{path}/3/device_uuid"].strip()) == (NGUID, UUIDS["disk0"])
    assert now[f"{path}/7/device_nguid"].strip() == "00000000-0000-0000-0000-000000000000"
    assert world.machine.read_data("/dev/srv/disk1", 0) == "data of disk1"
    watch = Watch(world.machine, controller)
    world.settle()
    assert watch.ended() == []


def test_adopting_twice_finds_nothing_more(world: World) -> None:
    adopt(world)
    world.settle()
    outcome, verdict = judged(world)
    assert (outcome.job_id, verdict.targets, verdict.findings) == (None, (), ())
    with pytest.raises(Invalid, match="was not found: a dry run without names"):
        judged(world, DB_NQN)


def test_a_dry_run_changes_nothing(world: World) -> None:
    before, rows, standing = world.machine_picture(), world.rows_picture(), picture(world.machine)
    outcome, _ = judged(world, dry_run=True)
    assert [step.kind for step in outcome.plan.steps] == ["group.adopt"]
    assert outcome.plan.title == "Adopt 2 NVMe subsystems"
    reported = [change.detail for change in outcome.plan.changes]
    assert f"namespace 7 of db at {DB_NQN}, unchanged" in reported
    assert not [one for one in reported if "DHHC" in one]
    assert (world.machine_picture(), world.rows_picture(), picture(world.machine)) == (before, rows, standing)


def test_a_mark_that_is_refused_leaves_everything_as_it_was(world: World) -> None:
    """Each in turn; at last nothing is refused any more. Hosts notice nothing of any of it."""
    controllers = connect(world.machine)
    before, rows, standing = world.machine_picture(), world.rows_picture(), picture(world.machine)
    for words in ("vgchange --addtag", "srv/disk0", "srv/disk1", "srv/shared"):
        watch = Watch(world.machine, *controllers)
        outcome, _ = judged(world)
        world.machine.faults.break_calls(
            lambda call, words=words, watch=watch: (
                watch.look(call) or ("--addtag" in call.detail and words in call.detail)
            )  # type: ignore[misc]
        )
        state = world.finish(outcome.job_id or "")
        world.machine.faults.break_calls(watch.look)
        story = world.story(outcome.job_id or "")
        assert state in (JobState.FAILED, JobState.UNDONE), story
        world.converge()
        assert watch.ended() == [], story
        assert differences(before, world.machine_picture()) == [], story
        assert differences(rows, world.rows_picture()) == [], story
        assert picture(world.machine) == standing, story
    watch = Watch(world.machine, *controllers)
    adopt(world)
    world.settle()
    assert watch.ended() == []


def test_nothing_is_served_differently_while_the_job_is_under_way(world: World) -> None:
    watch = Watch(world.machine, *connect(world.machine))
    standing = picture(world.machine)
    judged(world)
    report = world.converge()
    assert report is not None
    assert {DB_NQN, WEB_NQN} <= set(report.foreign)
    assert picture(world.machine) == standing
    assert watch.ended() == []


@pytest.mark.parametrize("number", range(4, 28, 8))
def test_an_agent_that_is_killed_midway_continues(world: World, number: int) -> None:
    controllers = connect(world.machine)
    outcome, _ = judged(world)
    world.machine.faults.crash_at(number, When.AFTER)
    assert world.finish(outcome.job_id or "") is JobState.SUCCEEDED
    world.machine.faults.disarm()
    watch = Watch(world.machine, *controllers)
    world.settle()
    assert watch.ended() == []


@pytest.mark.parametrize("number", range(2, 60, 15))
def test_an_agent_that_is_killed_while_it_takes_over_changes_nothing_for_hosts(world: World, number: int) -> None:
    watch = Watch(world.machine, *connect(world.machine))
    adopt(world)
    world.machine.faults.crash_at(number, When.AFTER)
    world.settle()
    world.pass_time(10)
    assert watch.ended() == []


def test_an_agent_that_starts_without_its_database_retains_them(world: World) -> None:
    adopt(world)
    world.settle()
    watch = Watch(world.machine, *connect(world.machine))
    world.agent.kill()
    world.pass_time(30)
    world.settle()
    assert watch.ended() == []


def test_what_is_unmapped_is_removed_although_its_name_is_not_ours(world: World) -> None:
    adopt(world)
    world.settle()
    web = nvmet(world).connect(WEB1, WEB_NQN, WHERE, None)
    watch = Watch(world.machine, web)
    unmap(world, "disk0", "disk1")
    assert [path for path in picture(world.machine) if DB_NQN in path or DB in path] == []
    assert watch.ended() == [], "the other subsystem stays"
    world.do(lambda tx: volumes_changes.delete(world.control.change(tx, ACTOR), "disk0"))
    again = MappingCreate(volume="disk1", host="db")
    world.do(lambda tx: mappings.create(world.control.change(tx, ACTOR), [again]))
    world.settle()
    assert world.machine.read(f"{ROOT}/subsystems/{DB_NQN}/attr_serial").strip() == SHOWN["attr_serial"]
    assert sorted(nvmet(world).devices(nvmet(world).connect(DB, DB_NQN, WHERE, KEYS))) == [7], "its old number"


def test_a_deleted_portal_is_removed_although_its_number_is_not_ours(world: World) -> None:
    adopt(world)
    world.settle()
    with world.store.read() as tx:
        id_ = tx.query(Portal).filter_by(adopted="1").one().id
    world.do(lambda tx: portals.delete(world.control.change(tx, ACTOR), id_))
    world.settle()
    assert "1" not in world.machine.listdir(f"{ROOT}/ports")
    assert DB_NQN in nvmet(world).discover(DB, "192.0.2.1:4420")
    world.machine.mkdir(f"{ROOT}/ports/1")
    world.settle()
    assert "1" in world.machine.listdir(f"{ROOT}/ports"), "who makes another one of this number has it"


def test_a_host_that_is_adopted_and_loses_its_name_is_let_go(world: World) -> None:
    adopt(world)
    world.settle()
    mine: FakeController = nvmet(world).connect(WEB1, WEB_NQN, WHERE, None)
    unmap(world, "shared")
    assert mine not in nvmet(world).controllers
    assert [path for path in picture(world.machine) if WEB1 in path or WEB2 in path] == []


def test_a_shutdown_takes_them_down_too(world: World) -> None:
    adopt(world)
    world.settle()
    served = world.agent.ask(ObserveServed())
    assert serving.withdraw(world.machine, served) == {}
    assert world.machine.listdir(f"{ROOT}/subsystems") == []
    assert world.machine.listdir(f"{ROOT}/ports") == []


def test_spdk_does_not_serve_what_nvmet_showed(world: World) -> None:
    adopt(world)
    world.settle()
    spec = PortalCreate(name="s", protocol=Protocol.NVME_TCP, address="192.0.2.1", port=4500, engine=ExportEngine.SPDK)
    with pytest.raises((Conflict, Invalid)) as refused:
        world.do(lambda tx: portals.create(world.control.change(tx, ACTOR), spec))
    assert [one for one in refused.value.errors if "was adopted from nvmet" in one.message]


def test_one_subsystem_alone_is_refused_while_another_shares_its_port(world: World) -> None:
    outcome, verdict = judged(world, DB_NQN)
    assert outcome.job_id is None
    words = {one.path: one.words for one in verdict.findings}
    assert words[f"/nvmet/subsystems/{DB_NQN}"].startswith(f"Port 1 also belongs to {WEB_NQN}, which is not adopted")
    assert words[f"/nvmet/subsystems/{WEB_NQN}"] == "It was not selected."
    assert words["/nvmet/ports/1"] == "It serves no subsystem that is adopted."


def test_a_volume_that_lio_serves_too_blocks_both(world: World) -> None:
    restore(world.machine, [store("disk1")], [target(DB_TARGET, {0: "disk1"}, {DB_IQN: CHAP})])
    _, verdict = judged(world, dry_run=True)
    words = {one.path: one.words for one in verdict.findings if not one.fits}
    assert words["/backstores/block/disk1"] == f"NVMe subsystem {DB_NQN} also serves its volume and is not adopted."
    reported = words[f"/nvmet/subsystems/{DB_NQN}/namespaces/7"]
    assert reported.startswith("LIO also serves srv/disk1, as /backstores/block/disk1")
    assert verdict.targets == ()


def test_targets_and_subsystems_are_taken_over_together(world: World) -> None:
    restore(world.machine, [store("idle")], [target(DB_TARGET, {0: "idle"}, {DB_IQN: CHAP})])
    verdict = adopt(world)
    assert set(verdict.targets) == {DB_TARGET, DB_NQN, WEB_NQN}
    report = world.settle()
    assert all(one.state is ServingState.OPEN for one in (*report.targets, *report.subsystems))
