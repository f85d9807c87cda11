"""Any changes, undone one after another from the last, leave everything as it was: names, secrets, numbers, identities.

And one that is undone out of turn brings back what it changed and nothing else, or is refused and changes nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.exploring import explored, fixed
from backend.tests.planner.sites import facts, sites
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ConvergeReport, PortalReport, ServingState
from lunette.domain.site import Site, SiteRequest
from lunette.engine.context.change import ChangeContext
from lunette.engine.exports import moves
from lunette.engine.records import states
from lunette.engine.records.states import States
from lunette.engine.site import changes as engine
from lunette.engine.site.known import known
from lunette.engine.undo.undo import undo
from lunette.planner.site import difference as planner
from lunette.store.database import store_of
from lunette.store.journal import Event
from lunette.store.resources import FcPort, Host, HostGroup, Mapping, Portal, Volume
from lunette.store.undo import KeptState

FEW, MANY = 4, 400
TABLES: dict[str, type[Host | HostGroup | Mapping | Portal | FcPort | Volume]] = {
    "host": Host,
    "host_group": HostGroup,
    "mapping": Mapping,
    "portal": Portal,
    "fc_port": FcPort,
    "volume": Volume,
}


Everything = dict[str, States]


@dataclass(frozen=True)
class Made:
    """A change that can be undone: its event, and everything before and after it."""

    seq: int
    before: Everything
    after: Everything

    def taken_out_of(self, now: Everything) -> Everything:
        """Everything as it should be once this change is undone: each field it changed is as it was before."""
        wanted = {noun: dict(things) for noun, things in now.items()}
        for noun, things in wanted.items():
            before, after = self.before[noun], self.after[noun]
            for id_ in before.keys() | after.keys():
                if id_ not in before:
                    things.pop(id_, None)
                elif id_ not in after:
                    things[id_] = before[id_]
                else:
                    back = {name: value for name, value in before[id_].items() if value != after[id_][name]}
                    if back:
                        things[id_] = {**things[id_], **back}
        return wanted


class World:
    """An appliance in a transaction that leaves nothing behind."""

    def __init__(self, tx: Session, appliance: Appliance) -> None:
        self._tx, self._stage = tx, engine.Rehearsal(appliance.control.services)

    def everything(self) -> Everything:
        """What can be undone, by noun and id, with secrets and permanent names."""
        self._tx.expire_all()
        return {
            noun: states.read(self._tx, noun, list(self._tx.scalars(select(table.id))))
            for noun, table in TABLES.items()
        }

    def bring_to(self, wanted: Site) -> list[Made]:
        """Makes the site so, change by change; those that can be undone, in order."""
        there = known(self._tx, store_of(self._tx).box)
        request = SiteRequest(site=wanted, destroy=tuple(sorted(facts(there.site))))
        made: list[Made] = []
        after = self.everything()
        for change in planner.difference(request, there).changes:
            last, before = self._last(), after
            engine.play(ChangeContext(self._tx, self._stage.services, ADMIN), self._stage, [change])
            self._settle()
            seqs = self._tx.scalars(select(KeptState.event_seq).where(KeptState.event_seq > last)).all()
            assert len(seqs) <= 1
            after = self.everything()
            made += [Made(seq, before, after) for seq in seqs]
        return made

    def undo(self, seq: int) -> int:
        """Undoes an event as its own plan said before; the number of the event that tells of it."""
        before = self.everything()
        plan = undo(ChangeContext(self._tx, self._stage.services, ADMIN, dry_run=True), seq).plan
        assert plan.changes
        assert self.everything() == before
        outcome = undo(ChangeContext(self._tx, self._stage.services, ADMIN), seq)
        self._settle()
        assert outcome.plan == plan
        return int(outcome.ids[0])

    def try_to_undo(self, seq: int) -> tuple[int, LunetteError | None]:
        try:
            return self.undo(seq), None
        except LunetteError as refusal:
            if refusal.status >= 500:  # such as a plan that its own check refuses: a fault of the planner
                raise
            return 0, refusal

    def _last(self) -> int:
        return self._tx.scalar(select(func.max(Event.seq))) or 0

    def _settle(self) -> None:
        """As between two requests: portals have left their former places, and nothing is remembered of the rows."""
        self._tx.flush()
        moves.close_former(self._tx, portals_open(self._tx))
        self._tx.flush()
        self._tx.expunge_all()


def portals_open(tx: Session) -> ConvergeReport:
    """The agent's report that every portal listens where it should."""
    listeners = [row.listeners[0].id for row in tx.scalars(select(Portal))]
    portals = [PortalReport(portal_id=one, state=ServingState.OPEN, reason=None) for one in listeners]
    return ConvergeReport(
        generation=0,
        accepted=True,
        refusal=None,
        changed=0,
        targets=(),
        volumes=(),
        portals=tuple(portals),
        unexplained=(),
        foreign=(),
    )


