"""Who may call what: every operation with the role it needs, in one place. An operation that is not here is closed.

The nouns follow DESIGN: a viewer reads, an operator also changes volumes, hosts and mappings, an administrator also
arrays, portals, Fibre Channel ports, interfaces and users. A monitoring system reads its metrics and nothing else.
"""

from lunette.domain.roles import Role
from lunette.domain.undo import UNDOABLE

PUBLIC = frozenset({"health_show", "login_create"})
"""Answered without credentials."""

BEFORE_PASSWORD_CHANGE = frozenset({"me_show", "password_change", "login_delete"})
"""All that is open to someone who still has a one-time password."""

BEFORE_SECOND_FACTOR = BEFORE_PASSWORD_CHANGE | {"second_factor_start", "second_factor_confirm"}
"""All that is open to someone who has no second factor where the settings ask for one."""

_METRICS = ("metrics_show",)
_VIEWER = (
    "login_delete", "password_change", "me_show", "document_show", "status_show", "drift_show", "engine_list",
    "disk_list", "disk_show", "disk_history", "array_list", "array_show", "layout_list", "foreign_array_list",
    "volume_list", "volume_show", "deleted_volume_list", "deleted_volume_show",
    "snapshot_list", "snapshot_show", "deleted_snapshot_list", "deleted_snapshot_show",
    "host_list", "host_show", "host_kit", "host_kit_download", "host_paths",
    "initiator_list", "host_group_list", "host_group_show", "portal_list", "portal_show", "rdma_device_list",
    "fc_port_list", "fc_port_show", "interface_list", "interface_show", "firewall_show",
    "mapping_list", "mapping_show",
    "performance_list", "performance_show",
    "session_list", "job_list", "job_show", "certificate_show",
    "event_list", "event_export", "event_show", "event_stream", "alert_list", "alert_show",
    "site_show", "site_schema_show", "site_saveconfig", "volume_why", "schedule_list", "schedule_show",
    "setting_show", "update_show",
    "token_list", "token_show", "token_create", "token_delete", "login_list", "login_end",
    "second_factor_start", "second_factor_confirm", "second_factor_renew", "second_factor_remove",
)  # fmt: skip
_OPERATOR = (
    "volume_create", "volume_create_batch", "volume_patch", "volume_delete", "volume_delete_batch", "volume_grow",
    "volume_roll_back", "deleted_volume_recover", "snapshot_create", "snapshot_create_batch", "snapshot_clone",
    "snapshot_delete", "deleted_snapshot_recover",
    "host_create", "host_patch", "host_delete", "host_group_create", "host_group_patch", "host_group_delete",
    "mapping_create", "mapping_create_batch", "mapping_delete", "session_disconnect", "site_plan", "site_inspect",
    "host_verify_paths", "event_undo", "disk_locate", "array_unlock",
    "alert_acknowledge", "alert_silence", "alert_reopen",
)  # fmt: skip
_ADMINISTRATOR = (
    "disk_wipe",
    "array_create", "array_delete", "array_patch", "array_spares_add", "array_grow", "array_replace", "array_fail",
    "array_reshape", "array_disks_add", "array_remove", "array_readd", "array_scrub", "array_force_start",
    "array_release", "array_forget", "array_key_change",
    "foreign_array_start", "foreign_array_adopt", "deleted_volume_delete", "deleted_snapshot_delete",
    "portal_create", "portal_delete", "fc_port_create", "fc_port_patch",
    "fc_port_delete", "interface_create", "interface_remove", "interface_change", "interface_confirm",
    "interface_revert", "job_resolve", "site_apply", "site_adopt",
    "schedule_create", "schedule_patch", "schedule_delete", "schedule_run",
    "setting_patch", "alert_test", "appliance_backup", "appliance_restore", "appliance_support",
    "appliance_rebuild", "appliance_restart", "appliance_power_off",
    "update_upload", "update_fetch", "update_create", "update_roll_back",
    "certificate_replace", "certificate_revert", "certificate_create",
    "user_list", "user_show", "user_create", "user_patch", "user_delete",
)  # fmt: skip

ROLES: dict[str, Role] = {
    **dict.fromkeys(_METRICS, Role.METRICS),
    **dict.fromkeys(_VIEWER, Role.VIEWER),
    **dict.fromkeys(_OPERATOR, Role.OPERATOR),
    **dict.fromkeys(_ADMINISTRATOR, Role.ADMINISTRATOR),
}
"""Tokens and logins are open to every role: each person sees only their own, and makes no token above it."""

UNDOING: dict[str, Role] = {
    noun: ROLES[f"{noun}_delete" if noun not in ("setting", "volume") else f"{noun}_patch"] for noun in UNDOABLE
}
"""Who may undo a change of each noun: whoever may make the opposite one."""
