"""The tables of engines are complete, and only an engine's own folders know it by its name."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import lunette
from backend.tests import seen
from lunette.agent.steps import RUNNERS
from lunette.domain.arrays import ArrayEngine, ArrayVerb, Level
from lunette.domain.base import Model
from lunette.domain.observations import Part, Unread
from lunette.domain.steps import MAKES_ARRAYS, Step
from lunette.domain.volumes import VolumeEngine
from lunette.engine.conditions.unread import causes_of
from lunette.planner.checks import checker
from lunette.planner.checks.unseen import STORAGE
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.planning import ArrayPlanning
from lunette.planner.engines.volume_engines import VOLUME_ENGINES
from lunette.planner.system.schedules import array_subject
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.runner import Runners
from lunette.providers.volumes.machines import VOLUME_MACHINES

SOURCE = Path(lunette.__file__).parent
OWN = {
    **{f"ArrayEngine.{one.name}": ("providers/arrays/", "planner/engines/") for one in ArrayEngine},
    **{f"VolumeEngine.{one.name}": ("providers/volumes/",) for one in VolumeEngine},
}
"""Below each of these folders, the engine has one that bears its name."""
ALLOWED = {
    ("domain/arrays.py", "ArrayEngine.MD"): "the default of the API: an array is md unless the request names an engine",
    **{
        (f"planner/engines/{engine}/planning.py", f"VolumeEngine.{planning.volumes.name}"): "what cuts its volumes"
        for engine, planning in ARRAY_ENGINES.items()
    },
}
"""By file and name: why the name may stand there."""


def test_every_array_engine_has_both_halves() -> None:
    assert set(ARRAY_ENGINES) == set(ARRAY_MACHINES) == set(ArrayEngine)
    assert {planning.volumes for planning in ARRAY_ENGINES.values()} <= set(VOLUME_ENGINES)


def test_every_volume_engine_has_both_halves() -> None:
    assert set(VOLUME_ENGINES) == set(VOLUME_MACHINES) == set(VolumeEngine)


def test_a_part_that_both_halves_know_is_the_same() -> None:
    for engine, machine in ARRAY_MACHINES.items():
        assert machine.part in ARRAY_ENGINES[engine].parts


def test_what_holds_arrays_or_volumes_hides_them_while_it_cannot_be_read() -> None:
    arrays = {part for planning in ARRAY_ENGINES.values() for part in planning.parts}
    volumes = {part for planning in VOLUME_ENGINES.values() for part in planning.parts}
    assert set(STORAGE) == (arrays | volumes) - {Part.DISKS}


def test_every_part_that_cannot_be_read_has_an_alert() -> None:
    for part in Part:
        unread = (Unread(part=part, name="", reason="no answer"),)
        (cause,) = causes_of(seen.machine(unread=unread))
        assert cause.message
        assert cause.fix


def test_the_checker_knows_each_step_that_makes_an_array_or_cannot_be_undone() -> None:
    """By its own class or that of all steps of the engine."""
    known = {one for one in vars(checker).values() if isinstance(one, type)} - {Model}
    steps = [kind for engine in ARRAY_MACHINES.values() for kind in engine.steps]
    grave = [kind for kind in steps if kind.irreversible or kind in MAKES_ARRAYS]
    assert [kind for kind in grave if known.isdisjoint(kind.__mro__)] == []


def test_an_array_engine_plans_exactly_the_verbs_it_offers() -> None:
    for engine, planning in ARRAY_ENGINES.items():
        verbs = {verb for level in planning.capability().levels for verb in level.verbs}
        plans = type(planning).plan_force_start is not ArrayPlanning.plan_force_start
        assert (ArrayVerb.FORCE_START in verbs) is plans, engine
        shares = any("spare_group" in level.options for level in planning.capability().levels)
        assert shares is planning.shares_spares, engine


def test_a_schedule_scrubs_exactly_the_levels_that_offer_it() -> None:
    for engine, planning in ARRAY_ENGINES.items():
        for one in planning.capability().levels:
            subject = array_subject("0", "tank", engine, one.level)
            assert (subject.unable is None) is (ArrayVerb.SCRUB in one.verbs), (engine, one.level)
    unable = array_subject("0", "tank", ArrayEngine.EXTERNAL, Level.EXTERNAL).unable
    assert unable == "it is external: it has no redundancy that Lunette can compare"


def test_a_volume_engine_plans_and_runs_exactly_what_it_offers() -> None:
    for engine, planning in VOLUME_ENGINES.items():
        record = planning.cutting.capability()
        kinds = {kind.model_fields["kind"].default for kind in VOLUME_MACHINES[engine].volume_steps}
        assert record.can_grow is bool(planning.growing) is ("volume.grow" in kinds), engine
        assert record.can_snapshot is bool(planning.snapshotting) is ("snapshot.take" in kinds), engine
        assert bool(planning.snapshotting_together) is ("snapshots.take" in kinds), engine


def _own_steps() -> Iterator[Runners]:
    yield from (machine.steps for machine in ARRAY_MACHINES.values())
    yield from (machine.steps for machine in VOLUME_MACHINES.values())


def test_a_kind_of_step_belongs_to_one_engine_or_names_its_engine() -> None:
    own = Counter[type[Step]](kind for steps in _own_steps() for kind in steps)
    assert [kind for kind, count in own.items() if count > 1] == []
    of_volumes = {kind for machine in VOLUME_MACHINES.values() for kind in machine.volume_steps}
    assert not of_volumes & set(own)
    assert {kind for kind in RUNNERS if "engine" in kind.model_fields} == of_volumes


def test_a_step_that_names_its_engine_has_no_default_engine() -> None:
    for kind in RUNNERS:
        field = kind.model_fields.get("engine")
        assert field is None or field.is_required(), kind


def _named() -> Iterator[tuple[str, str]]:
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, OWN))})\b")
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        for name in sorted(set(pattern.findall(path.read_text()))):
            engine = name.partition(".")[2].lower()
            if not any(file.startswith(f"{folder}{engine}/") for folder in OWN.get(name, ())):
                yield file, name


def test_no_other_module_knows_an_engine_by_its_name() -> None:
    """Ask the engine for a fact instead: an attribute of ArrayPlanning, ArrayMachine or VolumePlanning."""
    assert set(_named()) == set(ALLOWED)
