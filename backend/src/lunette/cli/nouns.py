"""The nouns a command line can list, show and delete: where each lives in the API and what a table shows of it."""

from lunette.domain.base import Model


class Noun(Model):
    """One noun: its command, its path below /api/v1, the columns of its table, and whether it can be deleted."""

    command: str
    path: str
    columns: tuple[str, ...]
    by_name: bool = True
    """Whether its list can be filtered by name."""
    can_show: bool = True
    can_delete: bool = False
    may_hide: bool = False
    """Its list can be incomplete, and then tells why in `unseen`."""
    destroys: bool = False
    """Deleting it loses data, so that its name must be typed or --yes given."""


NOUNS = (
    Noun(
        command="disk",
        path="/disks",
        columns=("id", "transport", "size_bytes", "model", "serial", "array", "occupied_by"),
    ),
    Noun(
        command="array",
        path="/arrays",
        columns=("name", "engine", "level", "state", "health", "usable_bytes", "free_bytes"),
        can_delete=True,
        destroys=True,
    ),
    Noun(
        command="volume",
        path="/volumes",
        columns=("name", "array", "size_bytes", "provisioning", "state", "export.state", "naa"),
        can_delete=True,
        destroys=True,
    ),
    Noun(
        command="snapshot",
        path="/snapshots",
        columns=("name", "volume", "size_bytes", "state", "created_at"),
        can_delete=True,
        destroys=True,
    ),
    Noun(
        command="schedule",
        path="/schedules",
        columns=("name", "action", "volumes", "arrays", "when", "enabled", "next_runs", "last_run"),
        can_delete=True,
    ),
    Noun(command="host", path="/hosts", columns=("name", "os_type", "iqns", "group"), can_delete=True),
    Noun(command="host-group", path="/host-groups", columns=("name", "hosts"), can_delete=True),
    Noun(command="portal", path="/portals", columns=("name", "protocol", "address", "port", "state"), can_delete=True),
    Noun(
        command="rdma-device",
        path="/rdma-devices",
        columns=("id", "interface", "state", "link_layer", "mtu_bytes", "addresses", "reason"),
        by_name=False,
        can_show=False,
    ),
    Noun(
        command="fc-port",
        path="/fc-ports",
        columns=("wwpn", "observed.driver", "observed.link", "observed.speed", "observed.mode", "mode", "state"),
        can_delete=True,
    ),
    Noun(
        command="mapping",
        path="/mappings",
        columns=("id", "volume", "host", "host_group", "family", "lun", "state"),
        by_name=False,
        can_delete=True,
    ),
    Noun(
        command="session",
        path="/sessions",
        columns=("host", "initiator", "protocol", "target_iqn", "target_wwpn", "subsystem_nqn", "state"),
        can_show=False,
        may_hide=True,
    ),
    Noun(
        command="job", path="/jobs", columns=("id", "title", "state", "progress_percent", "created_at"), by_name=False
    ),
    Noun(command="event", path="/events", columns=("seq", "at", "kind", "message"), by_name=False, can_show=False),
    Noun(
        command="alert", path="/alerts", columns=("severity", "message", "cause", "fix"), by_name=False, can_show=False
    ),
    Noun(
        command="engine",
        path="/engines",
        columns=("engine", "kind", "available", "reason"),
        by_name=False,
        can_show=False,
    ),
    Noun(command="user", path="/users", columns=("username", "role"), can_delete=True),
    Noun(
        command="token",
        path="/tokens",
        columns=("name", "role", "expires_at", "last_used_at"),
        can_delete=True,
    ),
)
