"""An update as a job: it continues after the restart in whichever system started, and its result is reported."""

from pathlib import Path

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.faults import Crash
from backend.tests.fakemachine.slots import FakeSlots, bundle
from backend.tests.wiring import make_services
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.errors import Conflict
from lunette.domain.jobs import JobKind, JobState
from lunette.domain.plans import Action
from lunette.domain.steps import SlotWrite
from lunette.domain.updates import BundleFacts, ObservedSlots, UpdateCreate
from lunette.engine.changes import updates
from lunette.engine.changes.updates import causes_of
from lunette.engine.context.outcome import Actor, Outcome
from lunette.planner.access.connected import Connected
from lunette.planner.system import updates as planner
from lunette.providers.updates import rauc, trial
from lunette.providers.updates.slots import find
from lunette.store.journal import Job

ACTOR = Actor(name="admin")
BUNDLE = "0" * 32
FACTS = BundleFacts(compatible="lunette-x86_64", version="2.0")


class Site:
    """An installed appliance and its control plane, which start again at each restart; the database stays."""

    def __init__(self, folder: Path, *, installed: bool = True) -> None:
        self._folder = folder
        self.machine = FakeSystem()
        self.machine.add_disks(2)
        if installed:
            self.machine.slots = FakeSlots(self.machine)
        self.machine.files.seed(f"{rauc.BUNDLES}/{BUNDLE}.raucb", bundle("2.0"))
        self.services = self._start()

    def _start(self) -> ApiServices:
        trial.settle(self.machine)
        return make_services(self._folder, Agent(self.machine))

    def ask(self, *, back: bool = False, dry_run: bool = False) -> Outcome:
        with self.services.store.write() as tx:
            context = self.services.control.change(tx, ACTOR, dry_run=dry_run)
            return updates.roll_back(context) if back else updates.update(context, UpdateCreate(bundle=BUNDLE), FACTS)

    def run_until_the_restart(self, job_id: str) -> None:
        with pytest.raises(Crash):
            self.services.control.run_job(job_id)
        self.services.store.close()
        self.machine.reboot()
        self.services = self._start()

    def prove(self, blocker: str | None) -> None:
        """What lunette-trial.service comes to at this start."""
        slots = find(self.machine)
        due = trial.due(self.machine, slots) if slots else None
        assert slots is not None
        assert due is not None
        trial.watch(self.machine, slots, due, lambda: blocker, deadline_s=10)

    def restart(self) -> None:
        self.services.store.close()
        self.machine.reboot()
        self.services = self._start()

    def job(self, job_id: str) -> Job:
        with self.services.store.read() as tx:
            return tx.get_one(Job, job_id)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_an_update_ends_in_the_new_system(site: Site) -> None:
    job_id = site.ask().job_id or ""
    site.run_until_the_restart(job_id)
    site.prove(None)
    assert site.services.control.run_job(job_id) is JobState.SUCCEEDED
    seen = site.services.control.observation(0)
    assert list(causes_of(seen)) == []
    assert seen.slots is not None
    assert (seen.slots.running, seen.slots.next, seen.slots.versions) == ("b", "b", ("1.0", "2.0"))


def test_an_update_that_does_not_prove_healthy_ends_in_the_system_before_with_the_reason(site: Site) -> None:
    job_id = site.ask().job_id or ""
    site.run_until_the_restart(job_id)
    site.prove("its API does not answer")
    site.restart()
    assert site.services.control.run_job(job_id) is JobState.UNDONE
    job = site.job(job_id)
    assert job.error is not None
    assert "its API does not answer" in job.error["detail"]
    (cause,) = causes_of(site.services.control.observation(0))
    assert "2.0 failed; version 1.0 is running" in cause.message
    assert "its API does not answer" in cause.cause
    again = site.ask()
    assert again.job_id, "and may be tried again"


def test_going_back_is_an_update_to_what_is_there(site: Site) -> None:
    with pytest.raises(Conflict, match="no version to go back to"):
        site.ask(back=True)
    job_id = site.ask().job_id or ""
    with pytest.raises(Conflict, match="already running"):
        site.ask()
    site.run_until_the_restart(job_id)
    with pytest.raises(Conflict, match="is on trial"):
        site.ask()
    site.prove(None)
    assert site.services.control.run_job(job_id) is JobState.SUCCEEDED
    plan = site.ask(back=True, dry_run=True).plan
    assert [step.kind for step in plan.steps] == ["slot.start"]
    back = site.ask(back=True).job_id or ""
    site.run_until_the_restart(back)
    site.prove(None)
    assert site.services.control.run_job(back) is JobState.SUCCEEDED
    assert site.machine.slots is not None
    assert site.machine.slots.running == "a"


def test_a_plan_names_what_is_lost_and_who_waits_how_long() -> None:
    slots = ObservedSlots(running="a", on_trial=False, next="a", versions=("1.1", "1.0"), trusts="us", outage_s=74)
    plan = planner.plan_update(slots, UpdateCreate(bundle=BUNDLE), FACTS, Connected(hosts=("db1",)), "t1")
    assert [step.kind for step in plan.steps] == ["slot.write", "slot.start"]
    assert [(one.action, one.name) for one in plan.changes] == [
        (Action.CHANGE, "lunette"),
        (Action.DESTROY, "b"),
        (Action.INTERRUPT, "db1"),
    ]
    assert "74 s" in plan.warnings[0]
    assert "not been measured" in planner.outage(slots.model_copy(update={"outage_s": None}))
    with pytest.raises(Conflict, match="is the fallback"):
        planner.ready(slots.model_copy(update={"on_trial": True}))


def test_an_older_version_is_installed_only_as_a_downgrade() -> None:
    slots = ObservedSlots(running="a", on_trial=False, next="a", versions=("2.1", "1.0"), trusts="us")
    spec = UpdateCreate(bundle=BUNDLE)
    with pytest.raises(Conflict, match=r"older than the running version 2\.1.*`downgrade`"):
        planner.plan_update(slots, spec, FACTS, Connected(), "t1")
    spec = spec.model_copy(update={"downgrade": True})
    plan = planner.plan_update(slots, spec, FACTS, Connected(), "t1")
    assert "older" in plan.warnings[0]
    write = plan.steps[0]
    assert isinstance(write, SlotWrite)
    assert write.downgrade


def test_where_there_are_no_slots_it_is_refused_in_words(tmp_path: Path) -> None:
    site = Site(tmp_path, installed=False)
    for back in (False, True):
        with pytest.raises(Conflict, match="an appliance that was installed from the ISO"):
            site.ask(back=back)
    with site.services.store.read() as tx:
        assert tx.query(Job).filter_by(kind=JobKind.SYSTEM_UPDATE.value).count() == 0
