"""Schedules: what runs by the clock, when next, and how the last run ended."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.jobs import JobState
from lunette.domain.schedules import MissedRuns, ScheduleAction


class Kept(Answer):
    """How many snapshots of each volume stay."""

    last: int
    hourly: int
    daily: int
    weekly: int
    monthly: int


class LastRun(Answer):
    """The newest run: its job, and how it went."""

    job_id: str
    state: JobState
    message: str
    started_at: datetime
    finished_at: datetime | None


class Schedule(Answer):
    """What is done by the clock. `when` is in `time_zone`; `next_runs` are empty while it is disabled."""

    id: str
    name: str
    description: str
    action: ScheduleAction
    volumes: tuple[str, ...]
    volume_ids: tuple[str, ...]
    arrays: tuple[str, ...]
    array_ids: tuple[str, ...]
    when: str
    time_zone: str
    keep: Kept | None
    snapshot_name: str
    missed: MissedRuns
    enabled: bool
    snapshots: int
    """How many snapshots there are that it took."""
    next_runs: tuple[datetime, ...]
    last_run: LastRun | None
    created_at: datetime
    updated_at: datetime
