"""`lunette adopt` and `lunette foreign-array`: take over what others made, after showing what becomes of it."""

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param, standard


def adopt(call: Call) -> None:
    """Shows the verdict on every object, asks, then takes over what can be."""
    body = {"targets": call["target"] or []}
    found = call.client.operate("site_adopt", {}, {}, body, dry_run=True)
    if call.dry_run:
        call.show(found, lambda shown: _print(call, shown))
        return
    if not call.is_bare:
        _print(call, found)
    if found["targets"] and not call["yes"]:
        call.confirm("Take them over?", "--yes")
    answer = call.client.operate("site_adopt", {}, {}, body)
    runs = "state" in answer
    if runs and not call["no_wait"]:
        answer = call.follow(answer)
    call.show(answer, lambda _: call.screen.note(_said(call, runs=runs)))


def _print(call: Call, found: JsonObject) -> None:
    for one in found["findings"]:
        mark, style = ("✓", "green") if one["fits"] else ("✗", "red")
        call.screen.line(f"{mark} {one['path']}", style)
        call.screen.line(f"    {one['words']}")
    for change in found["changes"]:
        call.screen.line(f"+ {change['noun']} {change['name']}: {change['detail']}", "green")
    for words in found["warnings"]:
        call.screen.line(words, "yellow")
    count = len(found["targets"])
    call.screen.line(f"Targets and subsystems that can be taken over: {count}.", "bold")


def _said(call: Call, *, runs: bool) -> str:
    if not runs:
        return "Nothing was taken over."
    return "The job runs; `lunette job list` shows it." if call["no_wait"] else "Lunette serves them now."


_ADOPT = Command(
    "",
    "Takes over iSCSI targets and NVMe subsystems that the kernel serves for others, while their hosts go on.",
    ("site_adopt",),
    (Param("target", "IQN or NQN; all that can be taken over if none is given.", many=True, optional=True),),
    adopt,
    interrupts=True,
    more="One of which anything cannot be taken over stays whole as it is.",
)
_FOREIGN = Param("foreign_array", "Its id, as the list shows it.")
_COLUMNS = ("id", "name", "array", "home_host", "level", "health", "read_only", "group", "volumes", "next", "reason")


def volumes(call: Call) -> None:
    """The logical volumes on an array."""
    arrays = call.client.pages("foreign_array_list", {}, None)
    found = next((one for one in arrays if one["id"] == call["foreign_array"]), None)
    if found is None:
        raise Wrong(f"there is no foreign array {call['foreign_array']}", "lunette foreign-array list")
    call.show(found["volumes"], lambda items: call.screen.table(items, ("name", "size_bytes", "open", "reason")))


def adopt_array(call: Call) -> None:
    """Sends the wish: without a volume named all that can be are taken."""
    body = {"name": call["name"], "make_group": bool(call["make_group"])}
    named = [] if call["no_volumes"] else call["volume"] or None
    send(call, {field: value for field, value in (body | {"volumes": named}).items() if value is not None})


_ARRAYS = (
    *standard("foreign-array", _COLUMNS),
    Command("volumes", "Shows the logical volumes on one that runs.", ("foreign_array_list",), (_FOREIGN,), volumes),
    Command("start", "Starts one read-only, so that what is on it can be seen.", ("foreign_array_start",), (_FOREIGN,)),
    Command(
        "adopt",
        "Makes one that runs Lunette's; what is on it stays as it is.",
        ("foreign_array_adopt",),
        (
            _FOREIGN,
            Param("--name", "What it is called here; as md calls it if not given."),
            Param(
                "--volume",
                "Logical volume that becomes a volume; repeatable. All that can be if none is given.",
                field="volumes",
                many=True,
            ),
            Param("--no-volumes", "Take the array alone, and leave all logical volumes as they are.", flag=True),
            Param(
                "--make-group",
                "Make a volume group on an array that has none; what is on it is written over.",
                flag=True,
            ),
        ),
        adopt_array,
    ),
)
COMMANDS = {"adopt": (_ADOPT,), "foreign-array": _ARRAYS}
