"""Any two valid sites: A then B is B, B twice is nothing, every plan passes the checker, nothing unnamed goes.

Every change is made by the product's own code on a real database; only jobs are taken to succeed at once, as in the
rehearsal of a document. The long profile looks at many more sites.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.exploring import explored, fixed
from backend.tests.planner.sites import Facts, facts, open_sites, sites
from lunette.domain.errors import LunetteError
from lunette.domain.plans import Plan
from lunette.domain.settings import SettingsPatch
from lunette.domain.site import Site, SiteNoun, SiteRequest, key_of
from lunette.engine import site as engine
from lunette.engine.site_known import known
from lunette.planner import site as planner
from lunette.planner.site import KnownSite, SiteChange, Verb
from lunette.planner.site_scope import narrow
from lunette.store.database import store_of

FEW, MANY = 20, 1500
"""Examples in `make test`, which take seconds for all of them, and in the full matrix."""


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


@contextmanager
def played(appliance: Appliance) -> Iterator[Played]:
    with appliance.store.write() as tx:
        yield Played(tx, appliance)
        tx.rollback()


def deleted(changes: Sequence[SiteChange]) -> set[str]:
    return {key for change in changes for key in change.keys if change.verb is Verb.DELETE}


def check_a_then_b_is_b(appliance: Appliance, first: Site, second: Site) -> None:
    with played(appliance) as world:
        world.bring_to(first)
        assert world.facts() == facts(first)
        changes = world.bring_to(second, facts(first))
        assert world.facts() == facts(second)
        assert world.settings() == second.settings
        assert deleted(changes) >= facts(first).keys() - facts(second).keys()
        assert world.bring_to(second, facts(first)) == ()
        exported = Site.model_validate_json(known(world._tx, None).site.model_dump_json(exclude_unset=True))
        assert world.bring_to(exported) == ()


@fixed("a_then_b_is_b", FEW)
@given(first=sites(), second=sites())
def test_a_then_b_is_b_and_b_again_is_nothing(lone: Appliance, first: Site, second: Site) -> None:
    check_a_then_b_is_b(lone, first, second)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("a_then_b_is_b", MANY)
@given(first=sites(), second=sites())
def test_a_then_b_is_b_for_very_many_sites(lone: Appliance, first: Site, second: Site) -> None:
    check_a_then_b_is_b(lone, first, second)


def check_only_what_is_named_goes(appliance: Appliance, first: Site, second: Site, named: set[str]) -> None:
    """Either it is refused as a whole, or nothing goes but what was named."""
    with played(appliance) as world:
        world.bring_to(first)
        before = world.facts()
        try:
            changes = world.changes(second, named)
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
        world.bring_to(second, named)
        # A schedule of which all arrays went is in no document any more.
        lost = {key for key in before.keys() - world.facts().keys() if not key.startswith("schedule/")}
        assert lost <= named


@st.composite
def named_sites(draw: st.DrawFn) -> tuple[Site, Site, set[str]]:
    """Two sites, and some of the first that may go."""
    first = draw(sites())
    keys = sorted(facts(first))
    return first, draw(sites()), draw(st.sets(st.sampled_from(keys))) if keys else set()


@fixed("nothing_unnamed_goes", FEW)
@given(case=named_sites())
def test_nothing_goes_that_was_not_named(lone: Appliance, case: tuple[Site, Site, set[str]]) -> None:
    check_only_what_is_named_goes(lone, *case)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("nothing_unnamed_goes", MANY)
@given(case=named_sites())
def test_nothing_goes_that_was_not_named_in_very_many_sites(lone: Appliance, case: tuple[Site, Site, set[str]]) -> None:
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
                for name in before.get(key, {}).keys() - entry.model_fields_set:
                    assert after[key][name] == before[key][name]


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
