"""The states of stored resources, jobs and steps, and the kinds of jobs."""

from enum import StrEnum


class ResourceState(StrEnum):
    """State of a stored resource."""

    CREATING = "creating"
    """A job creates the resource."""
    READY = "ready"
    """The resource can be used."""
    CHANGING = "changing"
    """A job changes the resource. Existing exports continue."""
    DELETING = "deleting"
    """A job deletes or releases the resource."""
    STUCK = "stuck"
    """A job could neither finish nor be rolled back. The resource cannot be changed until an administrator resolves the
    job."""


class JobState(StrEnum):
    """State of a job."""

    PENDING = "pending"
    """The job waits to run."""
    RUNNING = "running"
    """The job runs its steps, or undoes them after an error."""
    SUCCEEDED = "succeeded"
    """The job completed all its steps."""
    FAILED = "failed"
    """The job failed before any change, or was abandoned. A site document or a schedule run retains the changes that
    were completed before the error; the message names the rest."""
    UNDONE = "undone"
    """The job failed, and its completed steps were undone, except irreversible ones."""
    STUCK = "stuck"
    """The job failed, and its steps could not be undone. An administrator must resolve the job."""

    @property
    def is_over(self) -> bool:
        """True once nothing runs any more; a stuck job waits for an administrator."""
        return self not in (JobState.PENDING, JobState.RUNNING)


class StepState(StrEnum):
    """State of a step, recorded before and after each action so that a restart can continue the job."""

    PENDING = "pending"
    """The step has not started."""
    STARTED = "started"
    """The step has started, and its result is not known yet."""
    DONE = "done"
    """The step is complete."""
    UNDOING = "undoing"
    """The step is being undone."""
    UNDONE = "undone"
    """The step was undone. In a site document or a schedule run: the step failed."""
    UNDO_FAILED = "undo_failed"
    """The step could not be undone, so the job is stuck."""


UNFINISHED = (JobState.PENDING.value, JobState.RUNNING.value)
"""States of a job that has yet to end."""


class JobKind(StrEnum):
    """Kind of a job, as noun and verb."""

    ARRAY_CREATE = "array.create"
    """Create an array."""
    ARRAY_DELETE = "array.delete"
    """Delete an array with all its data."""
    ARRAY_CHANGE = "array.change"
    """Change an array: add, replace or remove disks, grow, reshape, scrub or force the start."""
    ARRAY_START = "array.start"
    """Start an array that another system created, read-only."""
    ARRAY_ADOPT = "array.adopt"
    """Adopt an array that another system created."""
    ARRAY_RELEASE = "array.release"
    """Release an array without changing its data, so that another system can use it."""
    VOLUMES_CREATE = "volumes.create"
    """Create volumes or clones."""
    VOLUME_DELETE = "volume.delete"
    """Delete volumes."""
    VOLUME_RECOVER = "volume.recover"
    """Recover a deleted volume."""
    VOLUME_ERASE = "volume.erase"
    """Erase a deleted volume."""
    VOLUME_GROW = "volume.grow"
    """Grow a volume."""
    VOLUME_ROLL_BACK = "volume.roll_back"
    """Roll back a volume to a snapshot."""
    SNAPSHOTS_CREATE = "snapshots.create"
    """Create snapshots."""
    SNAPSHOT_DELETE = "snapshot.delete"
    """Delete a snapshot."""
    SNAPSHOT_RECOVER = "snapshot.recover"
    """Recover a deleted snapshot."""
    SNAPSHOT_ERASE = "snapshot.erase"
    """Erase a deleted snapshot."""
    THIN_POOL_GROW = "thin_pool.grow"
    """Grow a thin pool that fills up; starts automatically."""
    INTERFACE_CHANGE = "interface.change"
    """Change a network interface, on trial until confirmed."""
    SESSION_DISCONNECT = "session.disconnect"
    """Disconnect a session."""
    SITE_APPLY = "site.apply"
    """Apply a site document."""
    SITE_ADOPT = "site.adopt"
    """Adopt exports that another system created."""
    SCHEDULE_RUN = "schedule.run"
    """Run a schedule: create snapshots or scrub arrays."""
    SYSTEM_UPDATE = "system.update"
    """Install an update or start the previous version again, with a restart."""
    SYSTEM_RESTART = "system.restart"
    """Restart the appliance."""
    SYSTEM_POWER_OFF = "system.power_off"
    """Switch off the appliance. The job ends at the next start."""
    DISK_WIPE = "disk.wipe"
    """Wipe or erase a disk."""
    DISK_LOCATE = "disk.locate"
    """Switch the locate light of a disk on or off."""
    HOST_VERIFY_PATHS = "host.verify_paths"
    """Interrupt each path of a host in turn and check that I/O continues."""

    @property
    def destroys(self) -> bool:
        """True for a job whose success removes its resources, from the record at least."""
        return self in (
            JobKind.ARRAY_DELETE,
            JobKind.ARRAY_RELEASE,
            JobKind.VOLUME_DELETE,
            JobKind.SNAPSHOT_DELETE,
            JobKind.SNAPSHOT_ERASE,
            JobKind.VOLUME_ERASE,
        )

    @property
    def changes(self) -> bool:
        """True for a job that leaves its resources in place, whatever becomes of it."""
        return self in (
            JobKind.ARRAY_CHANGE,
            JobKind.ARRAY_START,
            JobKind.VOLUME_GROW,
            JobKind.VOLUME_RECOVER,
            JobKind.SNAPSHOT_RECOVER,
            JobKind.VOLUME_ROLL_BACK,
            JobKind.THIN_POOL_GROW,
            JobKind.INTERFACE_CHANGE,
            JobKind.SESSION_DISCONNECT,
            JobKind.SYSTEM_UPDATE,
            JobKind.SYSTEM_RESTART,
            JobKind.SYSTEM_POWER_OFF,
            JobKind.DISK_WIPE,
            JobKind.DISK_LOCATE,
            JobKind.HOST_VERIFY_PATHS,
        )


class Resolution(StrEnum):
    """Decision about a stuck job."""

    RETRY = "retry"
    """Retry. A creation or change is undone further, a deletion starts again from its first step."""
    ABANDON = "abandon"
    """Abandon the job and leave the machine as it is. The record of a resource that was being created is removed; a
    resource that was being changed or deleted becomes usable again."""