@contextmanager
def world_of(appliance: Appliance) -> Iterator[World]:
    with appliance.store.write() as tx:
        yield World(tx, appliance)
        tx.rollback()


@st.composite
def two_sites(draw: st.DrawFn) -> tuple[Site, Site]:
    """Two sites on the same arrays and volumes, which no undo makes or destroys."""
    first, second = (draw(sites()).model_copy(update={"schedules": None, "settings": None}) for _ in range(2))
    volumes = {volume.name for volume in first.volumes or ()}
    mappings = tuple(one for one in second.mappings or () if one.volume in volumes)
    return first, second.model_copy(update={"arrays": first.arrays, "volumes": first.volumes, "mappings": mappings})


def check_undoing_all_backwards(appliance: Appliance, first: Site, second: Site) -> None:
    with world_of(appliance) as world:
        world.bring_to(first)
        before = world.everything()
        made = world.bring_to(second)
        after = world.everything()
        undone = [world.undo(seq) for seq in (one.seq for one in reversed(made))]
        assert world.everything() == before
        for seq in reversed(undone):
            world.undo(seq)
        assert world.everything() == after


@pytest.mark.timeout(300)
@fixed("undoing_all", FEW)
@given(case=two_sites())
def test_undoing_all_from_the_last_brings_everything_back_and_undoing_that_too(
    lone: Appliance, case: tuple[Site, Site]
) -> None:
    check_undoing_all_backwards(lone, *case)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("undoing_all", MANY)
@given(case=two_sites())
def test_undoing_all_from_the_last_for_very_many_sites(lone: Appliance, case: tuple[Site, Site]) -> None:
    check_undoing_all_backwards(lone, *case)


def check_one_out_of_turn(appliance: Appliance, first: Site, second: Site, place: int) -> None:
    with world_of(appliance) as world:
        world.bring_to(first)
        made = world.bring_to(second)
        if not made:
            return
        chosen = made[place % len(made)]
        now = world.everything()
        undone, refusal = world.try_to_undo(chosen.seq)
        if refusal is not None:
            assert refusal.status == 409, refusal.detail
            assert f"Event {chosen.seq} " in refusal.detail
            assert world.everything() == now
            return
        assert world.everything() == chosen.taken_out_of(now)
        world.undo(undone)
        assert world.everything() == now


@pytest.mark.timeout(300)
@fixed("one_undone_out_of_turn", FEW)
@given(case=two_sites(), place=st.integers(0, 99))
def test_one_undone_out_of_turn_brings_back_its_own_fields_or_changes_nothing(
    lone: Appliance, case: tuple[Site, Site], place: int
) -> None:
    check_one_out_of_turn(lone, *case, place)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("one_undone_out_of_turn", MANY)
@given(case=two_sites(), place=st.integers(0, 99))
def test_one_undone_out_of_turn_in_very_many_sites(lone: Appliance, case: tuple[Site, Site], place: int) -> None:
    check_one_out_of_turn(lone, *case, place)
