"""Changes that can be undone, and the reasons why others cannot (decision 0022)."""

from collections.abc import Mapping

from lunette.domain.jobs import JobKind

UNDOABLE = frozenset({"host", "host_group", "mapping", "portal", "fc_port", "schedule", "setting", "volume"})
"""Nouns whose converging changes keep what was before; of a volume that is its name and description."""

_DATA_MADE = "Hosts may already have written data to it. Delete it instead: the plan shows what is lost."
_DATA_GONE = "The data was destroyed, and this appliance cannot recover it. Restore it from a backup."
JOB_REASONS: Mapping[JobKind, str] = {
    JobKind.ARRAY_CREATE: _DATA_MADE,
    JobKind.ARRAY_DELETE: _DATA_GONE,
    JobKind.ARRAY_CHANGE: (
        "The change moved data between disks or configured how that is done. Make the opposite change to the array."
    ),
    JobKind.ARRAY_START: (
        "The array runs read-only, and its content was not changed. It is not started again after a restart."
    ),
    JobKind.ARRAY_ADOPT: "Hosts may already use its volumes. Its content stays unchanged while it belongs to Lunette.",
    JobKind.ARRAY_RELEASE: (
        "The array no longer belongs to Lunette, and another system may use it. To use it here again, start and adopt "
        "it as a foreign array: its data is retained, but its volumes get new identities."
    ),
    JobKind.VOLUMES_CREATE: _DATA_MADE,
    JobKind.VOLUME_DELETE: "If the volume was retained, recover it from the deleted volumes before its retention ends.",
    JobKind.VOLUME_RECOVER: "The volume has its data again. Delete it if it is not needed.",
    JobKind.VOLUME_ERASE: _DATA_GONE,
    JobKind.VOLUME_GROW: (
        "Hosts may already use the new size, and shrinking would destroy data. The size does not change."
    ),
    JobKind.VOLUME_ROLL_BACK: (
        "If the previous data was retained, recover it from the deleted volumes under another name. If a later "
        "snapshot exists, roll back to that snapshot."
    ),
    JobKind.SNAPSHOTS_CREATE: "A snapshot does not affect hosts. Delete it if it is not needed.",
    JobKind.SNAPSHOT_DELETE: (
        "If the snapshot was retained, recover it from the deleted snapshots before its retention ends."
    ),
    JobKind.SNAPSHOT_RECOVER: "The snapshot can be used again. Delete it if it is not needed.",
    JobKind.SNAPSHOT_ERASE: _DATA_GONE,
    JobKind.THIN_POOL_GROW: (
        "Volumes may already use the space, and shrinking would destroy data. The size does not change."
    ),
    JobKind.INTERFACE_CHANGE: "To reverse a confirmed change, change the interface again. That change is on trial too.",
    JobKind.SYSTEM_RESTART: "The restart is complete and changed no settings.",
    JobKind.SYSTEM_POWER_OFF: "The shutdown is complete and changed no settings.",
    JobKind.SESSION_DISCONNECT: "The host logs in again automatically while volumes are mapped to it.",
    JobKind.SYSTEM_UPDATE: "The previous version is in the other slot. Roll the system back to it instead.",
    JobKind.DISK_WIPE: _DATA_GONE,
    JobKind.DISK_LOCATE: "Switch the locate light on or off again instead.",
    JobKind.HOST_VERIFY_PATHS: "The path test is complete and restored every path.",
    JobKind.SITE_APPLY: "Undo its changes one by one: each has its own event in the log.",
    JobKind.SITE_ADOPT: (
        "Lunette now serves the adopted exports. To move away from Lunette, use the export for targetcli."
    ),
    JobKind.SCHEDULE_RUN: (
        "The run created and deleted snapshots, which hold data. Delete a new snapshot if it is not needed."
    ),
}
"""Why no job is undone: jobs concern data, and a plan cannot restore data."""

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
_PEOPLE = "Changes to users, tokens and passwords cannot be undone. Grant or revoke access with a new change."
_CERTIFICATE = "`lunette certificate revert` restores the previous certificate if this was the last replacement."
_OLD = "The change was made by a version that did not record the previous state. Change it back manually."
NO_CHANGE = "This event only reports what happened."


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
