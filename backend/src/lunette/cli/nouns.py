"""The nouns a command line can list, show and delete: where each lives in the API and what a table shows of it."""

from lunette.domain.base import Model


class Noun(Model):
    """One noun: its command, its path below /api/v1, the columns of its table, and whether it can be deleted."""

    command: str
    path: str
    columns: tuple[str, ...]
    can_show: bool = True
    can_delete: bool = False
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
        columns=("name", "array", "size_bytes", "state", "naa"),
        can_delete=True,
        destroys=True,
    ),
    Noun(command="host", path="/hosts", columns=("name", "os_type", "iqns", "group"), can_delete=True),
    Noun(command="host-group", path="/host-groups", columns=("name", "hosts"), can_delete=True),
    Noun(command="portal", path="/portals", columns=("name", "protocol", "address", "port", "state"), can_delete=True),
    Noun(
        command="mapping",
        path="/mappings",
        columns=("id", "volume", "host", "host_group", "lun", "state"),
        can_delete=True,
    ),
    Noun(
        command="session",
        path="/sessions",
        columns=("host", "initiator", "protocol", "target_iqn", "state"),
        can_show=False,
    ),
    Noun(command="job", path="/jobs", columns=("id", "title", "state", "progress_percent", "created_at")),
    Noun(command="event", path="/events", columns=("seq", "at", "kind", "message"), can_show=False),
    Noun(command="alert", path="/alerts", columns=("severity", "message", "cause", "fix"), can_show=False),
    Noun(command="engine", path="/engines", columns=("engine", "kind", "available", "reason"), can_show=False),
    Noun(command="user", path="/users", columns=("username", "role"), can_show=False, can_delete=True),
    Noun(
        command="token",
        path="/tokens",
        columns=("name", "role", "expires_at", "last_used_at"),
        can_show=False,
        can_delete=True,
    ),
)
