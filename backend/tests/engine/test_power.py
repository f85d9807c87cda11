"""The machine stops once per spec: its job is over at the next start, and never stops that one too."""

from pathlib import Path

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.faults import Crash
from backend.tests.wiring import make_services
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.errors import Conflict
from lunette.domain.jobs import JobState
from lunette.domain.power import ObservedPower, PowerAction
from lunette.domain.updates import ObservedSlots
from lunette.engine.changes import power
from lunette.engine.context.outcome import Actor, Outcome
from lunette.planner.access.connected import Connected
from lunette.planner.system import power as planner
from lunette.store.journal import Job

ACTOR = Actor(name="admin")


class Site:
    """A server and its control plane, which starts again at each boot; the database stays."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.machine = FakeSystem()
        self.machine.add_disks(2)
        self.services = self._start()

    def _start(self) -> ApiServices:
        return make_services(self._folder, Agent(self.machine))

    def ask(self, action: PowerAction, *, dry_run: bool = False) -> Outcome:
        with self.services.store.write() as tx:
            return power.stop(self.services.control.change(tx, ACTOR, dry_run=dry_run), action)

    def run(self, job_id: str) -> JobState:
        return self.services.control.run_job(job_id)

    def run_until_it_stops(self, job_id: str) -> None:
        with pytest.raises(Crash):
            self.run(job_id)

    def starts_again(self) -> None:
        self.services.store.close()
        self.machine.reboot()
        self.services = self._start()

    def agent_starts_again(self) -> None:
        self.services.store.close()
        self.machine.restart_process()
        self.services = self._start()

    def job(self, job_id: str) -> Job:
        with self.services.store.read() as tx:
            return tx.get_one(Job, job_id)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.mark.parametrize(("action", "verb"), [(PowerAction.RESTART, "reboot"), (PowerAction.OFF, "poweroff")])
def test_it_is_over_at_the_next_start_and_stops_that_one_not(site: Site, action: PowerAction, verb: str) -> None:
    job_id = site.ask(action).job_id or ""
    site.run_until_it_stops(job_id)
    assert site.machine.power.asked == [verb]
    site.starts_again()
    assert site.run(job_id) is JobState.SUCCEEDED
    assert site.machine.power.asked == [verb]
    again = site.ask(action)
    assert again.job_id, "and may be asked for anew"


def test_an_agent_that_dies_before_the_machine_requests_again(site: Site) -> None:
    job_id = site.ask(PowerAction.RESTART).job_id or ""
    site.run_until_it_stops(job_id)
    site.agent_starts_again()
    site.run_until_it_stops(job_id)
    assert site.machine.power.asked == ["reboot", "reboot"], "the start that is to end has not ended"


def test_a_second_request_waits_for_the_first(site: Site) -> None:
    job_id = site.ask(PowerAction.OFF).job_id
    with pytest.raises(Conflict, match=f"job {job_id}"):
        site.ask(PowerAction.RESTART)


def test_a_dry_run_stops_nothing(site: Site) -> None:
    plan = site.ask(PowerAction.OFF, dry_run=True).plan
    assert [step.kind for step in plan.steps] == ["machine.stop"]
    assert "until the system is switched on" in plan.warnings[0]
    assert site.machine.power.asked == []


def test_a_plan_names_hosts_jobs_and_what_was_measured(site: Site) -> None:
    seen = site.services.control.observation(0)
    measured = seen.model_copy(update={"power": ObservedPower(boot_id="b", outage_s=41.0)})
    plan = planner.plan_stop(PowerAction.RESTART, measured, Connected(hosts=("db1",)), jobs=2)
    assert plan.hosts_interrupted == ("db1",)
    assert plan.warnings[0].startswith("All I/O stops for about 41 s")
    assert plan.warnings[1].startswith("2 jobs are running")


def test_where_it_cannot_be_or_would_end_a_trial_it_is_refused_in_words(site: Site) -> None:
    seen = site.services.control.observation(0)
    contained = seen.model_copy(update={"power": ObservedPower(boot_id="b", reason="this is a container")})
    with pytest.raises(Conflict, match=r"^This is a container\.$"):
        planner.plan_stop(PowerAction.RESTART, contained, Connected(), jobs=0)
    slots = ObservedSlots(running="b", on_trial=True, next="a", versions=("1.0", "2.0"), trusts="us")
    with pytest.raises(Conflict, match="is on trial"):
        planner.plan_stop(PowerAction.RESTART, seen.model_copy(update={"slots": slots}), Connected(), jobs=0)
