"""`lunette update`: the appliance's own system, in two slots."""

from pathlib import Path

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param

_STATES = {"starting": "is starting", "healthy": "passed its health checks", "failed": "failed"}


def show(call: Call) -> None:
    call.show(call.client.operate("update_show"), lambda found: _print(call, found))


def install(call: Call) -> None:
    """Uploads a bundle, shows its effects, asks for confirmation, and follows the job across the restart."""
    where: str = call["file"]
    if where.startswith(("http://", "https://")):
        bundle = call.client.update_fetch({"url": where})
    else:
        try:
            with Path(where).open("rb") as opened:
                bundle = call.client.update_upload(opened)
        except OSError as error:
            raise UsageError(f"Cannot read {where}: {error.strerror}") from error
    call.screen.note(f"The bundle contains version {bundle['version']}, and its signature is trusted.")
    send(call, {"bundle": bundle["id"], "downgrade": bool(call["downgrade"])}, "update_create")


def _print(call: Call, found: JsonObject) -> None:
    line = call.screen.line
    if not found["available"]:
        line(found["reason"], "yellow")
        return
    for slot in found["slots"]:
        words = [slot["version"] or "empty", *(["running"] if slot["running"] else [])]
        words += ["on trial"] if slot["running"] and found["on_trial"] else []
        words += ["next to start"] if slot["next"] else []
        line(f"slot {slot['name']}: {', '.join(words)}", "bold" if slot["running"] else "")
    last = found["last"]
    if last:
        why = f": {last['reason']}" if last["reason"] else ""
        line(f"last update: version {last['version']} {_STATES[last['state']]}{why}", "red" if why else "")
    measured = "not measured yet" if found["outage_s"] is None else f"{found['outage_s']:.0f} s"
    line(f"outage of exports during a restart: {measured}")
    line(f"trusted signers: {found['trusts']}")


COMMANDS = {
    "update": (
        Command(
            "show",
            operations=("update_show",),
            run=show,
        ),
        Command(
            "install",
            "Uploads a bundle, installs it in the other slot and restarts the appliance.",
            ("update_create", "update_upload", "update_fetch"),
            (
                Param(
                    "file",
                    "Bundle (.raucb): a file, or a URL from which the appliance downloads it.",
                    path=True,
                    metavar="FILE|URL",
                ),
                Param("--downgrade", "Install the bundle even if it is older than the running version.", flag=True),
            ),
            install,
            interrupts=True,
            more="If the new version fails its health checks, the previous version runs again.",
        ),
        Command("roll-back", operations=("update_roll_back",), interrupts=True),
    ),
}
