"""Changes that can be undone, and the reasons why others cannot (decision 0022)."""

from collections.abc import Mapping

from lunette.domain.jobs import JobKind

UNDOABLE = frozenset({"host", "host_group", "mapping", "portal", "fc_port", "schedule", "setting", "volume"})
"""Nouns whose converging changes keep what was before; of a volume that is its name and description."""

_DATA_MADE = (
    "Hosts may have written to what was made since. Delete it with its own command: its plan names what is lost."
)
_DATA_GONE = "The data that was there is gone: nothing on this appliance can bring it back. Restore it from a backup."
JOB_REASONS: Mapping[JobKind, str] = {
    JobKind.ARRAY_CREATE: _DATA_MADE,
    JobKind.ARRAY_DELETE: _DATA_GONE,
    JobKind.ARRAY_CHANGE: (
        "It moved data between disks, or set how that is done. Make the opposite change with the array's own commands."
    ),
    JobKind.ARRAY_START: "It runs read-only, and nothing on it was changed. It does not run any more after a boot.",
    JobKind.ARRAY_ADOPT: "Hosts may use its volumes already. What is on it stays as it is while it is Lunette's.",
    JobKind.ARRAY_RELEASE: (
        "It is Lunette's no more, and others may use it. Start and adopt it as a foreign array: its data are there, "
        "its volumes get new identities."
    ),
    JobKind.VOLUMES_CREATE: _DATA_MADE,
    JobKind.VOLUME_DELETE: "If its data was kept, it is among the deleted volumes: recover it there until its time.",
    JobKind.VOLUME_RECOVER: "It has its data again. Delete it with its own command if it is not needed.",
    JobKind.VOLUME_ERASE: _DATA_GONE,
    JobKind.VOLUME_GROW: "Hosts may use the new size already: shrinking would cut off data. The size stays.",
    JobKind.VOLUME_ROLL_BACK: (
        "What it held before is among the deleted volumes, if it was kept: recover it there under another name. If a "
        "later snapshot was taken, roll back to that one."
    ),
    JobKind.SNAPSHOTS_CREATE: "A snapshot interrupts nobody. Delete it with its own command if it is not needed.",
    JobKind.SNAPSHOT_DELETE: "If it was kept, it is among the deleted snapshots: recover it there until its time.",
    JobKind.SNAPSHOT_RECOVER: "It can be used again. Delete it with its own command if it is not needed.",
    JobKind.SNAPSHOT_ERASE: _DATA_GONE,
    JobKind.THIN_POOL_GROW: "Volumes may use the room already: shrinking would cut off data. The size stays.",
    JobKind.INTERFACE_CHANGE: "A change that was confirmed is changed back with its own command, on trial again.",
    JobKind.SYSTEM_RESTART: "It is over, and left everything as it was.",
    JobKind.SYSTEM_POWER_OFF: "It is over, and left everything as it was.",
    JobKind.SESSION_DISCONNECT: "The host logs in again by itself, as long as volumes are mapped to it.",
    JobKind.SYSTEM_UPDATE: "The version before is in the other slot: go back to it with its own command.",
    JobKind.DISK_WIPE: _DATA_GONE,
    JobKind.DISK_LOCATE: "The light is switched with its own command.",
    JobKind.HOST_VERIFY_PATHS: "It is over, and gave every path back.",
    JobKind.SITE_APPLY: "Its changes are undone one by one: each has an event of its own, see the log.",
    JobKind.SITE_ADOPT: "What was adopted is served by Lunette now. To leave, see the export for targetcli.",
    JobKind.SCHEDULE_RUN: "What the run made and let go holds data. Delete a snapshot it took with its own command.",
}
"""Why no job is undone: jobs are what holds data, and data does not come back by a plan."""

_EVENTS = {
    "array.created": JobKind.ARRAY_CREATE,
    "array.deleted": JobKind.ARRAY_DELETE,
    "array.changed": JobKind.ARRAY_CHANGE,
    "array.started": JobKind.ARRAY_START,
    "array.adopted": JobKind.ARRAY_ADOPT,
    "array.released": JobKind.ARRAY_RELEASE,
    "volume.created": JobKind.VOLUMES_CREATE,
    "volume.deleted": JobKind.VOLUME_DELETE,
    "volume.recovered": JobKind.VOLUME_RECOVER,
    "volume.erased": JobKind.VOLUME_ERASE,
    "volume.grown": JobKind.VOLUME_GROW,
    "volume.rolled_back": JobKind.VOLUME_ROLL_BACK,
    "snapshot.created": JobKind.SNAPSHOTS_CREATE,
    "snapshot.deleted": JobKind.SNAPSHOT_DELETE,
    "snapshot.recovered": JobKind.SNAPSHOT_RECOVER,
    "snapshot.erased": JobKind.SNAPSHOT_ERASE,
    "thin_pool.grown": JobKind.THIN_POOL_GROW,
    "interface.tried": JobKind.INTERFACE_CHANGE,
    "interface.confirmed": JobKind.INTERFACE_CHANGE,
    "session.disconnected": JobKind.SESSION_DISCONNECT,
    "system.updated": JobKind.SYSTEM_UPDATE,
    "system.restarted": JobKind.SYSTEM_RESTART,
    "system.switched_off": JobKind.SYSTEM_POWER_OFF,
    "disk.wiped": JobKind.DISK_WIPE,
    "disk.located": JobKind.DISK_LOCATE,
    "host.paths_verified": JobKind.HOST_VERIFY_PATHS,
    "site.applied": JobKind.SITE_APPLY,
    "site.adopted": JobKind.SITE_ADOPT,
}
_CHANGES = ("created", "changed", "deleted")
_PEOPLE = "Users, tokens and passwords are not undone: who may come in is decided anew each time, with its own command."
_CERTIFICATE = "`lunette certificate revert` takes back the one before, as long as it is the last that was replaced."
_OLD = "It was made by a version that did not keep what was before. Change it back with its own command."
NO_CHANGE = "It tells what happened and changed nothing by itself."


def why_not(kind: str) -> str:
    """Why an event that keeps no state cannot be undone, in words with what to do instead."""
    noun, _, verb = kind.partition(".")
    if noun == "certificate":
        return _CERTIFICATE
    if kind in _EVENTS:
        return JOB_REASONS[_EVENTS[kind]]
    if noun in ("user", "token") and verb in _CHANGES:
        return _PEOPLE
    return _OLD if noun in UNDOABLE and verb in _CHANGES else NO_CHANGE
