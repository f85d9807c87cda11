"""Site documents as jobs: refused as a whole or begun, one change after another, going on where it stopped.

The real engine and the real agent on a fake machine with eight blank drives and an address.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from backend.tests.fakemachine import FakeSignature
from backend.tests.faults.world import ACTOR, EngineCrash, World, database_template
from backend.tests.planner.sites import Facts, facts
from backend.tests.wiring import AwayAgent
from lunette.domain.errors import Conflict, InUse, LunetteError, NoSpace, ToolFailed
from lunette.domain.hosts import HostPatch
from lunette.domain.jobs import UNFINISHED, JobState
from lunette.domain.mappings import PortalCreate
from lunette.domain.plans import Plan
from lunette.domain.site import Site, SiteRequest
from lunette.engine.changes import hosts, portals
from lunette.engine.context.outcome import Outcome
from lunette.engine.site import changes as site_changes
from lunette.engine.site.known import known
from lunette.store.journal import Event, Job, JobStep
from lunette.store.resources import DeletedVolume, Portal, Volume

SECRET = "secret-of-h1-00"


def document(world: World, **sections: Any) -> Site:
    """An array, three volumes, two hosts, a group, a portal, mappings to both; or other sections."""
    disks = [disk.links()[0] for disk in world.machine.blocks.disks]
    whole = {
        "arrays": [{"name": "tank", "level": "raid1", "disks": disks[:2]}],
        "volumes": [{"name": f"v{n}", "array": "tank", "size_bytes": "64MiB"} for n in (1, 2, 3)],
        "hosts": [
            {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"], "chap": {"user": "h1", "secret": SECRET}},
            {"name": "h2", "iqns": ["iqn.2026-01.com.example:h2"]},
        ],
        "host_groups": [{"name": "g", "hosts": ["h2"]}],
        "portals": [{"name": "front", "address": "192.0.2.1"}],
        "mappings": [
            {"volume": "v1", "host": "h1"},
            {"volume": "v2", "host": "h1", "lun": 7},
            {"volume": "v3", "host_group": "g"},
        ],
    }
    return Site.model_validate(whole | sections)


@pytest.fixture
def world(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    made = new_world(sqlite_template, tmp_path)
    yield made
    made.close()


def new_world(migrated: Path, folder: Path) -> World:
    made = World(database_template(migrated, folder))
    made.machine.add_disks(8)
    made.machine.advance(40)
    made.converge()
    return made


def ask(world: World, site: Site, *destroy: str, dry_run: bool = False) -> Outcome:
    request = SiteRequest(site=site, destroy=destroy)
    return world.ask(lambda tx: site_changes.apply(world.control.change(tx, ACTOR, dry_run=dry_run), request))


def run(world: World, job_id: str | None) -> Job:
    """Runs every unfinished job, the waiting one too, until this one is over."""
    assert job_id is not None
    for _ in range(50):
        with world.store.read() as tx:
            if JobState((job := tx.get_one(Job, job_id)).state).is_over:
                return job
            unfinished = tx.scalars(select(Job.id).where(Job.state.in_(UNFINISHED)).order_by(Job.created_at)).all()
        for one in unfinished:
            world.control.run_job(one)
    raise AssertionError(world.story(job_id))


def applied(world: World, site: Site, *destroy: str) -> Plan:
    outcome = ask(world, site, *destroy)
    assert run(world, outcome.job_id).state == JobState.SUCCEEDED, world.story(outcome.job_id or "")
    return outcome.plan


def there(world: World) -> Facts:
    with world.store.read() as tx:
        return facts(known(tx, world.store.box).site)


def count(world: World, table: type) -> int:
    with world.store.read() as tx:
        return tx.scalar(select(func.count()).select_from(table)) or 0


def test_a_document_becomes_a_site_that_is_served(world: World) -> None:
    plan = applied(world, document(world))
    assert sorted(there(world)) == [
        "array/tank",
        "host-group/g",
        "host/h1",
        "host/h2",
        "mapping/v1/host/h1",
        "mapping/v2/host/h1",
        "mapping/v3/host-group/g",
        "portal/front",
        "volume/v1",
        "volume/v2",
        "volume/v3",
    ]
    assert [f"{change.action} {change.noun} {change.name}" for change in plan.changes][:5] == [
        "create array tank",
        "create volume v1",
        "create volume v2",
        "create volume v3",
        "create host h1",
    ]
    assert {target.state for target in world.settle().targets} == {"open"}


def test_applying_it_again_changes_nothing_and_makes_no_job(world: World) -> None:
    applied(world, document(world))
    before = count(world, Job), count(world, Event), there(world)
    again = ask(world, document(world))
    assert (again.job_id, again.plan.changes, again.plan.steps) == (None, (), ())
    with world.store.read() as tx:
        exported = world.control.site(tx)
    assert ask(world, Site.model_validate_json(exported.model_dump_json(exclude_unset=True))).job_id is None
    assert (count(world, Job), count(world, Event), there(world)) == before


def test_a_pool_with_thick_and_thin_volumes_is_a_site_and_is_removed_again(world: World) -> None:
    disks = [disk.links()[0] for disk in world.machine.blocks.disks]
    pool = [{"name": "tank", "engine": "zfs", "level": "raidz1", "disks": disks[:3]}]
    volumes = [{"name": f"v{n}", "array": "tank", "size_bytes": "64MiB"} for n in (1, 2)]
    volumes.append({"name": "v3", "array": "tank", "size_bytes": "1TiB", "provisioning": "thin"})
    site = document(world, arrays=pool, volumes=volumes)
    plan = applied(world, site)
    assert [step.kind for step in plan.steps] == ["pool.create", *["volume.cut"] * 3, "volumes.seal"]
    assert {target.state for target in world.settle().targets} == {"open"}
    assert ask(world, site).job_id is None
    with world.store.read() as tx:
        exported = world.control.site(tx)
    assert ask(world, Site.model_validate_json(exported.model_dump_json(exclude_unset=True))).job_id is None
    md = [{"name": "other", "level": "raid1", "disks": disks[:2]}]
    applied(
        world,
        document(world, arrays=pool, volumes=volumes, mappings=[]),
        *[key for key in there(world) if key.startswith("mapping/")],
    )
    world.settle()
    named = ["array/tank", "volume/v1", "volume/v2", "volume/v3"]
    swapped = applied(world, document(world, arrays=md, volumes=[], mappings=[]), *named)
    assert [step.kind for step in swapped.steps if step.kind.endswith("destroy") or step.kind == "md.create"] == [
        "pool.destroy",
        "md.create",
    ]


def test_the_pace_of_an_array_is_part_of_the_document(world: World) -> None:
    array = {"name": "tank", "level": "raid1", "disks": [disk.links()[0] for disk in world.machine.blocks.disks[:2]]}
    bare: dict[str, Any] = {"volumes": [], "hosts": [], "host_groups": [], "portals": [], "mappings": []}
    applied(world, document(world, arrays=[array | {"sync_speed_max_bytes_s": "50MiB"}], **bare))
    assert there(world)["array/tank"]["sync_speed_max_bytes_s"] == 50 * 1024**2
    assert ask(world, document(world, arrays=[array], **bare)).job_id is None
    applied(world, document(world, arrays=[array | {"sync_speed_max_bytes_s": "80MiB"}], **bare))
    applied(world, document(world, arrays=[array | {"sync_speed_min_bytes_s": "2MiB"}], **bare))
    found = there(world)["array/tank"]
    assert (found["sync_speed_min_bytes_s"], found["sync_speed_max_bytes_s"]) == (2 * 1024**2, 80 * 1024**2)


def test_no_secret_is_exported_and_none_lies_open_in_the_journal(world: World) -> None:
    outcome = ask(world, document(world))
    with world.store.read() as tx:
        journal = str([step.payload for step in tx.scalars(select(JobStep))]) + str(tx.scalars(select(Job)).one().plan)
    assert SECRET not in journal
    run(world, outcome.job_id)
    with world.store.read() as tx:
        site = world.control.site(tx)
    assert site.hosts
    assert site.hosts[0].chap
    assert site.hosts[0].chap.model_fields_set == {"user", "mutual_user"}
    assert SECRET not in site.model_dump_json(exclude_unset=True) + repr(site)
    assert there(world)["host/h1"]["chap"].secret.get_secret_value() == SECRET  # type: ignore[attr-defined]


def test_a_dry_run_shows_everything_and_writes_nothing(world: World) -> None:
    shown = ask(world, document(world), dry_run=True)
    assert (shown.job_id, shown.ids) == (None, ())
    assert (count(world, Job), count(world, Event), there(world)) == (0, 0, {})
    done = applied(world, document(world))
    assert [change for change in done.changes if change.noun != "host"] == [
        change for change in shown.plan.changes if change.noun != "host"
    ]
    assert [step.kind for step in shown.plan.steps] == [
        "md.create",
        "group.create",
        *["volume.cut"] * 3,
        "volumes.seal",
    ]


@pytest.mark.parametrize(
    ("sections", "error", "field", "words"),
    [
        (
            {"volumes": [{"name": "big", "array": "tank", "size_bytes": "1TiB"}]},
            NoSpace,
            "volumes[0].size_bytes",
            "big",
        ),
        ({"hosts": [], "mappings": []}, LunetteError, "host_groups[0].hosts[0]", "host h2 was not found"),
        (
            {"portals": [{"name": "p", "address": "198.51.100.1"}]},
            LunetteError,
            "portals[0].address",
            "does not have the address",
        ),
        (
            {"mappings": [{"volume": "v1", "host": "h1"}, {"volume": "nope", "host": "h1"}]},
            LunetteError,
            "mappings[1].volume",
            "volume nope was not found",
        ),
    ],
)
def test_a_document_of_which_one_part_cannot_be_done_is_refused_as_a_whole(
    world: World, sections: dict[str, Any], error: type[LunetteError], field: str, words: str
) -> None:
    with pytest.raises(error, match="nothing was changed") as refusal:
        ask(world, document(world, **sections))
    assert words in refusal.value.detail
    assert refusal.value.errors[0].field == field
    assert (count(world, Job), count(world, Event), there(world)) == (0, 0, {})


def test_data_is_deleted_only_if_it_and_its_mappings_are_named(world: World) -> None:
    applied(world, document(world))
    less = document(
        world,
        volumes=[{"name": "v1", "array": "tank", "size_bytes": "64MiB"}],
        mappings=[{"volume": "v1", "host": "h1"}],
    )
    left = ask(world, less)
    assert left.job_id is None
    assert "4 are not in the document and are not changed: volume/v2, volume/v3" in left.plan.warnings[0]
    with pytest.raises(InUse, match="v2 was not deleted: it is mapped to h1"):
        ask(world, less, "volume/v2")
    plan = applied(world, less, "volume/v2", "mapping/v2/host/h1")
    assert any("retain deleted" in step.describe() for step in plan.steps)
    with world.store.read() as tx:
        assert [kept.name for kept in tx.query(DeletedVolume)] == ["v2"]
    assert {"volume/v1", "volume/v3", "mapping/v3/host-group/g"} <= there(world).keys()
    assert not {"volume/v2", "mapping/v2/host/h1"} & there(world).keys()


def test_a_disk_that_is_not_blank_must_be_named(world: World) -> None:
    drive = world.machine.blocks.disks[1]
    drive.media.signatures = [FakeSignature("ext4", 1080, label="photos")]
    with pytest.raises(InUse, match=r"not blank: it carries an ext4 signature \(label photos\)") as refusal:
        ask(world, document(world))
    assert refusal.value.errors[0].field == "arrays[0].disks[1]"
    plan = applied(world, document(world), f"disk/{drive.links()[-1]}")
    assert [step.kind for step in plan.steps][:2] == ["disk.wipe", "md.create"]
    assert plan.bytes_destroyed() == drive.media.size_bytes


def test_a_disk_may_be_named_by_any_of_its_links(world: World) -> None:
    applied(world, document(world))
    links = [disk.links()[-1] for disk in world.machine.blocks.disks[:2]]
    assert links != [disk.links()[0] for disk in world.machine.blocks.disks[:2]]
    assert ask(world, document(world, arrays=[{"name": "tank", "level": "raid1", "disks": links}])).job_id is None


def test_a_second_document_waits_for_the_first(world: World) -> None:
    first = ask(world, document(world))
    with pytest.raises(Conflict, match=f"being applied now .job {first.job_id}"):
        ask(world, document(world, portals=[]))
    run(world, first.job_id)
    assert ask(world, document(world)).job_id is None


def test_a_refusal_midway_stops_there_names_the_rest_and_continues_later(world: World) -> None:
    outcome = ask(world, document(world))
    world.do(
        lambda tx: portals.create(
            world.control.change(tx, ACTOR), PortalCreate.model_validate({"name": "quick", "address": "0.0.0.0"})
        )
    )
    job = run(world, outcome.job_id)
    assert job.state == JobState.FAILED
    assert "'Create portal front' failed" in job.message
    assert "portal quick already listens on" in job.message
    left = "not done yet: Create portal front; Map 3 volumes."
    assert f"5 of 7 changes were made and remain in effect; {left}" in job.message
    assert (job.error or {})["type"] == "conflict"
    assert "portal/front" not in there(world)
    with world.store.read() as tx:
        assert tx.scalars(select(Volume.state)).all() == ["ready"] * 3
        quick = tx.scalars(select(Portal)).one()
    world.do(lambda tx: portals.delete(world.control.change(tx, ACTOR), quick.id))
    plan = applied(world, document(world))
    assert [change.noun for change in plan.changes] == ["portal", "mapping", "mapping", "mapping"]


def test_a_job_of_it_that_fails_is_undone_and_the_rest_is_not_begun(world: World) -> None:
    outcome = ask(world, document(world))

    def refuse(_machine: object, _step: object) -> Any:
        raise ToolFailed("lvcreate failed: the pool is angry")

    world.agent.mutants["do_step", "volume.cut"] = refuse
    job = run(world, outcome.job_id)
    assert job.state == JobState.FAILED
    assert "the pool is angry" in job.message
    assert sorted(there(world)) == ["array/tank"]
    world.agent.mutants.clear()
    assert "array" not in {change.noun for change in applied(world, document(world)).changes}
    assert len(there(world)) == 11


def test_while_the_agent_is_away_it_waits_and_says_so(world: World) -> None:
    outcome = ask(world, document(world))
    away = AwayAgent()
    there_again = world.control._cache._agent
    messages = []

    def wait(seconds: float) -> bool:
        with world.store.read() as tx:
            messages.append(tx.get_one(Job, outcome.job_id).message)
        if seconds:
            world.control._cache._agent = there_again
            world.control._cache._failed = None
        return False

    world.control.sites._wait = wait
    world.control._cache.forget()
    world.control._cache._agent = away
    assert run(world, outcome.job_id).state == JobState.SUCCEEDED
    assert messages[0].startswith("waiting: the agent does not answer")


def test_a_change_by_someone_else_meanwhile_is_not_undone(world: World) -> None:
    applied(world, document(world))
    outcome = ask(world, document(world, hosts=[{"name": "h1", "os_type": "esxi"}]))
    world.do(lambda tx: hosts.patch(world.control.change(tx, ACTOR), "h1", HostPatch(description="rack 3")))
    run(world, outcome.job_id)
    host = there(world)["host/h1"]
    assert (host["os_type"], host["description"]) == ("esxi", "rack 3")


def crashed_run(world: World, commit: int, *, after: bool) -> bool:
    """The whole way, with the API process killed at one commit and started again. False if it never got there."""
    struck = False
    job_id = ask(world, document(world)).job_id
    world.store.crash_at(commit, after=after)
    try:
        run(world, job_id)
    except EngineCrash:
        struck = True
        world.restart_engine()
        assert run(world, job_id).state == JobState.SUCCEEDED, world.story(job_id or "")
    return struck


def outcome_of(world: World) -> tuple[Facts, object]:
    """What there is, in the database and on the machine; ids differ where a killed transaction had drawn some."""
    seen = world.control.observation(0)
    on_machine = (
        [array.members for array in seen.arrays],
        sorted((volume.size_bytes, volume.sealed) for volume in seen.volumes),
        [pool.free_bytes for pool in seen.groups],
    )
    return there(world), on_machine


def check_crash(migrated: Path, folder: Path, commit: int, reference: tuple[Facts, object]) -> bool:
    struck = False
    for after in (False, True):
        place = folder / f"{commit}-{after}"
        place.mkdir()
        world = new_world(migrated, place)
        struck |= crashed_run(world, commit, after=after)
        assert outcome_of(world) == reference, f"commit {commit}, after={after}"
        with world.store.read() as tx:
            assert {job.state for job in tx.scalars(select(Job))} == {"succeeded"}
        world.close()
    return struck


@pytest.fixture(scope="module")
def reference(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Facts, object]:
    """What an undisturbed run comes to."""
    world = new_world(sqlite_template, tmp_path_factory.mktemp("calm"))
    assert not crashed_run(world, 10_000, after=False)
    found = outcome_of(world)
    world.close()
    return found


@pytest.mark.parametrize("commit", [1, 2, 8, 17])
def test_a_killed_api_continues_and_creates_nothing_twice(
    sqlite_template: Path, tmp_path: Path, reference: tuple[Facts, object], commit: int
) -> None:
    assert check_crash(sqlite_template, tmp_path, commit, reference)


@pytest.mark.slow
def test_an_api_killed_at_any_commit_continues(
    sqlite_template: Path, tmp_path: Path, reference: tuple[Facts, object]
) -> None:
    commit = 1
    while check_crash(sqlite_template, tmp_path, commit, reference):
        commit += 1
    assert commit > 15
