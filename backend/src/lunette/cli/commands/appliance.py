"""`lunette status`, `lunette drift` and `lunette health`."""

from lunette.cli.call import Call
from lunette.cli.spec import Command, JsonObject

_STYLES = {"refused": "red", "unexplained": "red", "missing": "red", "unknown": "yellow", "unserved": "yellow"}


def drift(call: Call) -> None:
    call.show(call.client.operate("drift_show"), lambda found: _print(call, found))


def _print(call: Call, found: JsonObject) -> None:
    for one in found["items"]:
        automatically = " (repaired automatically)" if one["is_repaired"] else ""
        head = f"{one['kind']}: {one['noun'].replace('_', ' ')} {one['name']}: {one['words']}{automatically}"
        call.screen.line(head, _STYLES.get(one["kind"], ""))
        call.screen.line(f"  {one['fix']}")
    for unseen in found["unseen"]:
        call.screen.line(f"not inspected: {unseen}", "yellow")
    if not found["items"] and found["complete"]:
        call.screen.line("No drift: the observed state matches the desired state, and nothing foreign exists.")
    if found["repaired"]:
        call.screen.note(f"Kernel objects repaired in the last comparison: {found['repaired']}.")


COMMANDS = {
    "status": (Command("", operations=("status_show",)),),
    "drift": (
        Command(
            "",
            "Shows all differences between desired and observed state, each with its fix.",
            ("drift_show",),
            (),
            drift,
        ),
    ),
    "health": (Command("", "Checks that the API responds. Needs no login.", ("health_show",)),),
}
