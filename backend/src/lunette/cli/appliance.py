"""`lunette status`, `lunette drift` and `lunette health`."""

from lunette.cli.call import Call
from lunette.cli.spec import Command, JsonObject

_STYLES = {"refused": "red", "unexplained": "red", "missing": "red", "unknown": "yellow", "unserved": "yellow"}


def drift(call: Call) -> None:
    call.show(call.client.operate("drift_show"), lambda found: _print(call, found))


def _print(call: Call, found: JsonObject) -> None:
    for one in found["items"]:
        by_itself = " (repaired by itself)" if one["is_repaired"] else ""
        head = f"{one['kind']}: {one['noun'].replace('_', ' ')} {one['name']}: {one['words']}{by_itself}"
        call.screen.line(head, _STYLES.get(one["kind"], ""))
        call.screen.line(f"  {one['fix']}")
    for unseen in found["unseen"]:
        call.screen.line(f"not looked at: {unseen}", "yellow")
    if not found["items"] and found["complete"]:
        call.screen.line("The machine is as the database says, and nothing foreign is on it.")
    if found["repaired"]:
        call.screen.note(f"{found['repaired']} things were put right in the kernel in the last round.")


COMMANDS = {
    "status": (Command("", "Shows health in one sentence, and what the appliance holds.", ("status_show",)),),
    "drift": (
        Command(
            "",
            "Tells where the machine and the database differ, with the fix. Changes nothing.",
            ("drift_show",),
            (),
            drift,
        ),
    ),
    "health": (Command("", "Asks whether the API answers; needs no login.", ("health_show",)),),
}
