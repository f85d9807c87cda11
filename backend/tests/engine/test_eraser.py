"""Deleted volumes are erased once their hours have passed, and never sooner, whatever the clock says."""

import datetime as dt
from dataclasses import replace

import pytest
from sqlalchemy import select

from backend.tests.engine.conftest import ADMIN, Appliance
from lunette.domain.errors import ToolFailed
from lunette.domain.jobs import JobKind, JobState
from lunette.domain.observations import Observation
from lunette.domain.site import SiteRequest
from lunette.engine.background import eraser
from lunette.engine.changes import volumes
from lunette.engine.site import changes as site_changes
from lunette.store.journal import Job
from lunette.store.resources import DeletedVolume
from lunette.store.schema import utc_now

STEP_S = 300.0
NOW = utc_now()


def run(appliance: Appliance, job_id: str | None) -> JobState:
    return appliance.control.runner.run(job_id or "")


class Clocks:
    """What the wall says, and how long the process runs."""

    def __init__(self, appliance: Appliance) -> None:
        self.appliance, self.wall, self.ran_s = appliance, NOW, 0.0
        self.eraser = eraser.Eraser(appliance.store, appliance.control.services, lambda: self.wall, lambda: self.ran_s)
        self.eraser.round()

    def run(self, hours: float, leap: dt.timedelta = dt.timedelta()) -> list[str]:
        """Lets hours pass in steps of five minutes. Returns the jobs it filed."""
        self.wall += leap
        for _ in range(int(hours * 12)):
            self.ran_s += STEP_S
            self.wall += dt.timedelta(seconds=STEP_S)
            self.eraser.round()
        return self.filed()

    def filed(self) -> list[str]:
        """The erasures so far."""
        with self.appliance.store.read() as tx:
            return [job.id for job in tx.query(Job).filter_by(kind=JobKind.VOLUME_ERASE.value)]


@pytest.fixture
def clocks(appliance: Appliance) -> Clocks:
    """A volume was deleted just now."""
    appliance.array()
    appliance.volumes("v1")
    clocks = Clocks(appliance)
    with appliance.store.write() as tx:
        outcome = volumes.delete(appliance.control.change(tx, ADMIN), "v1")
    assert run(appliance, outcome.job_id) is JobState.SUCCEEDED
    return clocks


def kept(appliance: Appliance) -> int:
    with appliance.store.read() as tx:
        return tx.query(DeletedVolume).count()


def test_it_is_erased_after_its_hours_by_a_job(clocks: Clocks, appliance: Appliance) -> None:
    assert clocks.run(23.9) == []
    (job_id,) = clocks.run(0.3)
    assert run(appliance, job_id) is JobState.SUCCEEDED
    assert (kept(appliance), appliance.agent.machine.volumes) == (0, ())


@pytest.mark.parametrize("years", [50, -50])
def test_a_clock_that_leaps_erases_nothing_early_and_retains_nothing_longer(clocks: Clocks, years: int) -> None:
    assert clocks.run(23.9, dt.timedelta(days=365 * years)) == []
    assert len(clocks.run(0.4)) == 1


def test_time_in_which_nothing_ran_does_not_count(clocks: Clocks, appliance: Appliance) -> None:
    assert clocks.run(12) == []
    again = Clocks(appliance)
    again.wall = clocks.wall
    assert again.run(11.9, dt.timedelta(days=7)) == []
    assert len(again.run(0.3)) == 1


def test_two_processes_do_not_count_twice(clocks: Clocks, appliance: Appliance) -> None:
    other = eraser.Eraser(appliance.store, appliance.control.services, lambda: clocks.wall, lambda: clocks.ran_s)
    for _ in range(20):
        assert clocks.run(1) == []
        other.round()
    assert clocks.run(3.9) == []
    assert len(clocks.run(0.4)) == 1


def test_no_erasure_is_filed_once_a_site_document_is_applied(appliance: Appliance) -> None:
    """The machine is observed before each item is filed; the document of that moment may delete the item's array."""
    appliance.array()
    appliance.volumes("v1", "v2")
    clocks = Clocks(appliance)
    for name in ("v1", "v2"):
        with appliance.store.write() as tx:
            outcome = volumes.delete(appliance.control.change(tx, ADMIN), name)
        assert run(appliance, outcome.job_id) is JobState.SUCCEEDED
    services, applied = appliance.control.services, list[str]()

    def look() -> Observation:
        filed = clocks.filed()
        if filed and not applied:
            assert run(appliance, filed[0]) is JobState.SUCCEEDED
            request = SiteRequest.model_validate({"site": {"arrays": []}, "destroy": ["array/tank"]})
            with appliance.store.write() as tx:
                applied.append(site_changes.apply(appliance.control.change(tx, ADMIN), request).job_id or "")
        return services.seen()

    assert clocks.run(23.9) == []
    clocks.eraser = eraser.Eraser(
        appliance.store, replace(services, seen=look), lambda: clocks.wall, lambda: clocks.ran_s
    )
    assert len(clocks.run(0.3)) == 1
    assert apply_whole(appliance, *applied) is JobState.SUCCEEDED
    assert kept(appliance) == 0


def apply_whole(appliance: Appliance, site_job: str) -> JobState:
    """Runs the job of a site document with the jobs that it files."""
    while (state := appliance.control.run_job(site_job)) is JobState.RUNNING:
        with appliance.store.read() as tx:
            (part,) = tx.scalars(select(Job.id).where(Job.state == JobState.PENDING.value))
        run(appliance, part)
    return state


def test_one_that_failed_is_tried_again_an_hour_later(clocks: Clocks, appliance: Appliance) -> None:
    (job_id,) = clocks.run(24.1)
    appliance.agent.failures["do", "volume.delete"] = ToolFailed("lvremove failed")
    assert run(appliance, job_id) is not JobState.SUCCEEDED
    appliance.agent.failures.clear()
    assert (kept(appliance), clocks.run(0.9)) == (1, [job_id])
    assert len(clocks.run(0.3)) == 2
