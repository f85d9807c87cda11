"""`lunette adopt` and `lunette foreign-array`: show the plan, then adopt exports and arrays of other systems."""

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.spec import Command, JsonObject, Param, standard


def adopt(call: Call) -> None:
    """Shows the verdict on every object, asks for confirmation, then adopts what can be adopted."""
    body = {"targets": call["target"] or []}
    found = call.client.operate("site_adopt", {}, {}, body, dry_run=True)
    if call.dry_run:
        call.show(found, lambda shown: _print(call, shown))
        return
    if not call.is_bare:
        _print(call, found)
    if found["targets"] and not call["yes"]:
        call.confirm("Adopt them?", "--yes")
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
    call.screen.line(f"Targets and subsystems that can be adopted: {count}.", "bold")


def _said(call: Call, *, runs: bool) -> str:
    if not runs:
        return "Nothing was adopted."
    return (
        "The job is running; `lunette job list` shows it."
        if call["no_wait"]
        else "Lunette now serves the adopted targets and subsystems."
    )


_ADOPT = Command(
    "",
    operations=("site_adopt",),
    params=(
        Param("target", "IQN or NQN; by default, all that can be adopted.", field="targets", many=True, optional=True),
    ),
    run=adopt,
    interrupts=True,
    more="A target or subsystem that cannot be adopted completely stays unchanged.",
)
_FOREIGN = Param("foreign_array", "ID of the foreign array, as the list shows it.")
_COLUMNS = ("id", "name", "array", "home_host", "level", "health", "read_only", "group", "volumes", "next", "reason")


def volumes(call: Call) -> None:
    """The logical volumes on an array."""
    arrays = call.client.pages("foreign_array_list", {}, None)
    found = next((one for one in arrays if one["id"] == call["foreign_array"]), None)
    if found is None:
        raise UsageError(f"No foreign array has the ID {call['foreign_array']}", "lunette foreign-array list")
    call.show(found["volumes"], lambda items: call.screen.table(items, ("name", "size_bytes", "open", "reason")))


_ARRAYS = (
    *standard("foreign-array", _COLUMNS),
    Command(
        "volumes",
        "Shows the logical volumes on a running foreign array.",
        ("foreign_array_list",),
        (_FOREIGN,),
        volumes,
    ),
    Command("start", operations=("foreign_array_start",), params=(_FOREIGN,)),
    Command(
        "adopt",
        operations=("foreign_array_adopt",),
        params=(
            _FOREIGN,
            Param("--name", "Name of the array in Lunette; by default, its name in MD RAID."),
            Param(
                "--volume",
                "Logical volume to adopt; repeatable. By default, all that can be adopted.",
                field="volumes",
                many=True,
            ),
            Param(
                "--no-volumes",
                "Adopt only the array, and leave all logical volumes unchanged.",
                field="volumes",
                flag=True,
                sets=[],
            ),
            Param(
                "--make-group",
                "Create a volume group on an array that has none, which overwrites its beginning.",
                flag=True,
            ),
        ),
    ),
)
COMMANDS = {"adopt": (_ADOPT,), "foreign-array": _ARRAYS}
