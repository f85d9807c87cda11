"""The operations of the API: a table of them, and a method for each.

Made from backend/openapi.json by `make generate`; do not edit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

if TYPE_CHECKING:
    from io import BufferedReader

    from lunette.client.generated import types as t


class Operation(NamedTuple):
    """How an operation is called, and what it may answer: a list, a plan first, a job."""

    method: str
    path: str
    parameters: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Query parameters that take certain words only."""
    body: str = ""
    if_match: bool = False
    is_list: bool = False
    dry_run: bool = False
    job: bool = False
    is_binary: bool = False


OPERATIONS: dict[str, Operation] = {
    "health_show": Operation("GET", "/health"),
    "status_show": Operation("GET", "/status"),
    "engine_list": Operation("GET", "/engines", is_list=True),
    "login_create": Operation("POST", "/login", body="Login"),
    "login_delete": Operation("POST", "/logout"),
    "me_show": Operation("GET", "/me"),
    "password_change": Operation("POST", "/password", body="PasswordChange"),
    "login_list": Operation(
        "GET",
        "/logins",
        query=("sort",),
        words=(("sort", ("created_at", "-created_at", "expires_at", "-expires_at")),),
        is_list=True,
    ),
    "login_end": Operation("POST", "/logins/{login}:end", parameters=("login",), dry_run=True),
    "second_factor_start": Operation("POST", "/second-factor", body="FactorProof"),
    "second_factor_confirm": Operation("POST", "/second-factor:confirm", body="FactorConfirm"),
    "second_factor_renew_codes": Operation("POST", "/second-factor:renew-codes", body="FactorProof"),
    "second_factor_remove": Operation("POST", "/second-factor:remove", body="FactorProof"),
    "user_list": Operation(
        "GET",
        "/users",
        query=("sort", "name", "role"),
        words=(
            ("sort", ("username", "-username", "role", "-role", "created_at", "-created_at")),
            ("role", ("viewer", "operator", "administrator")),
        ),
        is_list=True,
    ),
    "user_create": Operation("POST", "/users", body="UserCreate", dry_run=True),
    "user_show": Operation("GET", "/users/{user}", parameters=("user",)),
    "user_patch": Operation(
        "PATCH", "/users/{user}", parameters=("user",), body="UserPatch", if_match=True, dry_run=True
    ),
    "user_delete": Operation("DELETE", "/users/{user}", parameters=("user",), if_match=True, dry_run=True),
    "token_list": Operation(
        "GET",
        "/tokens",
        query=("sort", "name"),
        words=(("sort", ("name", "-name", "created_at", "-created_at")),),
        is_list=True,
    ),
    "token_create": Operation("POST", "/tokens", body="TokenCreate", dry_run=True),
    "token_show": Operation("GET", "/tokens/{token}", parameters=("token",)),
    "token_delete": Operation("DELETE", "/tokens/{token}", parameters=("token",), if_match=True, dry_run=True),
    "disk_list": Operation(
        "GET",
        "/disks",
        query=("sort", "name", "state", "transport", "health", "array"),
        words=(
            (
                "sort",
                ("id", "-id", "serial", "-serial", "size_bytes", "-size_bytes", "state", "-state", "model", "-model"),
            ),
            ("state", ("free", "member", "occupied", "system", "missing", "unknown")),
            ("transport", ("nvme", "sas", "sata", "scsi", "virtio", "ubd", "other")),
            ("health", ("ok", "warning", "failing", "unknown")),
        ),
        is_list=True,
    ),
    "disk_show": Operation("GET", "/disks/{disk}", parameters=("disk",)),
    "disk_history": Operation("GET", "/disks/{disk}/history", parameters=("disk",)),
    "disk_wipe": Operation(
        "POST", "/disks/{disk}:wipe", parameters=("disk",), body="DiskWipeRequest", dry_run=True, job=True
    ),
    "disk_locate": Operation(
        "POST", "/disks/{disk}:locate", parameters=("disk",), body="DiskLocateRequest", dry_run=True, job=True
    ),
    "layout_list": Operation("GET", "/layouts", query=("disks", "block_bytes")),
    "array_list": Operation(
        "GET",
        "/arrays",
        query=("sort", "name", "state", "level"),
        words=(
            (
                "sort",
                (
                    "name",
                    "-name",
                    "level",
                    "-level",
                    "state",
                    "-state",
                    "usable_bytes",
                    "-usable_bytes",
                    "created_at",
                    "-created_at",
                ),
            ),
            ("state", ("creating", "ready", "changing", "deleting", "stuck")),
            (
                "level",
                (
                    "raid0",
                    "raid1",
                    "raid4",
                    "raid5",
                    "raid6",
                    "raid10",
                    "stripe",
                    "mirror",
                    "raidz1",
                    "raidz2",
                    "raidz3",
                    "draid1",
                    "draid2",
                    "draid3",
                    "external",
                ),
            ),
        ),
        is_list=True,
    ),
    "array_create": Operation("POST", "/arrays", body="ArrayCreate", dry_run=True, job=True),
    "array_show": Operation("GET", "/arrays/{array}", parameters=("array",)),
    "array_patch": Operation(
        "PATCH", "/arrays/{array}", parameters=("array",), body="ArrayPatch", if_match=True, dry_run=True
    ),
    "array_delete": Operation(
        "DELETE",
        "/arrays/{array}",
        parameters=("array",),
        query=("cascade", "confirm"),
        words=(("cascade", ("true", "false")),),
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_capacity": Operation("GET", "/arrays/{array}/capacity", parameters=("array",)),
    "array_add_spares": Operation(
        "POST",
        "/arrays/{array}:add-spares",
        parameters=("array",),
        body="ArrayAddSpares",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_add_disks": Operation(
        "POST",
        "/arrays/{array}:add-disks",
        parameters=("array",),
        body="ArrayAddDisks",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_grow": Operation(
        "POST", "/arrays/{array}:grow", parameters=("array",), body="ArrayGrow", if_match=True, dry_run=True, job=True
    ),
    "array_reshape": Operation(
        "POST",
        "/arrays/{array}:reshape",
        parameters=("array",),
        body="ArrayReshape",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_replace": Operation(
        "POST",
        "/arrays/{array}:replace",
        parameters=("array",),
        body="ArrayReplace",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_fail": Operation(
        "POST",
        "/arrays/{array}:fail",
        parameters=("array",),
        body="ArrayDiskChoice",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_remove": Operation(
        "POST",
        "/arrays/{array}:remove",
        parameters=("array",),
        body="ArrayDiskChoice",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_readd": Operation(
        "POST",
        "/arrays/{array}:readd",
        parameters=("array",),
        body="ArrayDiskChoice",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_scrub": Operation(
        "POST", "/arrays/{array}:scrub", parameters=("array",), body="ArrayScrub", if_match=True, dry_run=True, job=True
    ),
    "array_force_start": Operation(
        "POST",
        "/arrays/{array}:force-start",
        parameters=("array",),
        body="ArrayForceStart",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_release": Operation(
        "POST",
        "/arrays/{array}:release",
        parameters=("array",),
        body="ArrayRelease",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "array_forget": Operation(
        "POST", "/arrays/{array}:forget", parameters=("array",), body="ArrayForget", if_match=True, dry_run=True
    ),
    "array_unlock": Operation(
        "POST", "/arrays/{array}:unlock", parameters=("array",), body="ArrayUnlock", if_match=True, dry_run=True
    ),
    "array_change_key": Operation(
        "POST", "/arrays/{array}:change-key", parameters=("array",), body="ArrayKeyChange", if_match=True, dry_run=True
    ),
    "foreign_array_list": Operation("GET", "/foreign-arrays", is_list=True),
    "foreign_array_start": Operation(
        "POST", "/foreign-arrays/{foreign_array}:start", parameters=("foreign_array",), dry_run=True, job=True
    ),
    "foreign_array_adopt": Operation(
        "POST",
        "/foreign-arrays/{foreign_array}:adopt",
        parameters=("foreign_array",),
        body="ForeignArrayAdopt",
        dry_run=True,
        job=True,
    ),
    "volume_create_batch": Operation("POST", "/volumes:create-batch", body="VolumeBatch", dry_run=True, job=True),
    "volume_delete_batch": Operation(
        "POST", "/volumes:delete-batch", query=("confirm",), body="VolumeDeleteBatch", dry_run=True, job=True
    ),
    "volume_why": Operation("GET", "/volumes/{volume}:why", parameters=("volume",), query=("host",)),
    "volume_list": Operation(
        "GET",
        "/volumes",
        query=("sort", "name", "text", "array", "host", "host_group", "state"),
        words=(
            (
                "sort",
                (
                    "name",
                    "-name",
                    "state",
                    "-state",
                    "size_bytes",
                    "-size_bytes",
                    "naa",
                    "-naa",
                    "created_at",
                    "-created_at",
                ),
            ),
            ("state", ("creating", "ready", "changing", "deleting", "stuck")),
        ),
        is_list=True,
    ),
    "volume_create": Operation("POST", "/volumes", body="VolumeCreate", dry_run=True, job=True),
    "volume_show": Operation("GET", "/volumes/{volume}", parameters=("volume",)),
    "volume_patch": Operation(
        "PATCH", "/volumes/{volume}", parameters=("volume",), body="VolumePatch", if_match=True, dry_run=True
    ),
    "volume_delete": Operation(
        "DELETE",
        "/volumes/{volume}",
        parameters=("volume",),
        query=("cascade", "confirm"),
        words=(("cascade", ("true", "false")),),
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "volume_grow": Operation(
        "POST",
        "/volumes/{volume}:grow",
        parameters=("volume",),
        body="VolumeGrow",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "volume_roll_back": Operation(
        "POST",
        "/volumes/{volume}:roll-back",
        parameters=("volume",),
        body="VolumeRollBack",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "deleted_volume_recover_batch": Operation(
        "POST", "/deleted-volumes:recover-batch", body="DeletedVolumeBatch", dry_run=True, job=True
    ),
    "deleted_volume_delete_batch": Operation(
        "POST", "/deleted-volumes:delete-batch", body="DeletedVolumeBatch", dry_run=True, job=True
    ),
    "deleted_volume_list": Operation(
        "GET",
        "/deleted-volumes",
        query=("name", "array", "sort"),
        words=(
            (
                "sort",
                ("name", "-name", "size_bytes", "-size_bytes", "deleted_at", "-deleted_at", "erase_at", "-erase_at"),
            ),
        ),
        is_list=True,
    ),
    "deleted_volume_show": Operation("GET", "/deleted-volumes/{deleted_volume}", parameters=("deleted_volume",)),
    "deleted_volume_delete": Operation(
        "DELETE",
        "/deleted-volumes/{deleted_volume}",
        parameters=("deleted_volume",),
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "deleted_volume_recover": Operation(
        "POST",
        "/deleted-volumes/{deleted_volume}:recover",
        parameters=("deleted_volume",),
        body="VolumeRecover",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "snapshot_create_batch": Operation("POST", "/snapshots:create-batch", body="SnapshotBatch", dry_run=True, job=True),
    "snapshot_delete_batch": Operation(
        "POST", "/snapshots:delete-batch", body="SnapshotDeleteBatch", dry_run=True, job=True
    ),
    "snapshot_list": Operation(
        "GET",
        "/snapshots",
        query=("name", "volume", "schedule", "sort"),
        words=(("sort", ("name", "-name", "size_bytes", "-size_bytes", "created_at", "-created_at")),),
        is_list=True,
    ),
    "snapshot_create": Operation("POST", "/snapshots", body="SnapshotCreate", dry_run=True, job=True),
    "snapshot_show": Operation("GET", "/snapshots/{snapshot}", parameters=("snapshot",)),
    "snapshot_delete": Operation(
        "DELETE", "/snapshots/{snapshot}", parameters=("snapshot",), if_match=True, dry_run=True, job=True
    ),
    "snapshot_clone": Operation(
        "POST", "/snapshots/{snapshot}:clone", parameters=("snapshot",), body="SnapshotClone", dry_run=True, job=True
    ),
    "deleted_snapshot_recover_batch": Operation(
        "POST", "/deleted-snapshots:recover-batch", body="DeletedSnapshotBatch", dry_run=True, job=True
    ),
    "deleted_snapshot_delete_batch": Operation(
        "POST", "/deleted-snapshots:delete-batch", body="DeletedSnapshotBatch", dry_run=True, job=True
    ),
    "deleted_snapshot_list": Operation(
        "GET",
        "/deleted-snapshots",
        query=("name", "volume", "sort"),
        words=(
            (
                "sort",
                ("name", "-name", "size_bytes", "-size_bytes", "deleted_at", "-deleted_at", "erase_at", "-erase_at"),
            ),
        ),
        is_list=True,
    ),
    "deleted_snapshot_show": Operation(
        "GET", "/deleted-snapshots/{deleted_snapshot}", parameters=("deleted_snapshot",)
    ),
    "deleted_snapshot_delete": Operation(
        "DELETE",
        "/deleted-snapshots/{deleted_snapshot}",
        parameters=("deleted_snapshot",),
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "deleted_snapshot_recover": Operation(
        "POST",
        "/deleted-snapshots/{deleted_snapshot}:recover",
        parameters=("deleted_snapshot",),
        body="SnapshotRecover",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "host_kit": Operation(
        "GET", "/hosts/{host}/kit", parameters=("host",), query=("secrets",), words=(("secrets", ("true", "false")),)
    ),
    "host_kit_download": Operation(
        "GET",
        "/hosts/{host}/kit.tar",
        parameters=("host",),
        query=("secrets",),
        words=(("secrets", ("true", "false")),),
        is_binary=True,
    ),
    "host_paths": Operation("GET", "/hosts/{host}/paths", parameters=("host",)),
    "host_verify_paths": Operation(
        "POST", "/hosts/{host}:verify-paths", parameters=("host",), body="HostVerifyPaths", dry_run=True, job=True
    ),
    "host_delete_batch": Operation(
        "POST", "/hosts:delete-batch", query=("confirm",), body="HostDeleteBatch", dry_run=True
    ),
    "host_list": Operation(
        "GET",
        "/hosts",
        query=("sort", "name", "text", "os_type", "initiator", "host_group"),
        words=(
            ("sort", ("name", "-name", "os_type", "-os_type", "created_at", "-created_at")),
            ("os_type", ("linux", "esxi", "windows", "proxmox", "other")),
        ),
        is_list=True,
    ),
    "host_create": Operation("POST", "/hosts", body="HostCreate", dry_run=True),
    "host_show": Operation("GET", "/hosts/{host}", parameters=("host",)),
    "host_patch": Operation(
        "PATCH",
        "/hosts/{host}",
        parameters=("host",),
        query=("confirm",),
        body="HostPatch",
        if_match=True,
        dry_run=True,
    ),
    "host_delete": Operation(
        "DELETE",
        "/hosts/{host}",
        parameters=("host",),
        query=("cascade", "confirm"),
        words=(("cascade", ("true", "false")),),
        if_match=True,
        dry_run=True,
    ),
    "host_group_list": Operation(
        "GET",
        "/host-groups",
        query=("sort", "name"),
        words=(("sort", ("name", "-name", "created_at", "-created_at")),),
        is_list=True,
    ),
    "host_group_create": Operation("POST", "/host-groups", body="HostGroupCreate", dry_run=True),
    "host_group_show": Operation("GET", "/host-groups/{host_group}", parameters=("host_group",)),
    "host_group_patch": Operation(
        "PATCH",
        "/host-groups/{host_group}",
        parameters=("host_group",),
        query=("confirm",),
        body="HostGroupPatch",
        if_match=True,
        dry_run=True,
    ),
    "host_group_delete": Operation(
        "DELETE",
        "/host-groups/{host_group}",
        parameters=("host_group",),
        query=("cascade", "confirm"),
        words=(("cascade", ("true", "false")),),
        if_match=True,
        dry_run=True,
    ),
    "initiator_list": Operation(
        "GET", "/initiators", query=("kind",), words=(("kind", ("iqn", "wwpn", "nqn")),), is_list=True
    ),
    "portal_list": Operation(
        "GET",
        "/portals",
        query=("sort", "name", "protocol"),
        words=(
            ("sort", ("name", "-name", "address", "-address", "port", "-port", "created_at", "-created_at")),
            ("protocol", ("iscsi", "iser", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc")),
        ),
        is_list=True,
    ),
    "portal_create": Operation("POST", "/portals", body="PortalCreate", dry_run=True),
    "portal_show": Operation("GET", "/portals/{portal}", parameters=("portal",)),
    "portal_patch": Operation(
        "PATCH", "/portals/{portal}", parameters=("portal",), body="PortalPatch", if_match=True, dry_run=True
    ),
    "portal_delete": Operation("DELETE", "/portals/{portal}", parameters=("portal",), if_match=True, dry_run=True),
    "rdma_device_list": Operation("GET", "/rdma-devices", is_list=True),
    "fc_port_list": Operation(
        "GET", "/fc-ports", query=("sort", "name"), words=(("sort", ("wwpn", "-wwpn")),), is_list=True
    ),
    "fc_port_create": Operation("POST", "/fc-ports", body="FcPortCreate", dry_run=True),
    "fc_port_show": Operation("GET", "/fc-ports/{fc_port}", parameters=("fc_port",)),
    "fc_port_patch": Operation(
        "PATCH", "/fc-ports/{fc_port}", parameters=("fc_port",), body="FcPortPatch", if_match=True, dry_run=True
    ),
    "fc_port_delete": Operation("DELETE", "/fc-ports/{fc_port}", parameters=("fc_port",), if_match=True, dry_run=True),
    "interface_list": Operation(
        "GET", "/interfaces", query=("sort", "name"), words=(("sort", ("name", "-name")),), is_list=True
    ),
    "interface_create": Operation("POST", "/interfaces", body="InterfaceCreate", dry_run=True, job=True),
    "interface_show": Operation("GET", "/interfaces/{interface}", parameters=("interface",)),
    "interface_change": Operation(
        "POST",
        "/interfaces/{interface}:change",
        parameters=("interface",),
        body="InterfaceChange",
        if_match=True,
        dry_run=True,
        job=True,
    ),
    "interface_remove": Operation(
        "POST", "/interfaces/{interface}:remove", parameters=("interface",), if_match=True, dry_run=True, job=True
    ),
    "interface_confirm": Operation(
        "POST", "/interfaces/{interface}:confirm", parameters=("interface",), if_match=True, dry_run=True
    ),
    "interface_revert": Operation(
        "POST", "/interfaces/{interface}:revert", parameters=("interface",), if_match=True, dry_run=True
    ),
    "firewall_show": Operation("GET", "/firewall"),
    "mapping_create_batch": Operation(
        "POST", "/mappings:create-batch", query=("confirm",), body="MappingBatch", dry_run=True
    ),
    "mapping_delete_batch": Operation(
        "POST", "/mappings:delete-batch", query=("confirm",), body="MappingDeleteBatch", dry_run=True
    ),
    "mapping_list": Operation(
        "GET",
        "/mappings",
        query=("sort", "volume", "host", "host_group"),
        words=(("sort", ("created_at", "-created_at", "lun", "-lun")),),
        is_list=True,
    ),
    "mapping_create": Operation("POST", "/mappings", query=("confirm",), body="MappingCreate", dry_run=True),
    "mapping_show": Operation("GET", "/mappings/{mapping}", parameters=("mapping",)),
    "mapping_delete": Operation(
        "DELETE", "/mappings/{mapping}", parameters=("mapping",), query=("confirm",), if_match=True, dry_run=True
    ),
    "session_list": Operation(
        "GET",
        "/sessions",
        query=("sort", "name", "host"),
        words=(("sort", ("initiator", "-initiator", "host", "-host", "target_iqn", "-target_iqn")),),
        is_list=True,
    ),
    "session_disconnect": Operation(
        "POST", "/sessions/{session}:disconnect", parameters=("session",), dry_run=True, job=True
    ),
    "performance_list": Operation(
        "GET",
        "/performance",
        query=("of", "sort", "name"),
        words=(
            ("of", ("appliance", "volume", "session", "host", "array", "disk")),
            (
                "sort",
                (
                    "name",
                    "-name",
                    "iops",
                    "-iops",
                    "read_bytes_s",
                    "-read_bytes_s",
                    "write_bytes_s",
                    "-write_bytes_s",
                    "latency_ms",
                    "-latency_ms",
                ),
            ),
        ),
        is_list=True,
    ),
    "performance_show": Operation(
        "GET",
        "/performance/{performance}",
        parameters=("performance",),
        query=("range",),
        words=(("range", ("1h", "24h", "7d", "30d")),),
    ),
    "schedule_list": Operation(
        "GET",
        "/schedules",
        query=("sort", "name", "action", "enabled"),
        words=(
            ("sort", ("name", "-name", "created_at", "-created_at")),
            ("action", ("snapshot", "scrub")),
            ("enabled", ("true", "false")),
        ),
        is_list=True,
    ),
    "schedule_create": Operation("POST", "/schedules", body="ScheduleCreate", dry_run=True),
    "schedule_preview": Operation("GET", "/schedules:preview", query=("when",)),
    "schedule_show": Operation("GET", "/schedules/{schedule}", parameters=("schedule",)),
    "schedule_patch": Operation(
        "PATCH", "/schedules/{schedule}", parameters=("schedule",), body="SchedulePatch", if_match=True, dry_run=True
    ),
    "schedule_delete": Operation(
        "DELETE", "/schedules/{schedule}", parameters=("schedule",), if_match=True, dry_run=True
    ),
    "schedule_run": Operation("POST", "/schedules/{schedule}:run", parameters=("schedule",), dry_run=True, job=True),
    "setting_show": Operation("GET", "/settings"),
    "setting_patch": Operation("PATCH", "/settings", body="SettingsPatch", if_match=True, dry_run=True),
    "alert_test": Operation("POST", "/settings/alerts:test"),
    "certificate_show": Operation("GET", "/certificate"),
    "certificate_replace": Operation("POST", "/certificate:replace", body="CertificateReplace", dry_run=True),
    "certificate_revert": Operation("POST", "/certificate:revert", dry_run=True),
    "certificate_self_sign": Operation("POST", "/certificate:self-sign", dry_run=True),
    "site_show": Operation("GET", "/site"),
    "site_schema_show": Operation("GET", "/site:schema"),
    "site_plan": Operation("POST", "/site:plan", body="SiteRequest", dry_run=True),
    "site_apply": Operation("POST", "/site:apply", query=("confirm",), body="SiteRequest", dry_run=True, job=True),
    "appliance_backup": Operation("POST", "/appliance:backup", body="BackupRequest", is_binary=True),
    "appliance_store_backup": Operation("POST", "/appliance:store-backup"),
    "appliance_support": Operation("POST", "/appliance:support", is_binary=True),
    "appliance_restart": Operation("POST", "/appliance:restart", dry_run=True, job=True),
    "appliance_power_off": Operation("POST", "/appliance:power-off", dry_run=True, job=True),
    "appliance_restore": Operation("POST", "/appliance:restore", body="RestoreRequest", dry_run=True),
    "appliance_rebuild": Operation("POST", "/appliance:rebuild", body="RebuildRequest", dry_run=True),
    "update_show": Operation("GET", "/updates"),
    "update_create": Operation("POST", "/updates", body="UpdateCreate", dry_run=True, job=True),
    "update_upload": Operation("POST", "/updates/bundle"),
    "update_fetch": Operation("POST", "/updates/bundle:fetch", body="UpdateFetch"),
    "update_roll_back": Operation("POST", "/updates:roll-back", dry_run=True, job=True),
    "site_saveconfig": Operation(
        "GET", "/site:saveconfig", query=("secrets",), words=(("secrets", ("true", "false")),)
    ),
    "site_adopt": Operation("POST", "/site:adopt", body="AdoptRequest", dry_run=True, job=True),
    "site_inspect": Operation("POST", "/site:inspect", body="InspectRequest", dry_run=True),
    "drift_show": Operation("GET", "/drift"),
    "search_list": Operation("GET", "/search", query=("text", "limit")),
    "job_list": Operation(
        "GET",
        "/jobs",
        query=("sort", "state", "kind"),
        words=(
            ("sort", ("-created_at", "created_at", "state", "-state", "kind", "-kind")),
            (
                "kind",
                (
                    "array.create",
                    "array.delete",
                    "array.change",
                    "array.start",
                    "array.adopt",
                    "array.release",
                    "volumes.create",
                    "volume.delete",
                    "volume.recover",
                    "volume.erase",
                    "volume.grow",
                    "volume.roll_back",
                    "snapshots.create",
                    "snapshot.delete",
                    "snapshot.recover",
                    "snapshot.erase",
                    "thin_pool.grow",
                    "interface.change",
                    "session.disconnect",
                    "site.apply",
                    "site.adopt",
                    "schedule.run",
                    "system.update",
                    "system.restart",
                    "system.power_off",
                    "disk.wipe",
                    "disk.locate",
                    "host.verify_paths",
                ),
            ),
        ),
        is_list=True,
    ),
    "job_show": Operation("GET", "/jobs/{job}", parameters=("job",)),
    "job_resolve": Operation(
        "POST", "/jobs/{job}:resolve", parameters=("job",), body="JobResolve", dry_run=True, job=True
    ),
    "event_export": Operation(
        "GET",
        "/events:export",
        query=(
            "format",
            "kind",
            "outcome",
            "progress",
            "noun",
            "ref",
            "text",
            "actor",
            "people",
            "since",
            "until",
            "after",
            "job",
            "operations",
        ),
        words=(
            ("format", ("csv", "json")),
            ("outcome", ("begun", "done", "failed")),
            ("progress", ("true", "false")),
            ("people", ("true", "false")),
            ("operations", ("true", "false")),
        ),
        is_binary=True,
    ),
    "event_list": Operation(
        "GET",
        "/events",
        query=(
            "sort",
            "kind",
            "outcome",
            "progress",
            "noun",
            "ref",
            "text",
            "actor",
            "people",
            "since",
            "until",
            "after",
            "job",
            "operations",
        ),
        words=(
            ("sort", ("-seq", "seq")),
            ("outcome", ("begun", "done", "failed")),
            ("progress", ("true", "false")),
            ("people", ("true", "false")),
            ("operations", ("true", "false")),
        ),
        is_list=True,
    ),
    "event_stream": Operation("GET", "/events/stream"),
    "event_show": Operation("GET", "/events/{event}", parameters=("event",)),
    "event_undo": Operation("POST", "/events/{event}:undo", parameters=("event",), query=("confirm",), dry_run=True),
    "alert_list": Operation(
        "GET",
        "/alerts",
        query=("sort", "active", "acknowledged", "severity", "ref", "text"),
        words=(
            ("sort", ("-raised_at", "raised_at", "severity", "-severity")),
            ("active", ("true", "false")),
            ("acknowledged", ("true", "false")),
            ("severity", ("info", "warning", "critical")),
        ),
        is_list=True,
    ),
    "alert_show": Operation("GET", "/alerts/{alert}", parameters=("alert",)),
    "alert_acknowledge": Operation(
        "POST", "/alerts/{alert}:acknowledge", parameters=("alert",), body="AlertAcknowledge", dry_run=True
    ),
    "alert_silence": Operation(
        "POST", "/alerts/{alert}:silence", parameters=("alert",), body="AlertSilence", dry_run=True
    ),
    "alert_reopen": Operation("POST", "/alerts/{alert}:reopen", parameters=("alert",), dry_run=True),
}


class Operations:
    """A method for each operation. `dry_run=True` answers the plan and changes nothing."""

    @abstractmethod
    def operate(
        self,
        operation_id: str,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        dry_run: bool = False,
    ) -> Any: ...

    @abstractmethod
    def pages(
        self, operation_id: str, query: Mapping[str, Any] | None = None, limit: int | None = None
    ) -> Iterator[Any]: ...

    def health_show(self) -> t.Health:
        """Confirms that the API responds."""
        answer: t.Health = self.operate("health_show", {}, {})
        return answer

    def status_show(self) -> t.Status:
        """Shows the status of the appliance: health, exports, and number of resources."""
        answer: t.Status = self.operate("status_show", {}, {})
        return answer

    def engine_list(self, *, limit: int | None = None) -> Iterator[t.Engine]:
        """Lists the engines, with their capabilities and why an engine is unavailable."""
        return self.pages("engine_list", {}, limit)

    def login_delete(self) -> None:
        """Logs the user out and ends the browser session."""
        self.operate("login_delete", {}, {})

    def me_show(self) -> t.Me:
        """Shows the user and role of the current login or API token."""
        answer: t.Me = self.operate("me_show", {}, {})
        return answer

    def password_change(self, body: t.PasswordChange) -> None:
        """Changes the password of the user who is logged in."""
        self.operate("password_change", {}, {}, body)

    def login_list(
        self,
        *,
        sort: Literal["created_at", "-created_at", "expires_at", "-expires_at"] | None = None,
        limit: int | None = None,
    ) -> Iterator[t.ActiveLogin]:
        """Lists the browsers that are logged in now."""
        return self.pages("login_list", {"sort": sort}, limit)

    @overload
    def login_end(self, login: str, *, dry_run: Literal[False] = False) -> None: ...
    @overload
    def login_end(self, login: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def login_end(self, login: str, *, dry_run: bool = False) -> Any:
        """Ends a login immediately."""
        return self.operate("login_end", {"login": login}, {}, dry_run=dry_run)

    def second_factor_start(self, body: t.FactorProof) -> t.SecondFactorOffer:
        """Starts the setup of a second factor and returns its secret."""
        answer: t.SecondFactorOffer = self.operate("second_factor_start", {}, {}, body)
        return answer

    def second_factor_confirm(self, body: t.FactorConfirm) -> t.RecoveryCodes:
        """Confirms the new second factor and returns its recovery codes."""
        answer: t.RecoveryCodes = self.operate("second_factor_confirm", {}, {}, body)
        return answer

    def second_factor_renew_codes(self, body: t.FactorProof) -> t.RecoveryCodes:
        """Replaces the recovery codes of the second factor."""
        answer: t.RecoveryCodes = self.operate("second_factor_renew_codes", {}, {}, body)
        return answer

    def second_factor_remove(self, body: t.FactorProof) -> None:
        """Removes the second factor of the user who is logged in."""
        self.operate("second_factor_remove", {}, {}, body)

    def user_list(
        self,
        *,
        sort: Literal["username", "-username", "role", "-role", "created_at", "-created_at"] | None = None,
        name: str | None = None,
        role: Literal["viewer", "operator", "administrator"] | None = None,
        limit: int | None = None,
    ) -> Iterator[t.User]:
        """Lists the users."""
        return self.pages("user_list", {"sort": sort, "name": name, "role": role}, limit)

    @overload
    def user_create(self, body: t.UserCreate, *, dry_run: Literal[False] = False) -> t.User: ...
    @overload
    def user_create(self, body: t.UserCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def user_create(self, body: t.UserCreate, *, dry_run: bool = False) -> Any:
        """Creates a user."""
        return self.operate("user_create", {}, {}, body, dry_run=dry_run)

    def user_show(self, user: str) -> t.User:
        """Shows a user, by ID or user name."""
        answer: t.User = self.operate("user_show", {"user": user}, {})
        return answer

    @overload
    def user_patch(self, user: str, body: t.UserPatch, *, dry_run: Literal[False] = False) -> t.User: ...
    @overload
    def user_patch(self, user: str, body: t.UserPatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def user_patch(self, user: str, body: t.UserPatch, *, dry_run: bool = False) -> Any:
        """Changes the role or password of a user, or removes the second factor."""
        return self.operate("user_patch", {"user": user}, {}, body, dry_run=dry_run)

    @overload
    def user_delete(self, user: str, *, dry_run: Literal[False] = False) -> None: ...
    @overload
    def user_delete(self, user: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def user_delete(self, user: str, *, dry_run: bool = False) -> Any:
        """Deletes a user with all logins and API tokens."""
        return self.operate("user_delete", {"user": user}, {}, dry_run=dry_run)

    def token_list(
        self,
        *,
        sort: Literal["name", "-name", "created_at", "-created_at"] | None = None,
        name: str | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Token]:
        """Lists the API tokens."""
        return self.pages("token_list", {"sort": sort, "name": name}, limit)

    @overload
    def token_create(self, body: t.TokenCreate, *, dry_run: Literal[False] = False) -> t.NewToken: ...
    @overload
    def token_create(self, body: t.TokenCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def token_create(self, body: t.TokenCreate, *, dry_run: bool = False) -> Any:
        """Creates an API token and returns its secret."""
        return self.operate("token_create", {}, {}, body, dry_run=dry_run)

    def token_show(self, token: str) -> t.Token:
        """Shows an API token, by ID or name, without its secret."""
        answer: t.Token = self.operate("token_show", {"token": token}, {})
        return answer

    @overload
    def token_delete(self, token: str, *, dry_run: Literal[False] = False) -> None: ...
    @overload
    def token_delete(self, token: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def token_delete(self, token: str, *, dry_run: bool = False) -> Any:
        """Deletes an API token and all tokens created with it."""
        return self.operate("token_delete", {"token": token}, {}, dry_run=dry_run)

    def disk_list(
        self,
        *,
        sort: Literal[
            "id", "-id", "serial", "-serial", "size_bytes", "-size_bytes", "state", "-state", "model", "-model"
        ]
        | None = None,
        name: str | None = None,
        state: t.DiskState | None = None,
        transport: t.Transport | None = None,
        health: t.DiskHealthState | None = None,
        array: str | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Disk]:
        """Lists the disks, including missing members of arrays."""
        return self.pages(
            "disk_list",
            {"sort": sort, "name": name, "state": state, "transport": transport, "health": health, "array": array},
            limit,
        )

    def disk_show(self, disk: str) -> t.Disk:
        """Shows a disk, by its ID, serial number or a name under /dev/disk/by-id."""
        answer: t.Disk = self.operate("disk_show", {"disk": disk}, {})
        return answer

    def disk_history(self, disk: str) -> t.DiskHistory:
        """Shows the health history of a disk, day by day."""
        answer: t.DiskHistory = self.operate("disk_history", {"disk": disk}, {})
        return answer

    @overload
    def disk_wipe(self, disk: str, body: t.DiskWipeRequest, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def disk_wipe(self, disk: str, body: t.DiskWipeRequest, *, dry_run: Literal[True]) -> t.Plan: ...
    def disk_wipe(self, disk: str, body: t.DiskWipeRequest, *, dry_run: bool = False) -> Any:
        """Wipes the signatures of an unused disk, or erases all its data."""
        return self.operate("disk_wipe", {"disk": disk}, {}, body, dry_run=dry_run)

    @overload
    def disk_locate(self, disk: str, body: t.DiskLocateRequest, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def disk_locate(self, disk: str, body: t.DiskLocateRequest, *, dry_run: Literal[True]) -> t.Plan: ...
    def disk_locate(self, disk: str, body: t.DiskLocateRequest, *, dry_run: bool = False) -> Any:
        """Switches the locate LED of the drive bay of a disk on or off."""
        return self.operate("disk_locate", {"disk": disk}, {}, body, dry_run=dry_run)

    def layout_list(self, *, disks: list[str] | None = None, block_bytes: int | None = None) -> t.Layouts:
        """Compares the levels of all array engines for a set of disks."""
        answer: t.Layouts = self.operate("layout_list", {}, {"disks": disks, "block_bytes": block_bytes})
        return answer

    def array_list(
        self,
        *,
        sort: Literal[
            "name",
            "-name",
            "level",
            "-level",
            "state",
            "-state",
            "usable_bytes",
            "-usable_bytes",
            "created_at",
            "-created_at",
        ]
        | None = None,
        name: str | None = None,
        state: t.ResourceState | None = None,
        level: t.Level | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Array]:
        """Lists the arrays, with their observed health."""
        return self.pages("array_list", {"sort": sort, "name": name, "state": state, "level": level}, limit)

    @overload
    def array_create(self, body: t.ArrayCreate, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_create(self, body: t.ArrayCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_create(self, body: t.ArrayCreate, *, dry_run: bool = False) -> Any:
        """Creates an array from disks."""
        return self.operate("array_create", {}, {}, body, dry_run=dry_run)

    def array_show(self, array: str) -> t.Array:
        """Shows an array, by ID or name."""
        answer: t.Array = self.operate("array_show", {"array": array}, {})
        return answer

    @overload
    def array_patch(self, array: str, body: t.ArrayPatch, *, dry_run: Literal[False] = False) -> t.Array: ...
    @overload
    def array_patch(self, array: str, body: t.ArrayPatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_patch(self, array: str, body: t.ArrayPatch, *, dry_run: bool = False) -> Any:
        """Changes the speed limits, tuning and other settings of an array."""
        return self.operate("array_patch", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_delete(
        self,
        array: str,
        *,
        cascade: bool | None = None,
        confirm: list[str] | None = None,
        dry_run: Literal[False] = False,
    ) -> t.Job: ...
    @overload
    def array_delete(
        self, array: str, *, cascade: bool | None = None, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def array_delete(
        self, array: str, *, cascade: bool | None = None, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Deletes an array without volumes, and wipes its disks."""
        return self.operate("array_delete", {"array": array}, {"cascade": cascade, "confirm": confirm}, dry_run=dry_run)

    def array_capacity(self, array: str) -> t.ArrayCapacity:
        """Shows the used space of an array from day to day, and when the array will be full."""
        answer: t.ArrayCapacity = self.operate("array_capacity", {"array": array}, {})
        return answer

    @overload
    def array_add_spares(self, array: str, body: t.ArrayAddSpares, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_add_spares(self, array: str, body: t.ArrayAddSpares, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_add_spares(self, array: str, body: t.ArrayAddSpares, *, dry_run: bool = False) -> Any:
        """Adds spares to an array."""
        return self.operate("array_add_spares", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_add_disks(self, array: str, body: t.ArrayAddDisks, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_add_disks(self, array: str, body: t.ArrayAddDisks, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_add_disks(self, array: str, body: t.ArrayAddDisks, *, dry_run: bool = False) -> Any:
        """Adds log, cache or special disks to a ZFS pool while hosts use the pool."""
        return self.operate("array_add_disks", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_grow(self, array: str, body: t.ArrayGrow, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_grow(self, array: str, body: t.ArrayGrow, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_grow(self, array: str, body: t.ArrayGrow, *, dry_run: bool = False) -> Any:
        """Adds members to an MD RAID array while hosts use the array."""
        return self.operate("array_grow", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_reshape(self, array: str, body: t.ArrayReshape, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_reshape(self, array: str, body: t.ArrayReshape, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_reshape(self, array: str, body: t.ArrayReshape, *, dry_run: bool = False) -> Any:
        """Converts a raid5 array to raid6 with one more disk while hosts use the array."""
        return self.operate("array_reshape", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_replace(self, array: str, body: t.ArrayReplace, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_replace(self, array: str, body: t.ArrayReplace, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_replace(self, array: str, body: t.ArrayReplace, *, dry_run: bool = False) -> Any:
        """Replaces a disk of an array with another disk."""
        return self.operate("array_replace", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_fail(self, array: str, body: t.ArrayDiskChoice, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_fail(self, array: str, body: t.ArrayDiskChoice, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_fail(self, array: str, body: t.ArrayDiskChoice, *, dry_run: bool = False) -> Any:
        """Marks a member of an MD RAID array as faulty."""
        return self.operate("array_fail", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_remove(self, array: str, body: t.ArrayDiskChoice, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_remove(self, array: str, body: t.ArrayDiskChoice, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_remove(self, array: str, body: t.ArrayDiskChoice, *, dry_run: bool = False) -> Any:
        """Removes a spare, a log or cache disk, or a faulty or missing disk from an array."""
        return self.operate("array_remove", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_readd(self, array: str, body: t.ArrayDiskChoice, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_readd(self, array: str, body: t.ArrayDiskChoice, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_readd(self, array: str, body: t.ArrayDiskChoice, *, dry_run: bool = False) -> Any:
        """Adds a missing or faulty member back to its MD RAID array."""
        return self.operate("array_readd", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_scrub(self, array: str, body: t.ArrayScrub, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_scrub(self, array: str, body: t.ArrayScrub, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_scrub(self, array: str, body: t.ArrayScrub, *, dry_run: bool = False) -> Any:
        """Starts or stops a scrub of an array."""
        return self.operate("array_scrub", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_force_start(self, array: str, body: t.ArrayForceStart, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_force_start(self, array: str, body: t.ArrayForceStart, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_force_start(self, array: str, body: t.ArrayForceStart, *, dry_run: bool = False) -> Any:
        """Starts an array that stays stopped because it is dirty and degraded."""
        return self.operate("array_force_start", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_release(self, array: str, body: t.ArrayRelease, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def array_release(self, array: str, body: t.ArrayRelease, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_release(self, array: str, body: t.ArrayRelease, *, dry_run: bool = False) -> Any:
        """Releases an MD RAID array, so that another system can use its disks and data."""
        return self.operate("array_release", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_forget(self, array: str, body: t.ArrayForget, *, dry_run: Literal[False] = False) -> None: ...
    @overload
    def array_forget(self, array: str, body: t.ArrayForget, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_forget(self, array: str, body: t.ArrayForget, *, dry_run: bool = False) -> Any:
        """Forgets a permanently lost array, with its volumes, snapshots and mappings."""
        return self.operate("array_forget", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_unlock(self, array: str, body: t.ArrayUnlock, *, dry_run: Literal[False] = False) -> t.Array: ...
    @overload
    def array_unlock(self, array: str, body: t.ArrayUnlock, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_unlock(self, array: str, body: t.ArrayUnlock, *, dry_run: bool = False) -> Any:
        """Unlocks an encrypted array with its passphrase."""
        return self.operate("array_unlock", {"array": array}, {}, body, dry_run=dry_run)

    @overload
    def array_change_key(self, array: str, body: t.ArrayKeyChange, *, dry_run: Literal[False] = False) -> t.Array: ...
    @overload
    def array_change_key(self, array: str, body: t.ArrayKeyChange, *, dry_run: Literal[True]) -> t.Plan: ...
    def array_change_key(self, array: str, body: t.ArrayKeyChange, *, dry_run: bool = False) -> Any:
        """Changes the passphrase of an encrypted array or its automatic unlocking."""
        return self.operate("array_change_key", {"array": array}, {}, body, dry_run=dry_run)

    def foreign_array_list(self, *, limit: int | None = None) -> Iterator[t.ForeignArray]:
        """Lists the foreign arrays: MD RAID arrays and ZFS pools created by other systems."""
        return self.pages("foreign_array_list", {}, limit)

    @overload
    def foreign_array_start(self, foreign_array: str, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def foreign_array_start(self, foreign_array: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def foreign_array_start(self, foreign_array: str, *, dry_run: bool = False) -> Any:
        """Starts a stopped foreign array read-only, to show its content."""
        return self.operate("foreign_array_start", {"foreign_array": foreign_array}, {}, dry_run=dry_run)

    @overload
    def foreign_array_adopt(
        self, foreign_array: str, body: t.ForeignArrayAdopt, *, dry_run: Literal[False] = False
    ) -> t.Job: ...
    @overload
    def foreign_array_adopt(
        self, foreign_array: str, body: t.ForeignArrayAdopt, *, dry_run: Literal[True]
    ) -> t.Plan: ...
    def foreign_array_adopt(self, foreign_array: str, body: t.ForeignArrayAdopt, *, dry_run: bool = False) -> Any:
        """Adopts a running foreign array, and its logical volumes as volumes."""
        return self.operate("foreign_array_adopt", {"foreign_array": foreign_array}, {}, body, dry_run=dry_run)

    @overload
    def volume_create_batch(self, body: t.VolumeBatch, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def volume_create_batch(self, body: t.VolumeBatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def volume_create_batch(self, body: t.VolumeBatch, *, dry_run: bool = False) -> Any:
        """Creates many volumes of the same size, all or none."""
        return self.operate("volume_create_batch", {}, {}, body, dry_run=dry_run)

    @overload
    def volume_delete_batch(
        self, body: t.VolumeDeleteBatch, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> t.Job: ...
    @overload
    def volume_delete_batch(
        self, body: t.VolumeDeleteBatch, *, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def volume_delete_batch(
        self, body: t.VolumeDeleteBatch, *, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Deletes many volumes as one job, all or none."""
        return self.operate("volume_delete_batch", {}, {"confirm": confirm}, body, dry_run=dry_run)

    def volume_why(self, volume: str, *, host: str | None = None) -> t.VolumeWhy:
        """Explains why a volume is missing on its hosts."""
        answer: t.VolumeWhy = self.operate("volume_why", {"volume": volume}, {"host": host})
        return answer

    def volume_list(
        self,
        *,
        sort: Literal[
            "name", "-name", "state", "-state", "size_bytes", "-size_bytes", "naa", "-naa", "created_at", "-created_at"
        ]
        | None = None,
        name: str | None = None,
        text: str | None = None,
        array: str | None = None,
        host: str | None = None,
        host_group: str | None = None,
        state: t.ResourceState | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Volume]:
        """Lists the volumes, with their mappings and export state."""
        return self.pages(
            "volume_list",
            {
                "sort": sort,
                "name": name,
                "text": text,
                "array": array,
                "host": host,
                "host_group": host_group,
                "state": state,
            },
            limit,
        )

    @overload
    def volume_create(self, body: t.VolumeCreate, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def volume_create(self, body: t.VolumeCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def volume_create(self, body: t.VolumeCreate, *, dry_run: bool = False) -> Any:
        """Creates a volume on an array."""
        return self.operate("volume_create", {}, {}, body, dry_run=dry_run)

    def volume_show(self, volume: str) -> t.Volume:
        """Shows a volume, by ID or name."""
        answer: t.Volume = self.operate("volume_show", {"volume": volume}, {})
        return answer

    @overload
    def volume_patch(self, volume: str, body: t.VolumePatch, *, dry_run: Literal[False] = False) -> t.Volume: ...
    @overload
    def volume_patch(self, volume: str, body: t.VolumePatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def volume_patch(self, volume: str, body: t.VolumePatch, *, dry_run: bool = False) -> Any:
        """Changes the name or description of a volume."""
        return self.operate("volume_patch", {"volume": volume}, {}, body, dry_run=dry_run)

    @overload
    def volume_delete(
        self,
        volume: str,
        *,
        cascade: bool | None = None,
        confirm: list[str] | None = None,
        dry_run: Literal[False] = False,
    ) -> t.Job: ...
    @overload
    def volume_delete(
        self, volume: str, *, cascade: bool | None = None, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def volume_delete(
        self, volume: str, *, cascade: bool | None = None, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Deletes a volume that has no mappings and no snapshots."""
        return self.operate(
            "volume_delete", {"volume": volume}, {"cascade": cascade, "confirm": confirm}, dry_run=dry_run
        )

    @overload
    def volume_grow(self, volume: str, body: t.VolumeGrow, *, dry_run: Literal[False] = False) -> t.Volume | t.Job: ...
    @overload
    def volume_grow(self, volume: str, body: t.VolumeGrow, *, dry_run: Literal[True]) -> t.Plan: ...
    def volume_grow(self, volume: str, body: t.VolumeGrow, *, dry_run: bool = False) -> Any:
        """Grows a volume while hosts use it."""
        return self.operate("volume_grow", {"volume": volume}, {}, body, dry_run=dry_run)

    @overload
    def volume_roll_back(self, volume: str, body: t.VolumeRollBack, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def volume_roll_back(self, volume: str, body: t.VolumeRollBack, *, dry_run: Literal[True]) -> t.Plan: ...
    def volume_roll_back(self, volume: str, body: t.VolumeRollBack, *, dry_run: bool = False) -> Any:
        """Rolls a volume back to a snapshot."""
        return self.operate("volume_roll_back", {"volume": volume}, {}, body, dry_run=dry_run)

    @overload
    def deleted_volume_recover_batch(self, body: t.DeletedVolumeBatch, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def deleted_volume_recover_batch(self, body: t.DeletedVolumeBatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def deleted_volume_recover_batch(self, body: t.DeletedVolumeBatch, *, dry_run: bool = False) -> Any:
        """Recovers many deleted volumes as one job, all or none."""
        return self.operate("deleted_volume_recover_batch", {}, {}, body, dry_run=dry_run)

    @overload
    def deleted_volume_delete_batch(self, body: t.DeletedVolumeBatch, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def deleted_volume_delete_batch(self, body: t.DeletedVolumeBatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def deleted_volume_delete_batch(self, body: t.DeletedVolumeBatch, *, dry_run: bool = False) -> Any:
        """Erases many deleted volumes as one job, all or none."""
        return self.operate("deleted_volume_delete_batch", {}, {}, body, dry_run=dry_run)

    def deleted_volume_list(
        self,
        *,
        name: str | None = None,
        array: str | None = None,
        sort: Literal[
            "name", "-name", "size_bytes", "-size_bytes", "deleted_at", "-deleted_at", "erase_at", "-erase_at"
        ]
        | None = None,
        limit: int | None = None,
    ) -> Iterator[t.DeletedVolume]:
        """Lists the deleted volumes that can be recovered."""
        return self.pages("deleted_volume_list", {"name": name, "array": array, "sort": sort}, limit)

    def deleted_volume_show(self, deleted_volume: str) -> t.DeletedVolume:
        """Shows a deleted volume, by ID, or by name if the name is unique."""
        answer: t.DeletedVolume = self.operate("deleted_volume_show", {"deleted_volume": deleted_volume}, {})
        return answer

    @overload
    def deleted_volume_delete(self, deleted_volume: str, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def deleted_volume_delete(self, deleted_volume: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def deleted_volume_delete(self, deleted_volume: str, *, dry_run: bool = False) -> Any:
        """Erases a deleted volume before its retention ends."""
        return self.operate("deleted_volume_delete", {"deleted_volume": deleted_volume}, {}, dry_run=dry_run)

    @overload
    def deleted_volume_recover(
        self, deleted_volume: str, body: t.VolumeRecover, *, dry_run: Literal[False] = False
    ) -> t.Job: ...
    @overload
    def deleted_volume_recover(
        self, deleted_volume: str, body: t.VolumeRecover, *, dry_run: Literal[True]
    ) -> t.Plan: ...
    def deleted_volume_recover(self, deleted_volume: str, body: t.VolumeRecover, *, dry_run: bool = False) -> Any:
        """Recovers a deleted volume, with its data, ID and identity."""
        return self.operate("deleted_volume_recover", {"deleted_volume": deleted_volume}, {}, body, dry_run=dry_run)

    @overload
    def snapshot_create_batch(self, body: t.SnapshotBatch, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def snapshot_create_batch(self, body: t.SnapshotBatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def snapshot_create_batch(self, body: t.SnapshotBatch, *, dry_run: bool = False) -> Any:
        """Creates a snapshot of each of many volumes, all or none."""
        return self.operate("snapshot_create_batch", {}, {}, body, dry_run=dry_run)

    @overload
    def snapshot_delete_batch(self, body: t.SnapshotDeleteBatch, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def snapshot_delete_batch(self, body: t.SnapshotDeleteBatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def snapshot_delete_batch(self, body: t.SnapshotDeleteBatch, *, dry_run: bool = False) -> Any:
        """Deletes many snapshots as one job, all or none."""
        return self.operate("snapshot_delete_batch", {}, {}, body, dry_run=dry_run)

    def snapshot_list(
        self,
        *,
        name: str | None = None,
        volume: str | None = None,
        schedule: str | None = None,
        sort: Literal["name", "-name", "size_bytes", "-size_bytes", "created_at", "-created_at"] | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Snapshot]:
        """Lists the snapshots."""
        return self.pages("snapshot_list", {"name": name, "volume": volume, "schedule": schedule, "sort": sort}, limit)

    @overload
    def snapshot_create(self, body: t.SnapshotCreate, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def snapshot_create(self, body: t.SnapshotCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def snapshot_create(self, body: t.SnapshotCreate, *, dry_run: bool = False) -> Any:
        """Creates a snapshot of a volume while hosts use it."""
        return self.operate("snapshot_create", {}, {}, body, dry_run=dry_run)

    def snapshot_show(self, snapshot: str) -> t.Snapshot:
        """Shows a snapshot, by ID or name."""
        answer: t.Snapshot = self.operate("snapshot_show", {"snapshot": snapshot}, {})
        return answer

    @overload
    def snapshot_delete(self, snapshot: str, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def snapshot_delete(self, snapshot: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def snapshot_delete(self, snapshot: str, *, dry_run: bool = False) -> Any:
        """Deletes a snapshot, but not its volume or its clones."""
        return self.operate("snapshot_delete", {"snapshot": snapshot}, {}, dry_run=dry_run)

    @overload
    def snapshot_clone(self, snapshot: str, body: t.SnapshotClone, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def snapshot_clone(self, snapshot: str, body: t.SnapshotClone, *, dry_run: Literal[True]) -> t.Plan: ...
    def snapshot_clone(self, snapshot: str, body: t.SnapshotClone, *, dry_run: bool = False) -> Any:
        """Creates one or many volumes from a snapshot, all or none."""
        return self.operate("snapshot_clone", {"snapshot": snapshot}, {}, body, dry_run=dry_run)

    @overload
    def deleted_snapshot_recover_batch(
        self, body: t.DeletedSnapshotBatch, *, dry_run: Literal[False] = False
    ) -> t.Job: ...
    @overload
    def deleted_snapshot_recover_batch(self, body: t.DeletedSnapshotBatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def deleted_snapshot_recover_batch(self, body: t.DeletedSnapshotBatch, *, dry_run: bool = False) -> Any:
        """Recovers many deleted snapshots as one job, all or none."""
        return self.operate("deleted_snapshot_recover_batch", {}, {}, body, dry_run=dry_run)

    @overload
    def deleted_snapshot_delete_batch(
        self, body: t.DeletedSnapshotBatch, *, dry_run: Literal[False] = False
    ) -> t.Job: ...
    @overload
    def deleted_snapshot_delete_batch(self, body: t.DeletedSnapshotBatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def deleted_snapshot_delete_batch(self, body: t.DeletedSnapshotBatch, *, dry_run: bool = False) -> Any:
        """Erases many deleted snapshots as one job, all or none."""
        return self.operate("deleted_snapshot_delete_batch", {}, {}, body, dry_run=dry_run)

    def deleted_snapshot_list(
        self,
        *,
        name: str | None = None,
        volume: str | None = None,
        sort: Literal[
            "name", "-name", "size_bytes", "-size_bytes", "deleted_at", "-deleted_at", "erase_at", "-erase_at"
        ]
        | None = None,
        limit: int | None = None,
    ) -> Iterator[t.DeletedSnapshot]:
        """Lists the deleted snapshots that can be recovered."""
        return self.pages("deleted_snapshot_list", {"name": name, "volume": volume, "sort": sort}, limit)

    def deleted_snapshot_show(self, deleted_snapshot: str) -> t.DeletedSnapshot:
        """Shows a deleted snapshot, by ID, or by name if the name is unique."""
        answer: t.DeletedSnapshot = self.operate("deleted_snapshot_show", {"deleted_snapshot": deleted_snapshot}, {})
        return answer

    @overload
    def deleted_snapshot_delete(self, deleted_snapshot: str, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def deleted_snapshot_delete(self, deleted_snapshot: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def deleted_snapshot_delete(self, deleted_snapshot: str, *, dry_run: bool = False) -> Any:
        """Erases a deleted snapshot before its retention ends."""
        return self.operate("deleted_snapshot_delete", {"deleted_snapshot": deleted_snapshot}, {}, dry_run=dry_run)

    @overload
    def deleted_snapshot_recover(
        self, deleted_snapshot: str, body: t.SnapshotRecover, *, dry_run: Literal[False] = False
    ) -> t.Job: ...
    @overload
    def deleted_snapshot_recover(
        self, deleted_snapshot: str, body: t.SnapshotRecover, *, dry_run: Literal[True]
    ) -> t.Plan: ...
    def deleted_snapshot_recover(self, deleted_snapshot: str, body: t.SnapshotRecover, *, dry_run: bool = False) -> Any:
        """Recovers a deleted snapshot of a volume."""
        return self.operate(
            "deleted_snapshot_recover", {"deleted_snapshot": deleted_snapshot}, {}, body, dry_run=dry_run
        )

    def host_kit(self, host: str, *, secrets: bool | None = None) -> t.HostKit:
        """Shows the setup kit that connects a host to its volumes."""
        answer: t.HostKit = self.operate("host_kit", {"host": host}, {"secrets": secrets})
        return answer

    def host_kit_download(self, host: str, *, secrets: bool | None = None) -> bytes:
        """Downloads the setup kit of a host as an archive."""
        answer: bytes = self.operate("host_kit_download", {"host": host}, {"secrets": secrets})
        return answer

    def host_paths(self, host: str) -> t.HostPaths:
        """Shows the expected and actual paths of a host and of each of its volumes."""
        answer: t.HostPaths = self.operate("host_paths", {"host": host}, {})
        return answer

    @overload
    def host_verify_paths(self, host: str, body: t.HostVerifyPaths, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def host_verify_paths(self, host: str, body: t.HostVerifyPaths, *, dry_run: Literal[True]) -> t.Plan: ...
    def host_verify_paths(self, host: str, body: t.HostVerifyPaths, *, dry_run: bool = False) -> Any:
        """Tests the paths of a host by blocking each path in turn."""
        return self.operate("host_verify_paths", {"host": host}, {}, body, dry_run=dry_run)

    @overload
    def host_delete_batch(
        self, body: t.HostDeleteBatch, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> None: ...
    @overload
    def host_delete_batch(
        self, body: t.HostDeleteBatch, *, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def host_delete_batch(
        self, body: t.HostDeleteBatch, *, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Deletes many hosts, all or none."""
        return self.operate("host_delete_batch", {}, {"confirm": confirm}, body, dry_run=dry_run)

    def host_list(
        self,
        *,
        sort: Literal["name", "-name", "os_type", "-os_type", "created_at", "-created_at"] | None = None,
        name: str | None = None,
        text: str | None = None,
        os_type: t.OsType | None = None,
        initiator: str | None = None,
        host_group: str | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Host]:
        """Lists the hosts, with their initiators and export state."""
        return self.pages(
            "host_list",
            {
                "sort": sort,
                "name": name,
                "text": text,
                "os_type": os_type,
                "initiator": initiator,
                "host_group": host_group,
            },
            limit,
        )

    @overload
    def host_create(self, body: t.HostCreate, *, dry_run: Literal[False] = False) -> t.Host: ...
    @overload
    def host_create(self, body: t.HostCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def host_create(self, body: t.HostCreate, *, dry_run: bool = False) -> Any:
        """Creates a host with its initiators and credentials."""
        return self.operate("host_create", {}, {}, body, dry_run=dry_run)

    def host_show(self, host: str) -> t.Host:
        """Shows a host, by ID or name."""
        answer: t.Host = self.operate("host_show", {"host": host}, {})
        return answer

    @overload
    def host_patch(
        self, host: str, body: t.HostPatch, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> t.Host: ...
    @overload
    def host_patch(
        self, host: str, body: t.HostPatch, *, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def host_patch(
        self, host: str, body: t.HostPatch, *, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Changes a host."""
        return self.operate("host_patch", {"host": host}, {"confirm": confirm}, body, dry_run=dry_run)

    @overload
    def host_delete(
        self,
        host: str,
        *,
        cascade: bool | None = None,
        confirm: list[str] | None = None,
        dry_run: Literal[False] = False,
    ) -> None: ...
    @overload
    def host_delete(
        self, host: str, *, cascade: bool | None = None, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def host_delete(
        self, host: str, *, cascade: bool | None = None, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Deletes a host."""
        return self.operate("host_delete", {"host": host}, {"cascade": cascade, "confirm": confirm}, dry_run=dry_run)

    def host_group_list(
        self,
        *,
        sort: Literal["name", "-name", "created_at", "-created_at"] | None = None,
        name: str | None = None,
        limit: int | None = None,
    ) -> Iterator[t.HostGroup]:
        """Lists the host groups, with their hosts and export state."""
        return self.pages("host_group_list", {"sort": sort, "name": name}, limit)

    @overload
    def host_group_create(self, body: t.HostGroupCreate, *, dry_run: Literal[False] = False) -> t.HostGroup: ...
    @overload
    def host_group_create(self, body: t.HostGroupCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def host_group_create(self, body: t.HostGroupCreate, *, dry_run: bool = False) -> Any:
        """Creates a host group."""
        return self.operate("host_group_create", {}, {}, body, dry_run=dry_run)

    def host_group_show(self, host_group: str) -> t.HostGroup:
        """Shows a host group, by ID or name."""
        answer: t.HostGroup = self.operate("host_group_show", {"host_group": host_group}, {})
        return answer

    @overload
    def host_group_patch(
        self,
        host_group: str,
        body: t.HostGroupPatch,
        *,
        confirm: list[str] | None = None,
        dry_run: Literal[False] = False,
    ) -> t.HostGroup: ...
    @overload
    def host_group_patch(
        self, host_group: str, body: t.HostGroupPatch, *, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def host_group_patch(
        self, host_group: str, body: t.HostGroupPatch, *, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Changes a host group."""
        return self.operate("host_group_patch", {"host_group": host_group}, {"confirm": confirm}, body, dry_run=dry_run)

    @overload
    def host_group_delete(
        self,
        host_group: str,
        *,
        cascade: bool | None = None,
        confirm: list[str] | None = None,
        dry_run: Literal[False] = False,
    ) -> None: ...
    @overload
    def host_group_delete(
        self, host_group: str, *, cascade: bool | None = None, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def host_group_delete(
        self, host_group: str, *, cascade: bool | None = None, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Deletes a host group."""
        return self.operate(
            "host_group_delete", {"host_group": host_group}, {"cascade": cascade, "confirm": confirm}, dry_run=dry_run
        )

    def initiator_list(self, *, kind: t.InitiatorKind | None = None, limit: int | None = None) -> Iterator[t.Initiator]:
        """Lists the initiators that belong to no host."""
        return self.pages("initiator_list", {"kind": kind}, limit)

    def portal_list(
        self,
        *,
        sort: Literal["name", "-name", "address", "-address", "port", "-port", "created_at", "-created_at"]
        | None = None,
        name: str | None = None,
        protocol: t.Protocol | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Portal]:
        """Lists the portals, with their export state."""
        return self.pages("portal_list", {"sort": sort, "name": name, "protocol": protocol}, limit)

    @overload
    def portal_create(self, body: t.PortalCreate, *, dry_run: Literal[False] = False) -> t.Portal: ...
    @overload
    def portal_create(self, body: t.PortalCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def portal_create(self, body: t.PortalCreate, *, dry_run: bool = False) -> Any:
        """Creates a portal on an address and port of the appliance."""
        return self.operate("portal_create", {}, {}, body, dry_run=dry_run)

    def portal_show(self, portal: str) -> t.Portal:
        """Shows a portal, by ID or name."""
        answer: t.Portal = self.operate("portal_show", {"portal": portal}, {})
        return answer

    @overload
    def portal_patch(self, portal: str, body: t.PortalPatch, *, dry_run: Literal[False] = False) -> t.Portal: ...
    @overload
    def portal_patch(self, portal: str, body: t.PortalPatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def portal_patch(self, portal: str, body: t.PortalPatch, *, dry_run: bool = False) -> Any:
        """Renames a portal, or moves it to another address or port."""
        return self.operate("portal_patch", {"portal": portal}, {}, body, dry_run=dry_run)

    @overload
    def portal_delete(self, portal: str, *, dry_run: Literal[False] = False) -> None: ...
    @overload
    def portal_delete(self, portal: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def portal_delete(self, portal: str, *, dry_run: bool = False) -> Any:
        """Deletes a portal, so that the appliance no longer listens there."""
        return self.operate("portal_delete", {"portal": portal}, {}, dry_run=dry_run)

    def rdma_device_list(self, *, limit: int | None = None) -> Iterator[t.RdmaDevice]:
        """Lists the RDMA devices of the appliance."""
        return self.pages("rdma_device_list", {}, limit)

    def fc_port_list(
        self, *, sort: Literal["wwpn", "-wwpn"] | None = None, name: str | None = None, limit: int | None = None
    ) -> Iterator[t.FcPort]:
        """Lists the FC ports, including managed ports that are missing."""
        return self.pages("fc_port_list", {"sort": sort, "name": name}, limit)

    @overload
    def fc_port_create(self, body: t.FcPortCreate, *, dry_run: Literal[False] = False) -> t.FcPort: ...
    @overload
    def fc_port_create(self, body: t.FcPortCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def fc_port_create(self, body: t.FcPortCreate, *, dry_run: bool = False) -> Any:
        """Puts an FC port under the management of Lunette and sets its mode."""
        return self.operate("fc_port_create", {}, {}, body, dry_run=dry_run)

    def fc_port_show(self, fc_port: str) -> t.FcPort:
        """Shows an FC port, by WWPN, or by ID if the port is managed."""
        answer: t.FcPort = self.operate("fc_port_show", {"fc_port": fc_port}, {})
        return answer

    @overload
    def fc_port_patch(self, fc_port: str, body: t.FcPortPatch, *, dry_run: Literal[False] = False) -> t.FcPort: ...
    @overload
    def fc_port_patch(self, fc_port: str, body: t.FcPortPatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def fc_port_patch(self, fc_port: str, body: t.FcPortPatch, *, dry_run: bool = False) -> Any:
        """Changes the mode of an FC port."""
        return self.operate("fc_port_patch", {"fc_port": fc_port}, {}, body, dry_run=dry_run)

    @overload
    def fc_port_delete(self, fc_port: str, *, dry_run: Literal[False] = False) -> None: ...
    @overload
    def fc_port_delete(self, fc_port: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def fc_port_delete(self, fc_port: str, *, dry_run: bool = False) -> Any:
        """Removes an FC port from the management of Lunette."""
        return self.operate("fc_port_delete", {"fc_port": fc_port}, {}, dry_run=dry_run)

    def interface_list(
        self, *, sort: Literal["name", "-name"] | None = None, name: str | None = None, limit: int | None = None
    ) -> Iterator[t.Interface]:
        """Lists the network interfaces of the appliance."""
        return self.pages("interface_list", {"sort": sort, "name": name}, limit)

    @overload
    def interface_create(self, body: t.InterfaceCreate, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def interface_create(self, body: t.InterfaceCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def interface_create(self, body: t.InterfaceCreate, *, dry_run: bool = False) -> Any:
        """Creates a VLAN or a bond, on trial for 60 seconds."""
        return self.operate("interface_create", {}, {}, body, dry_run=dry_run)

    def interface_show(self, interface: str) -> t.Interface:
        """Shows a network interface, by name."""
        answer: t.Interface = self.operate("interface_show", {"interface": interface}, {})
        return answer

    @overload
    def interface_change(
        self, interface: str, body: t.InterfaceChange, *, dry_run: Literal[False] = False
    ) -> t.Interface | t.Job: ...
    @overload
    def interface_change(self, interface: str, body: t.InterfaceChange, *, dry_run: Literal[True]) -> t.Plan: ...
    def interface_change(self, interface: str, body: t.InterfaceChange, *, dry_run: bool = False) -> Any:
        """Changes the configuration of an interface, on trial for 60 seconds."""
        return self.operate("interface_change", {"interface": interface}, {}, body, dry_run=dry_run)

    @overload
    def interface_remove(self, interface: str, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def interface_remove(self, interface: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def interface_remove(self, interface: str, *, dry_run: bool = False) -> Any:
        """Removes a VLAN or bond created by Lunette, on trial for 60 seconds."""
        return self.operate("interface_remove", {"interface": interface}, {}, dry_run=dry_run)

    @overload
    def interface_confirm(self, interface: str, *, dry_run: Literal[False] = False) -> t.Interface | None: ...
    @overload
    def interface_confirm(self, interface: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def interface_confirm(self, interface: str, *, dry_run: bool = False) -> Any:
        """Confirms an interface change that is on trial."""
        return self.operate("interface_confirm", {"interface": interface}, {}, dry_run=dry_run)

    @overload
    def interface_revert(self, interface: str, *, dry_run: Literal[False] = False) -> t.Interface | None: ...
    @overload
    def interface_revert(self, interface: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def interface_revert(self, interface: str, *, dry_run: bool = False) -> Any:
        """Reverts an interface change that is on trial."""
        return self.operate("interface_revert", {"interface": interface}, {}, dry_run=dry_run)

    def firewall_show(self) -> t.Firewall:
        """Shows the state of the firewall and its open ports."""
        answer: t.Firewall = self.operate("firewall_show", {}, {})
        return answer

    @overload
    def mapping_create_batch(
        self, body: t.MappingBatch, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> t.MappingList: ...
    @overload
    def mapping_create_batch(
        self, body: t.MappingBatch, *, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def mapping_create_batch(
        self, body: t.MappingBatch, *, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Creates many mappings, all or none."""
        return self.operate("mapping_create_batch", {}, {"confirm": confirm}, body, dry_run=dry_run)

    @overload
    def mapping_delete_batch(
        self, body: t.MappingDeleteBatch, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> None: ...
    @overload
    def mapping_delete_batch(
        self, body: t.MappingDeleteBatch, *, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def mapping_delete_batch(
        self, body: t.MappingDeleteBatch, *, confirm: list[str] | None = None, dry_run: bool = False
    ) -> Any:
        """Deletes many mappings, all or none."""
        return self.operate("mapping_delete_batch", {}, {"confirm": confirm}, body, dry_run=dry_run)

    def mapping_list(
        self,
        *,
        sort: Literal["created_at", "-created_at", "lun", "-lun"] | None = None,
        volume: str | None = None,
        host: str | None = None,
        host_group: str | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Mapping]:
        """Lists the mappings, with their export state."""
        return self.pages(
            "mapping_list", {"sort": sort, "volume": volume, "host": host, "host_group": host_group}, limit
        )

    @overload
    def mapping_create(
        self, body: t.MappingCreate, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> t.Mapping: ...
    @overload
    def mapping_create(
        self, body: t.MappingCreate, *, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def mapping_create(self, body: t.MappingCreate, *, confirm: list[str] | None = None, dry_run: bool = False) -> Any:
        """Maps a volume to a host or a host group."""
        return self.operate("mapping_create", {}, {"confirm": confirm}, body, dry_run=dry_run)

    def mapping_show(self, mapping: str) -> t.Mapping:
        """Shows a mapping, by ID."""
        answer: t.Mapping = self.operate("mapping_show", {"mapping": mapping}, {})
        return answer

    @overload
    def mapping_delete(
        self, mapping: str, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> None: ...
    @overload
    def mapping_delete(self, mapping: str, *, confirm: list[str] | None = None, dry_run: Literal[True]) -> t.Plan: ...
    def mapping_delete(self, mapping: str, *, confirm: list[str] | None = None, dry_run: bool = False) -> Any:
        """Unmaps a volume from a host or a host group."""
        return self.operate("mapping_delete", {"mapping": mapping}, {"confirm": confirm}, dry_run=dry_run)

    def session_list(
        self,
        *,
        sort: Literal["initiator", "-initiator", "host", "-host", "target_iqn", "-target_iqn"] | None = None,
        name: str | None = None,
        host: str | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Session]:
        """Lists the sessions: the initiators that are logged in now."""
        return self.pages("session_list", {"sort": sort, "name": name, "host": host}, limit)

    @overload
    def session_disconnect(self, session: str, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def session_disconnect(self, session: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def session_disconnect(self, session: str, *, dry_run: bool = False) -> Any:
        """Disconnects a session, by ID."""
        return self.operate("session_disconnect", {"session": session}, {}, dry_run=dry_run)

    def performance_list(
        self,
        *,
        of: t.Measured | None = None,
        sort: Literal[
            "name",
            "-name",
            "iops",
            "-iops",
            "read_bytes_s",
            "-read_bytes_s",
            "write_bytes_s",
            "-write_bytes_s",
            "latency_ms",
            "-latency_ms",
        ]
        | None = None,
        name: str | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Performance]:
        """Lists the current performance of all objects of one kind."""
        return self.pages("performance_list", {"of": of, "sort": sort, "name": name}, limit)

    def performance_show(self, performance: str, *, range: t.HistoryRange | None = None) -> t.PerformanceHistory:
        """Shows the performance of an object now and over time."""
        answer: t.PerformanceHistory = self.operate("performance_show", {"performance": performance}, {"range": range})
        return answer

    def schedule_list(
        self,
        *,
        sort: Literal["name", "-name", "created_at", "-created_at"] | None = None,
        name: str | None = None,
        action: t.ScheduleAction | None = None,
        enabled: bool | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Schedule]:
        """Lists the schedules, with their next runs and the result of the last run."""
        return self.pages("schedule_list", {"sort": sort, "name": name, "action": action, "enabled": enabled}, limit)

    @overload
    def schedule_create(self, body: t.ScheduleCreate, *, dry_run: Literal[False] = False) -> t.Schedule: ...
    @overload
    def schedule_create(self, body: t.ScheduleCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def schedule_create(self, body: t.ScheduleCreate, *, dry_run: bool = False) -> Any:
        """Creates a schedule for snapshots or scrubs."""
        return self.operate("schedule_create", {}, {}, body, dry_run=dry_run)

    def schedule_preview(self, *, when: str | None = None) -> t.SchedulePreview:
        """Shows when a schedule with a cron expression would run."""
        answer: t.SchedulePreview = self.operate("schedule_preview", {}, {"when": when})
        return answer

    def schedule_show(self, schedule: str) -> t.Schedule:
        """Shows a schedule, by ID or name."""
        answer: t.Schedule = self.operate("schedule_show", {"schedule": schedule}, {})
        return answer

    @overload
    def schedule_patch(
        self, schedule: str, body: t.SchedulePatch, *, dry_run: Literal[False] = False
    ) -> t.Schedule: ...
    @overload
    def schedule_patch(self, schedule: str, body: t.SchedulePatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def schedule_patch(self, schedule: str, body: t.SchedulePatch, *, dry_run: bool = False) -> Any:
        """Changes a schedule."""
        return self.operate("schedule_patch", {"schedule": schedule}, {}, body, dry_run=dry_run)

    @overload
    def schedule_delete(self, schedule: str, *, dry_run: Literal[False] = False) -> None: ...
    @overload
    def schedule_delete(self, schedule: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def schedule_delete(self, schedule: str, *, dry_run: bool = False) -> Any:
        """Deletes a schedule, but not its snapshots."""
        return self.operate("schedule_delete", {"schedule": schedule}, {}, dry_run=dry_run)

    @overload
    def schedule_run(self, schedule: str, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def schedule_run(self, schedule: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def schedule_run(self, schedule: str, *, dry_run: bool = False) -> Any:
        """Runs a schedule now."""
        return self.operate("schedule_run", {"schedule": schedule}, {}, dry_run=dry_run)

    def setting_show(self) -> t.Settings:
        """Shows the settings of the appliance."""
        answer: t.Settings = self.operate("setting_show", {}, {})
        return answer

    @overload
    def setting_patch(self, body: t.SettingsPatch, *, dry_run: Literal[False] = False) -> t.Settings: ...
    @overload
    def setting_patch(self, body: t.SettingsPatch, *, dry_run: Literal[True]) -> t.Plan: ...
    def setting_patch(self, body: t.SettingsPatch, *, dry_run: bool = False) -> Any:
        """Changes the settings of the appliance."""
        return self.operate("setting_patch", {}, {}, body, dry_run=dry_run)

    def alert_test(self) -> t.AlertTest:
        """Sends a test message over every configured alert channel."""
        answer: t.AlertTest = self.operate("alert_test", {}, {})
        return answer

    def certificate_show(self) -> t.Certificate:
        """Shows the certificate in use and the previous certificate."""
        answer: t.Certificate = self.operate("certificate_show", {}, {})
        return answer

    @overload
    def certificate_replace(self, body: t.CertificateReplace, *, dry_run: Literal[False] = False) -> t.Certificate: ...
    @overload
    def certificate_replace(self, body: t.CertificateReplace, *, dry_run: Literal[True]) -> t.Plan: ...
    def certificate_replace(self, body: t.CertificateReplace, *, dry_run: bool = False) -> Any:
        """Replaces the certificate of the web page and the API."""
        return self.operate("certificate_replace", {}, {}, body, dry_run=dry_run)

    @overload
    def certificate_revert(self, *, dry_run: Literal[False] = False) -> t.Certificate: ...
    @overload
    def certificate_revert(self, *, dry_run: Literal[True]) -> t.Plan: ...
    def certificate_revert(self, *, dry_run: bool = False) -> Any:
        """Reverts to the previous certificate."""
        return self.operate("certificate_revert", {}, {}, dry_run=dry_run)

    @overload
    def certificate_self_sign(self, *, dry_run: Literal[False] = False) -> t.Certificate: ...
    @overload
    def certificate_self_sign(self, *, dry_run: Literal[True]) -> t.Plan: ...
    def certificate_self_sign(self, *, dry_run: bool = False) -> Any:
        """Creates a private key and a self-signed certificate."""
        return self.operate("certificate_self_sign", {}, {}, dry_run=dry_run)

    def site_show(self) -> t.Site:
        """Shows the appliance as a site document."""
        answer: t.Site = self.operate("site_show", {}, {})
        return answer

    def site_schema_show(self) -> dict[str, Any]:
        """Shows the JSON Schema of the site document."""
        answer: dict[str, Any] = self.operate("site_schema_show", {}, {})
        return answer

    @overload
    def site_plan(self, body: t.SiteRequest, *, dry_run: Literal[False] = False) -> t.Plan: ...
    @overload
    def site_plan(self, body: t.SiteRequest, *, dry_run: Literal[True]) -> t.Plan: ...
    def site_plan(self, body: t.SiteRequest, *, dry_run: bool = False) -> Any:
        """Plans a site document, without changing anything."""
        return self.operate("site_plan", {}, {}, body, dry_run=dry_run)

    @overload
    def site_apply(
        self, body: t.SiteRequest, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> t.Job: ...
    @overload
    def site_apply(
        self, body: t.SiteRequest, *, confirm: list[str] | None = None, dry_run: Literal[True]
    ) -> t.Plan: ...
    def site_apply(self, body: t.SiteRequest, *, confirm: list[str] | None = None, dry_run: bool = False) -> Any:
        """Applies a site document as one job."""
        return self.operate("site_apply", {}, {"confirm": confirm}, body, dry_run=dry_run)

    def appliance_backup(self, body: t.BackupRequest) -> bytes:
        """Creates a backup of the configuration, as a file encrypted with a passphrase."""
        answer: bytes = self.operate("appliance_backup", {}, {}, body)
        return answer

    def appliance_store_backup(self) -> t.StoredBackup:
        """Creates a backup now and stores it on the server of the scheduled backups."""
        answer: t.StoredBackup = self.operate("appliance_store_backup", {}, {})
        return answer

    def appliance_support(self) -> bytes:
        """Creates a support bundle with logs, configuration, kernel and hardware data."""
        answer: bytes = self.operate("appliance_support", {}, {})
        return answer

    @overload
    def appliance_restart(self, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def appliance_restart(self, *, dry_run: Literal[True]) -> t.Plan: ...
    def appliance_restart(self, *, dry_run: bool = False) -> Any:
        """Restarts the appliance."""
        return self.operate("appliance_restart", {}, {}, dry_run=dry_run)

    @overload
    def appliance_power_off(self, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def appliance_power_off(self, *, dry_run: Literal[True]) -> t.Plan: ...
    def appliance_power_off(self, *, dry_run: bool = False) -> Any:
        """Shuts down the appliance."""
        return self.operate("appliance_power_off", {}, {}, dry_run=dry_run)

    @overload
    def appliance_restore(self, body: t.RestoreRequest, *, dry_run: Literal[False] = False) -> t.RestoreFound: ...
    @overload
    def appliance_restore(self, body: t.RestoreRequest, *, dry_run: Literal[True]) -> t.Plan: ...
    def appliance_restore(self, body: t.RestoreRequest, *, dry_run: bool = False) -> Any:
        """Restores the configuration from a backup and restarts the API."""
        return self.operate("appliance_restore", {}, {}, body, dry_run=dry_run)

    @overload
    def appliance_rebuild(self, body: t.RebuildRequest, *, dry_run: Literal[False] = False) -> t.RebuildFound: ...
    @overload
    def appliance_rebuild(self, body: t.RebuildRequest, *, dry_run: Literal[True]) -> t.Plan: ...
    def appliance_rebuild(self, body: t.RebuildRequest, *, dry_run: bool = False) -> Any:
        """Rebuilds the configuration of unknown arrays from their sealed copies."""
        return self.operate("appliance_rebuild", {}, {}, body, dry_run=dry_run)

    def update_show(self) -> t.Update:
        """Shows the two system slots and the result of the last update."""
        answer: t.Update = self.operate("update_show", {}, {})
        return answer

    @overload
    def update_create(self, body: t.UpdateCreate, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def update_create(self, body: t.UpdateCreate, *, dry_run: Literal[True]) -> t.Plan: ...
    def update_create(self, body: t.UpdateCreate, *, dry_run: bool = False) -> Any:
        """Installs the uploaded bundle and restarts the appliance."""
        return self.operate("update_create", {}, {}, body, dry_run=dry_run)

    def update_upload(self, file: BufferedReader) -> t.UpdateBundle:
        """Uploads an update bundle and verifies its signature."""
        answer: t.UpdateBundle = self.operate("update_upload", {}, {}, file)
        return answer

    def update_fetch(self, body: t.UpdateFetch) -> t.UpdateBundle:
        """Downloads an update bundle from a web server."""
        answer: t.UpdateBundle = self.operate("update_fetch", {}, {}, body)
        return answer

    @overload
    def update_roll_back(self, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def update_roll_back(self, *, dry_run: Literal[True]) -> t.Plan: ...
    def update_roll_back(self, *, dry_run: bool = False) -> Any:
        """Restarts the appliance from the other slot."""
        return self.operate("update_roll_back", {}, {}, dry_run=dry_run)

    def site_saveconfig(self, *, secrets: bool | None = None) -> t.Saveconfig:
        """Exports the LIO configuration as a `saveconfig.json`."""
        answer: t.Saveconfig = self.operate("site_saveconfig", {}, {"secrets": secrets})
        return answer

    @overload
    def site_adopt(self, body: t.AdoptRequest, *, dry_run: Literal[False] = False) -> t.AdoptionAnswer | t.Job: ...
    @overload
    def site_adopt(self, body: t.AdoptRequest, *, dry_run: Literal[True]) -> t.Plan: ...
    def site_adopt(self, body: t.AdoptRequest, *, dry_run: bool = False) -> Any:
        """Adopts running iSCSI targets and NVMe subsystems, without interrupting hosts."""
        return self.operate("site_adopt", {}, {}, body, dry_run=dry_run)

    @overload
    def site_inspect(self, body: t.InspectRequest, *, dry_run: Literal[False] = False) -> t.Inspection: ...
    @overload
    def site_inspect(self, body: t.InspectRequest, *, dry_run: Literal[True]) -> t.Plan: ...
    def site_inspect(self, body: t.InspectRequest, *, dry_run: bool = False) -> Any:
        """Inspects a targetcli configuration."""
        return self.operate("site_inspect", {}, {}, body, dry_run=dry_run)

    def drift_show(self) -> t.DriftReport:
        """Shows the drift: all differences between desired and observed state."""
        answer: t.DriftReport = self.operate("drift_show", {}, {})
        return answer

    def search_list(self, *, text: str | None = None, limit: int | None = None) -> t.SearchResults:
        """Searches all objects by name, address or identifier."""
        answer: t.SearchResults = self.operate("search_list", {}, {"text": text, "limit": limit})
        return answer

    def job_list(
        self,
        *,
        sort: Literal["-created_at", "created_at", "state", "-state", "kind", "-kind"] | None = None,
        state: list[t.JobState] | None = None,
        kind: t.JobKind | None = None,
        limit: int | None = None,
    ) -> Iterator[t.JobSummary]:
        """Lists the jobs, without their steps."""
        return self.pages("job_list", {"sort": sort, "state": state, "kind": kind}, limit)

    def job_show(self, job: str) -> t.Job:
        """Shows a job with all its steps."""
        answer: t.Job = self.operate("job_show", {"job": job}, {})
        return answer

    @overload
    def job_resolve(self, job: str, body: t.JobResolve, *, dry_run: Literal[False] = False) -> t.Job: ...
    @overload
    def job_resolve(self, job: str, body: t.JobResolve, *, dry_run: Literal[True]) -> t.Plan: ...
    def job_resolve(self, job: str, body: t.JobResolve, *, dry_run: bool = False) -> Any:
        """Resolves a stuck job by retrying or abandoning it."""
        return self.operate("job_resolve", {"job": job}, {}, body, dry_run=dry_run)

    def event_export(
        self,
        *,
        format: t.ExportFormat | None = None,
        kind: str | None = None,
        outcome: t.EventOutcome | None = None,
        progress: bool | None = None,
        noun: str | None = None,
        ref: str | None = None,
        text: str | None = None,
        actor: str | None = None,
        people: bool | None = None,
        since: str | None = None,
        until: str | None = None,
        after: int | None = None,
        job: str | None = None,
        operations: bool | None = None,
    ) -> bytes:
        """Exports the events as a file, newest first."""
        answer: bytes = self.operate(
            "event_export",
            {},
            {
                "format": format,
                "kind": kind,
                "outcome": outcome,
                "progress": progress,
                "noun": noun,
                "ref": ref,
                "text": text,
                "actor": actor,
                "people": people,
                "since": since,
                "until": until,
                "after": after,
                "job": job,
                "operations": operations,
            },
        )
        return answer

    def event_list(
        self,
        *,
        sort: Literal["-seq", "seq"] | None = None,
        kind: str | None = None,
        outcome: t.EventOutcome | None = None,
        progress: bool | None = None,
        noun: str | None = None,
        ref: str | None = None,
        text: str | None = None,
        actor: str | None = None,
        people: bool | None = None,
        since: str | None = None,
        until: str | None = None,
        after: int | None = None,
        job: str | None = None,
        operations: bool | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Event]:
        """Lists the events, newest first by default."""
        return self.pages(
            "event_list",
            {
                "sort": sort,
                "kind": kind,
                "outcome": outcome,
                "progress": progress,
                "noun": noun,
                "ref": ref,
                "text": text,
                "actor": actor,
                "people": people,
                "since": since,
                "until": until,
                "after": after,
                "job": job,
                "operations": operations,
            },
            limit,
        )

    def event_show(self, event: str) -> t.EventDetail:
        """Shows an event, with its plan and whether its change can be undone."""
        answer: t.EventDetail = self.operate("event_show", {"event": event}, {})
        return answer

    @overload
    def event_undo(
        self, event: str, *, confirm: list[str] | None = None, dry_run: Literal[False] = False
    ) -> t.EventDetail: ...
    @overload
    def event_undo(self, event: str, *, confirm: list[str] | None = None, dry_run: Literal[True]) -> t.Plan: ...
    def event_undo(self, event: str, *, confirm: list[str] | None = None, dry_run: bool = False) -> Any:
        """Undoes the change that an event records."""
        return self.operate("event_undo", {"event": event}, {"confirm": confirm}, dry_run=dry_run)

    def alert_list(
        self,
        *,
        sort: Literal["-raised_at", "raised_at", "severity", "-severity"] | None = None,
        active: bool | None = None,
        acknowledged: bool | None = None,
        severity: t.Severity | None = None,
        ref: str | None = None,
        text: str | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Alert]:
        """Lists the alerts, with their causes and fixes."""
        return self.pages(
            "alert_list",
            {
                "sort": sort,
                "active": active,
                "acknowledged": acknowledged,
                "severity": severity,
                "ref": ref,
                "text": text,
            },
            limit,
        )

    def alert_show(self, alert: str) -> t.Alert:
        """Shows an alert."""
        answer: t.Alert = self.operate("alert_show", {"alert": alert}, {})
        return answer

    @overload
    def alert_acknowledge(
        self, alert: str, body: t.AlertAcknowledge, *, dry_run: Literal[False] = False
    ) -> t.Alert: ...
    @overload
    def alert_acknowledge(self, alert: str, body: t.AlertAcknowledge, *, dry_run: Literal[True]) -> t.Plan: ...
    def alert_acknowledge(self, alert: str, body: t.AlertAcknowledge, *, dry_run: bool = False) -> Any:
        """Acknowledges an active alert."""
        return self.operate("alert_acknowledge", {"alert": alert}, {}, body, dry_run=dry_run)

    @overload
    def alert_silence(self, alert: str, body: t.AlertSilence, *, dry_run: Literal[False] = False) -> t.Alert: ...
    @overload
    def alert_silence(self, alert: str, body: t.AlertSilence, *, dry_run: Literal[True]) -> t.Plan: ...
    def alert_silence(self, alert: str, body: t.AlertSilence, *, dry_run: bool = False) -> Any:
        """Silences the notifications of an alert for a limited time."""
        return self.operate("alert_silence", {"alert": alert}, {}, body, dry_run=dry_run)

    @overload
    def alert_reopen(self, alert: str, *, dry_run: Literal[False] = False) -> t.Alert: ...
    @overload
    def alert_reopen(self, alert: str, *, dry_run: Literal[True]) -> t.Plan: ...
    def alert_reopen(self, alert: str, *, dry_run: bool = False) -> Any:
        """Removes the acknowledgement and the silence of an alert."""
        return self.operate("alert_reopen", {"alert": alert}, {}, dry_run=dry_run)
