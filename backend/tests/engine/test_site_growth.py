"""A larger size in a document grows the volume while hosts use it; a smaller one is refused."""

from pathlib import Path

import pytest
from sqlalchemy import select

from backend.tests.engine.test_site import applied, ask, document, new_world, run, there, world
from backend.tests.faults.world import EngineCrash, World
from lunette.domain.errors import Conflict, Invalid, NoSpace
from lunette.domain.jobs import JobState
from lunette.domain.site import Site
from lunette.store.journal import Job
from lunette.store.resources import Volume

__all__ = ["world"]
MIB = 1024**2


def sized(world: World, **sizes: str) -> Site:
    wanted = [{"name": name, "array": "tank", "size_bytes": size} for name, size in sizes.items()]
    return document(world, volumes=wanted)


def sizes(world: World) -> dict[str, int]:
    """Sizes on the machine by the names of the database, in MiB."""
    with world.store.read() as tx:
        names = {row.id: row.name for row in tx.scalars(select(Volume))}
    seen = world.control.observation(0).volumes
    return {names[one.volume_id]: one.size_bytes // MIB for one in seen if one.volume_id}


def test_volumes_grow_alongside_new_ones_and_stay_served(world: World) -> None:
    applied(world, document(world))
    served = world.settle().targets
    larger = sized(world, v1="128MiB", v2="64MiB", v3="1GiB", v4="32MiB")
    plan = applied(world, larger)
    assert [change.detail.partition(";")[0] for change in plan.changes if change.name in ("v1", "v3")] == [
        "64 MiB more: 128 MiB",
        "960 MiB more: 1 GiB",
    ]
    assert (plan.hosts_interrupted, plan.leaving, plan.bytes_destroyed()) == ((), (), 0)
    assert sizes(world) == {"v1": 128, "v2": 64, "v3": 1024, "v4": 32}
    assert world.settle().targets == served
    assert ask(world, larger).job_id is None


@pytest.mark.parametrize(
    ("wanted", "error", "words"),
    [
        ({"v1": "32MiB"}, Conflict, "Create a smaller volume and copy the data on the host"),
        ({"v1": "1TiB"}, NoSpace, "its array has"),
        ({"v1": "6GiB", "v2": "6GiB"}, NoSpace, "its array has"),
        ({"v2": "6GiB", "new": "6GiB"}, NoSpace, "array tank has"),
        ({"v1": "67108865"}, Invalid, "size"),
    ],
)
def test_what_cannot_grow_is_refused_and_nothing_is_changed(
    world: World, wanted: dict[str, str], error: type[Exception], words: str
) -> None:
    applied(world, document(world))
    before = there(world)
    with pytest.raises(error, match="nothing was changed") as refusal:
        ask(world, sized(world, **wanted))
    assert words in str(refusal.value)
    assert "delete" not in str(refusal.value)
    assert there(world) == before
    assert sizes(world) == {"v1": 64, "v2": 64, "v3": 64}


@pytest.mark.parametrize(
    "commit", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow), 4]
)
def test_a_killed_api_grows_it_once(sqlite_template: Path, tmp_path: Path, commit: int) -> None:
    for after in (False, True):
        place = tmp_path / str(after)
        place.mkdir()
        killed = new_world(sqlite_template, place)
        applied(killed, document(killed))
        job_id = ask(killed, sized(killed, v1="128MiB")).job_id
        killed.store.crash_at(commit, after=after)
        with pytest.raises(EngineCrash):
            run(killed, job_id)
        killed.restart_engine()
        assert run(killed, job_id).state == JobState.SUCCEEDED, killed.story(job_id or "")
        assert sizes(killed) == {"v1": 128, "v2": 64, "v3": 64}
        with killed.store.read() as tx:
            grown = [job.state for job in tx.scalars(select(Job)) if job.kind == "volume.grow"]
        assert grown == ["succeeded"]
        assert ask(killed, sized(killed, v1="128MiB")).job_id is None
        killed.close()
