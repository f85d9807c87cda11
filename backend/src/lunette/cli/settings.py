"""`lunette setting`: settings of the whole appliance, and the test of its alerts."""

from typing import Any

from lunette.cli.call import Call, NotWell, read_text
from lunette.cli.parsing import Wrong
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param
from lunette.client.generated.enums import FIREWALL_MODE


def set_(call: Call) -> None:
    """What is not given stays."""
    keys = (
        "name",
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
        raise Wrong("nothing to set: give --file, --unset, or one of the settings", "lunette setting set --help")
    send(call, body)


def _discovery(call: Call) -> JsonObject:
    """Raises Wrong for a secret without its user."""
    given: JsonObject = {}
    for which in ("", "mutual_"):
        user, file = call[f"discovery_{which}user"], call[f"discovery_{which}secret_file"]
        option = f"--discovery-{which.replace('_', '-')}"
        if file and not user:
            raise Wrong(f"{option}secret-file needs {option}user")
        given |= {f"{which}user": user} if user else {}
        given |= {f"{which}secret": call.secret(f"discovery_{which}secret_file")} if file else {}
    if "mutual_user" in given and "user" not in given:
        raise Wrong("--discovery-mutual-user needs --discovery-user")
    return {"discovery_auth": given} if given else {}


def test_alerts(call: Call) -> None:
    """Raises NotWell where a channel did not take the test."""
    answer = call.client.alert_test()
    call.show(answer, lambda found: call.screen.table(found["results"], ("channel", "accepted", "detail")))
    if not all(one["accepted"] for one in answer["results"]):
        raise NotWell


def _document(file: str) -> JsonObject:
    """Raises Wrong for a file that cannot be read as settings."""
    import yaml

    try:
        found: Any = yaml.safe_load(read_text(file))
    except yaml.YAMLError as error:
        raise Wrong(f"{file} is neither YAML nor JSON: {error}") from error
    if not isinstance(found, dict):
        raise Wrong(f"{file} holds no settings: it begins with names such as `mail:`")
    return found


COMMANDS = {
    "setting": (
        Command("show", "Shows all settings. Secrets are never shown.", ("setting_show",)),
        Command(
            "set",
            "Changes settings; what is not given stays.",
            ("setting_patch",),
            (
                Param("--name", "Name of the appliance for people.", metavar="NAME"),
                Param("--time-zone", "Such as Europe/Berlin.", metavar="ZONE"),
                Param("--session-hours", "Hours after which a browser logs in again.", number=True),
                Param("--require-second-factor", "Everybody has to set up a second factor.", flag=True),
                Param("--second-factor-optional", "Nobody has to.", flag=True),
                Param("--history-days", "Days that events, finished jobs and resolved alerts are kept.", number=True),
                Param(
                    "--deleted-keep-hours",
                    "Hours that deleted volumes and snapshots can be recovered; 0: none.",
                    number=True,
                ),
                Param("--number-held-hours", "Hours that the number of an unmapped volume is held back.", number=True),
                Param(
                    "--disk-health-minutes", "Minutes after which drives are asked for their health again.", number=True
                ),
                Param(
                    "--short-test-days",
                    "Days of being on after which drives begin a short self-test; 0: never.",
                    number=True,
                ),
                Param(
                    "--long-test-days",
                    "Days of being on after which drives begin a long self-test; 0: never.",
                    number=True,
                ),
                Param("--heartbeat", "Time of the daily sign of life, such as 07:00.", metavar="TIME"),
                Param("--firewall", "Whether Lunette filters what comes to the machine.", words=FIREWALL_MODE),
                Param("--discovery-user", "CHAP user of a host that asks for its iSCSI targets.", metavar="USER"),
                Param("--discovery-secret-file", "File with its secret.", file=True),
                Param("--discovery-mutual-user", "CHAP user that the appliance answers with.", metavar="USER"),
                Param("--discovery-mutual-secret-file", "File with that secret.", file=True),
                Param(
                    "--file",
                    "YAML or JSON with settings such as mail, webhook, syslog; - is standard input.",
                    path=True,
                ),
                Param("--unset", "Setting to take away, such as mail; repeatable.", many=True, metavar="SETTING"),
            ),
            set_,
            more="Secrets are read from a file, never from the command line, which others can see.",
        ),
        Command(
            "test-alerts",
            "Sends a test over each channel that is set up, and tells what each server said.",
            ("alert_test",),
            (),
            test_alerts,
        ),
    ),
}
