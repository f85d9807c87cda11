"""Any two valid sites: A then B is B, B twice is nothing, every plan passes the checker, nothing unnamed goes.

Every change is made by the product's own code on a real database; only jobs are taken to succeed at once, as in the
rehearsal of a document. On the fake machine, where fewer sites are made, they really run. The long profile looks at
many more sites.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from backend.tests.engine.conftest import Appliance
from backend.tests.engine.site_rehearsals import deleted, made, played
from backend.tests.engine.test_site import ask, there
from backend.tests.exploring import explored, fixed
from backend.tests.planner.site_scenes import Scene, scenes
from backend.tests.planner.sites import ARRAYS, DISKS, facts, open_sites, sites
from lunette.domain.arrays import ArrayEngine
from lunette.domain.base import Model
from lunette.domain.errors import InUse, LunetteError
from lunette.domain.mappings import Family, Protocol
from lunette.domain.schedules import ScheduleAction
from lunette.domain.site import Site, SiteNoun, SiteRequest, key_of
from lunette.domain.volumes import Provisioning
from lunette.engine.site.known import known
from lunette.planner.site import difference as planner
from lunette.planner.site.renames import RENAMABLE
from lunette.planner.site.scope import narrow

FEW, MANY = 24, 1500
"""Examples in `make test`, among which is every kind of thing, and in the full matrix."""
FEWER = 4
"""Examples in `make test` of the properties that follow."""
FEW_MADE, MANY_MADE = 8, 200
"""Those that are made on the fake machine."""


def check_a_then_b_is_b(appliance: Appliance, scene: Scene) -> None:
    """What has snapshots goes only once they are gone; all others stay."""
    first, second, leaving = scene.first, scene.second, scene.leaving()
    with played(appliance, scene.disks) as world:
        world.bring_to(first)
        assert world.facts() == facts(first)
        world.take(scene.snapshots)
        if leaving:
            with pytest.raises(InUse, match="has the snapshots"):
                world.rehearse(world.changes(second, scene.first_keys()))
            assert world.facts() == facts(first)
        world.drop(leaving)
        changes = world.bring_to(second, scene.first_keys())
        assert world.facts() == facts(second)
        assert world.settings() == second.settings
        assert world.snapshots() == scene.staying()
        assert deleted(changes) >= scene.first_keys() - facts(second).keys()
        assert world.bring_to(second, scene.first_keys()) == ()
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
        assert scene.now(before) - world.facts().keys() <= named
        assert world.snapshots().keys() == scene.snapshots.keys()


@st.composite
def named_scenes(draw: st.DrawFn) -> tuple[Scene, set[str]]:
    """Two sites, and some of the first that may go."""
    scene = draw(scenes())
    keys = sorted(scene.first_keys())
    return scene, draw(st.sets(st.sampled_from(keys))) if keys else set()


@fixed("nothing_unnamed_goes", FEWER)
@given(case=named_scenes())
def test_nothing_goes_that_was_not_named(lone: Appliance, case: tuple[Scene, set[str]]) -> None:
    check_only_what_is_named_goes(lone, *case)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("nothing_unnamed_goes", MANY)
@given(case=named_scenes())
def test_nothing_goes_that_was_not_named_in_very_many_sites(lone: Appliance, case: tuple[Scene, set[str]]) -> None:
    check_only_what_is_named_goes(lone, *case)


def check_what_is_left_open_stays(appliance: Appliance, first: Site, second: Site) -> None:
    with played(appliance) as world:
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


@fixed("what_is_left_open_stays", FEWER)
@given(first=sites(), second=open_sites())
def test_what_a_document_leaves_open_stays_and_applying_it_twice_changes_nothing(
    lone: Appliance, first: Site, second: Site
) -> None:
    check_what_is_left_open_stays(lone, first, second)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("what_is_left_open_stays", MANY)
@given(first=sites(), second=open_sites())
def test_what_very_many_documents_leave_open_stays(lone: Appliance, first: Site, second: Site) -> None:
    check_what_is_left_open_stays(lone, first, second)


@st.composite
def scoped(draw: st.DrawFn) -> tuple[Site, Site, str]:
    """Two sites, and the key of something that is in one of them."""
    first, second = draw(sites()), draw(sites())
    scopes = [key for key in {**facts(first), **facts(second)} if not key.startswith("mapping/")]
    assume(scopes)
    return first, second, draw(st.sampled_from(sorted(scopes)))


def check_a_scope_keeps_the_changes_inside(appliance: Appliance, first: Site, second: Site, scope: str) -> None:
    with played(appliance) as world:
        world.bring_to(first)
        there = world.known()
        request = SiteRequest(site=second, scope=(scope,), destroy=tuple(sorted(facts(first))))
        touched = {key for change in planner.difference(request, there).changes for key in change.keys}
        inside = {key for site in (first, second) for key in facts(narrow(site, there.site, (scope,), second))}
        assert scope in inside
        assert touched <= inside


@fixed("a_scope_keeps_changes_inside", FEWER)
@given(case=scoped())
def test_a_scope_keeps_the_changes_inside(lone: Appliance, case: tuple[Site, Site, str]) -> None:
    check_a_scope_keeps_the_changes_inside(lone, *case)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("a_scope_keeps_changes_inside", MANY)
@given(case=scoped())
def test_each_of_many_scopes_keeps_the_changes_inside(lone: Appliance, case: tuple[Site, Site, str]) -> None:
    check_a_scope_keeps_the_changes_inside(lone, *case)


def check_a_then_b_is_made_and_served(template: Path, scene: Scene) -> None:
    first, second, leaving = scene.first, scene.second, scene.leaving()
    with made(template, scene.disks) as machine:
        machine.bring_to(first)
        machine.take(scene.snapshots)
        assert machine.snapshots() == scene.snapshots
        if leaving:
            with pytest.raises(InUse, match="has the snapshots"):
                ask(machine.world, second, *scene.first_keys())
        machine.drop(leaving)
        machine.bring_to(second, scene.first_keys())
        assert there(machine.world) == facts(second)
        assert machine.snapshots() == scene.staying()
        assert ask(machine.world, second, *scene.first_keys()).job_id is None


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
    yield from (("renamed", noun) for noun, names in scene.renamed.names.items() if names)
    yield from joining(scene)


def joining(scene: Scene) -> Iterator[object]:
    """The lists of arrays, by engine, that get longer in the second site."""
    there = {array.name: array for array in scene.first.arrays or ()}
    for array in scene.second.arrays or ():
        for role in ("disks", "spares", "log", "cache") if array.name in there else ():
            if len(getattr(array, role)) > len(getattr(there[array.name], role)):
                yield (array.engine, role)


def test_every_kind_is_among_the_fixed_examples() -> None:
    engines = (ArrayEngine.MD, ArrayEngine.ZFS)
    made = {
        *SiteNoun,
        *engines,
        *ScheduleAction,
        Protocol.ISCSI,
        Protocol.NVME_TCP,
        *product(Family, (False, True)),
        *product(engines, Provisioning),
        *product(("differing", "snapshot"), engines),
    }
    joined = {
        *product((ArrayEngine.MD,), ("disks", "spares")),
        *product((ArrayEngine.ZFS,), ("spares", "log", "cache")),
    }
    assert made - drawn("a_then_b_is_made", FEW_MADE) == set()
    assert {*made, *joined, *product(("renamed",), RENAMABLE)} - drawn("a_then_b_is_b", FEW) == set()


def drawn(name: str, count: int) -> set[object]:
    """The kinds in the examples of a fixed run."""
    found: set[object] = set()

    @fixed(name, count)
    @given(scene=scenes())
    def look(scene: Scene) -> None:
        found.update(kinds(scene))

    look()
    return found
