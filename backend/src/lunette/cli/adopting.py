"""`lunette adopt`: takes over what LIO serves for others, after showing what becomes of each object."""

from lunette.cli.call import Call
from lunette.cli.spec import Command, JsonObject, Param


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
    call.screen.line(f"{count} target{'s' if count != 1 else ''} can be taken over.", "bold")


def _said(call: Call, *, runs: bool) -> str:
    if not runs:
        return "Nothing was taken over."
    return "The job runs; `lunette job list` shows it." if call["no_wait"] else "Lunette serves them now."


_ADOPT = Command(
    "", "Takes over iSCSI targets that LIO serves for others, while their hosts go on.", ("site_adopt",), (
        Param("target", "Name of a target; all that can be taken over if none is given.", many=True, optional=True),
    ), adopt, interrupts=True, more="A target of which anything cannot be taken over stays whole as it is.",
)  # fmt: skip
COMMANDS = {"adopt": (_ADOPT,)}
