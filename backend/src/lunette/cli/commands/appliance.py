"""`lunette status`, `lunette drift`, `lunette search` and `lunette health`."""

from lunette.cli.call import Call
from lunette.cli.running import query_of
from lunette.cli.spec import Command, JsonObject, Param

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


def search(call: Call) -> None:
    """A table of the objects that were found, with a note if it is incomplete."""
    call.show(call.client.operate("search_list", query=query_of(call)), lambda found: _print_found(call, found))


def _print_found(call: Call, found: JsonObject) -> None:
    call.screen.table(found["items"], ("noun", "name", "parent", "field", "value", "match"))
    if found["has_more"]:
        call.screen.note("More objects match: use a longer text, or --limit.")
    if not found["is_complete"]:
        call.screen.note("The agent does not answer: disks, interfaces and sessions were not searched.", "yellow")


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
    "search": (
        Command(
            "",
            operations=("search_list",),
            params=(Param("text"), Param("--limit", "Maximum number of objects.", number=True)),
            run=search,
        ),
    ),
    "health": (Command("", "Checks that the API responds. Needs no login.", ("health_show",)),),
}
