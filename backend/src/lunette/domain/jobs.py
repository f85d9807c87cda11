"""Life of a stored resource, of a job and of its steps."""

from enum import StrEnum


class ResourceState(StrEnum):
    """`changing`: it serves, and a job changes its disks. `stuck`: an undo failed; the resource can be read, and a
    person decides what happens to it."""

    CREATING = "creating"
    READY = "ready"
    CHANGING = "changing"
    DELETING = "deleting"
    STUCK = "stuck"


class JobState(StrEnum):
    """failed: refused before anything changed. undone: what it had begun was taken back. stuck: taking back failed.

    The job of a site document that failed may have made some of its changes: they stay, and its message names the rest.
    So may the run of a schedule: each of its steps is a job of its own.
    """

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNDONE = "undone"
    STUCK = "stuck"

    @property
    def is_over(self) -> bool:
        """True once nothing runs any more; a stuck job waits for a person."""
        return self not in (JobState.PENDING, JobState.RUNNING)


class StepState(StrEnum):
    """Journaled before and after every call of the agent, so a restart knows what may have happened."""

    PENDING = "pending"
    STARTED = "started"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"
    UNDO_FAILED = "undo_failed"


class JobKind(StrEnum):
    ARRAY_CREATE = "array.create"
    ARRAY_DELETE = "array.delete"
    ARRAY_CHANGE = "array.change"
    ARRAY_START = "array.start"
    ARRAY_ADOPT = "array.adopt"
    ARRAY_RELEASE = "array.release"
    VOLUMES_CREATE = "volumes.create"
    VOLUME_DELETE = "volume.delete"
    VOLUME_RECOVER = "volume.recover"
    VOLUME_ERASE = "volume.erase"
    VOLUME_GROW = "volume.grow"
    VOLUME_ROLL_BACK = "volume.roll_back"
    SNAPSHOTS_CREATE = "snapshots.create"
    SNAPSHOT_DELETE = "snapshot.delete"
    SNAPSHOT_RECOVER = "snapshot.recover"
    SNAPSHOT_ERASE = "snapshot.erase"
    THIN_POOL_GROW = "thin_pool.grow"
    INTERFACE_CHANGE = "interface.change"
    SESSION_DISCONNECT = "session.disconnect"
    SITE_APPLY = "site.apply"
    SITE_ADOPT = "site.adopt"
    SCHEDULE_RUN = "schedule.run"
    SYSTEM_UPDATE = "system.update"
    SYSTEM_RESTART = "system.restart"
    SYSTEM_POWER_OFF = "system.power_off"
    DISK_WIPE = "disk.wipe"
    DISK_LOCATE = "disk.locate"
    HOST_VERIFY_PATHS = "host.verify_paths"

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
    """What to do with a stuck job.

    retry: try again to take back (creation) or to finish (deletion). abandon: stop trying and leave the machine as it
    is; a resource that was being created is forgotten, one that was being changed or deleted becomes usable again.
    """

    RETRY = "retry"
    ABANDON = "abandon"
