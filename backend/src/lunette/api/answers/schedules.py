"""Schedules with their next times and the result of their last run."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.jobs import JobState
from lunette.domain.schedules import MissedRuns, ScheduleAction


class Kept(Answer):
    """Retention of the snapshots of a schedule, per volume."""

    last: int
    """Number of most recent snapshots to retain."""
    hourly: int
    """Number of hourly snapshots to retain: the newest of each hour. Hours without snapshots are skipped."""
    daily: int
    """Number of daily snapshots to retain: the newest of each day. Days without snapshots are skipped."""
    weekly: int
    """Number of weekly snapshots to retain: the newest of each ISO week. Weeks without snapshots are skipped."""
    monthly: int
    """Number of monthly snapshots to retain: the newest of each month. Months without snapshots are skipped."""


class LastRun(Answer):
    """Last run of a schedule."""

    job_id: str
    """Unique ID of the job of the run."""
    state: JobState
    """State of the job."""
    message: str
    """Progress or result of the job."""
    started_at: datetime
    """When the job was created, in UTC."""
    finished_at: datetime | None
    """When the job finished, in UTC. `null` if the job has not finished."""


class Schedule(Answer):
    """Schedule that takes snapshots of volumes or scrubs arrays at set times."""

    id: str
    """Unique ID of the schedule."""
    name: str
    """Name of the schedule."""
    description: str
    """Free-text description."""
    action: ScheduleAction
    """Action of the schedule."""
    volumes: tuple[str, ...]
    """Names of the volumes to take snapshots of. Empty for the action `scrub`."""
    volume_ids: tuple[str, ...]
    """Unique IDs of the volumes, in the order of `volumes`."""
    arrays: tuple[str, ...]
    """Names of the arrays to scrub. Empty for the action `snapshot`."""
    array_ids: tuple[str, ...]
    """Unique IDs of the arrays, in the order of `arrays`."""
    when: str
    """Cron expression with minute, hour, day of month, month and weekday, in `time_zone`."""
    time_zone: str
    """Time zone of the appliance, in which `when` is evaluated."""
    keep: Kept | None
    """Retention of the snapshots, per volume. `null` for the action `scrub`."""
    snapshot_name: str
    """Pattern for the names of the snapshots. Has no effect for the action `scrub`."""
    missed: MissedRuns
    """Handling of runs that were missed while the appliance was down."""
    enabled: bool
    """Whether the schedule runs automatically."""
    snapshots: int
    """Number of existing snapshots that the schedule took."""
    next_runs: tuple[datetime, ...]
    """Next three times of the schedule, in UTC. Empty if the schedule is disabled."""
    last_run: LastRun | None
    """Last run of the schedule. `null` if no run is recorded."""
    created_at: datetime
    """When the schedule was created, in UTC."""
    updated_at: datetime
    """When the schedule was last changed, in UTC."""


class SchedulePreview(Answer):
    """Times at which a cron expression would run a schedule."""

    when: str
    """Cron expression with minute, hour, day of month, month and weekday, in `time_zone`."""
    time_zone: str
    """Time zone of the appliance, in which `when` is evaluated."""
    next_runs: tuple[datetime, ...]
    """Next five times, in UTC."""
