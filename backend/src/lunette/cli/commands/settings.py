"""`lunette setting`: settings of the whole appliance, the test of its alerts, and a backup that is stored now."""

from typing import Any

from lunette.cli.call import Call, read_text
from lunette.cli.errors import CheckFailed, UsageError
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param
from lunette.client.generated.enums import FIREWALL_MODE


def set_(call: Call) -> None:
    """Settings that are not given stay unchanged."""
    keys = (
        "name",
        "host_name",
        "time_zone",
        "session_hours",
        "history_days",
        "deleted_keep_hours",
        "number_held_hours",
        "disk_health_minutes",
        "short_test_days",
        "long_test_days",
        "heartbeat",
        "firewall",
    )
    body: JsonObject = _document(call["file"]) if call["file"] else {}
    body |= {key: call[key] for key in keys if call[key] is not None}
    if call["require_second_factor"] or call["second_factor_optional"]:
        body["second_factor_required"] = bool(call["require_second_factor"])
    body |= _discovery(call) | dict.fromkeys(call["unset"] or ())
    if not body:
        raise UsageError(
            "Nothing to change: specify at least one setting, --file or --unset", "lunette setting set --help"
        )
    send(call, body)


def _discovery(call: Call) -> JsonObject:
    """Raises UsageError for a secret without its user."""
    given: JsonObject = {}
    for which in ("", "mutual_"):
        user, file = call[f"discovery_{which}user"], call[f"discovery_{which}secret_file"]
        option = f"--discovery-{which.replace('_', '-')}"
        if file and not user:
            raise UsageError(f"{option}secret-file requires {option}user")
        given |= {f"{which}user": user} if user else {}
        given |= {f"{which}secret": call.secret(f"discovery_{which}secret_file")} if file else {}
    if "mutual_user" in given and "user" not in given:
        raise UsageError("--discovery-mutual-user requires --discovery-user")
    return {"discovery_auth": given} if given else {}


def test_alerts(call: Call) -> None:
    """Raises CheckFailed if a channel did not accept the test."""
    answer = call.client.alert_test()
    call.show(answer, lambda found: call.screen.table(found["results"], ("channel", "accepted", "detail")))
    if not all(one["accepted"] for one in answer["results"]):
        raise CheckFailed


def store_backup(call: Call) -> None:
    """Waits until the server has the whole file."""
    call.show(call.client.operate("appliance_store_backup"))


def _document(file: str) -> JsonObject:
    """Raises UsageError for a file that cannot be read as settings."""
    import yaml

    try:
        found: Any = yaml.safe_load(read_text(file))
    except yaml.YAMLError as error:
        raise UsageError(f"{file} is neither valid YAML nor JSON: {error}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{file} contains no settings, which have names such as `mail:`")
    return found


COMMANDS = {
    "setting": (
        Command("show", operations=("setting_show",), more="Secrets are never shown."),
        Command(
            "set",
            operations=("setting_patch",),
            params=(
                Param("--name", "Name of the appliance.", metavar="NAME"),
                Param("--host-name", "Host name of the operating system, without a domain.", metavar="NAME"),
                Param("--time-zone", metavar="ZONE"),
                Param("--session-hours", number=True),
                Param(
                    "--require-second-factor",
                    "Require a second factor from every user.",
                    field="second_factor_required",
                    flag=True,
                ),
                Param(
                    "--second-factor-optional",
                    "Do not require a second factor.",
                    field="second_factor_required",
                    flag=True,
                    sets=False,
                ),
                Param("--history-days", number=True),
                Param(
                    "--deleted-keep-hours",
                    "Hours for which deleted volumes and snapshots can be recovered; 0 erases them immediately.",
                    number=True,
                ),
                Param("--number-held-hours", number=True),
                Param("--disk-health-minutes", number=True),
                Param("--short-test-days", number=True),
                Param("--long-test-days", number=True),
                Param(
                    "--heartbeat",
                    "Time of the daily heartbeat in the appliance's time zone, such as 07:00.",
                    metavar="TIME",
                ),
                Param("--firewall", "Whether Lunette manages the firewall.", words=FIREWALL_MODE),
                Param("--discovery-user", "CHAP user name of hosts that discover iSCSI targets.", metavar="USER"),
                Param("--discovery-secret-file", "File with the CHAP secret of the hosts.", file=True),
                Param("--discovery-mutual-user", "CHAP user name that the appliance presents.", metavar="USER"),
                Param("--discovery-mutual-secret-file", "File with the CHAP secret of the appliance.", file=True),
                Param(
                    "--file",
                    "YAML or JSON file with settings such as mail, webhook, syslog or backup; - for standard input.",
                    path=True,
                    is_rest=True,
                ),
                Param("--unset", "Setting to remove, such as mail; repeatable.", many=True, metavar="SETTING"),
            ),
            run=set_,
            more="Other settings stay unchanged. Secrets are read from files, because other users can see the command "
            "line.",
        ),
        Command(
            "test-alerts",
            operations=("alert_test",),
            run=test_alerts,
            more="Shows the answer of each server.",
        ),
        Command("store-backup", operations=("appliance_store_backup",), run=store_backup),
    ),
}
