"""The whole appliance in a file: export, plan, apply, schema. Also why a volume is missing."""

from pathlib import Path
from typing import Any

from lunette.cli.call import Call, read_text
from lunette.cli.commands import targetcli
from lunette.cli.errors import UsageError
from lunette.cli.running import reasons
from lunette.cli.spec import Command, JsonObject, Param

_FILE = Param("file", "Site document in YAML or JSON; - for standard input.", field="site", path=True)
_SCOPE = Param(
    "--scope",
    "Limit the command to an object with its dependents, such as host=esx3; repeatable.",
    many=True,
    metavar="NOUN=NAME",
)
_DESTROY = Param(
    "--destroy",
    "Object that may be deleted, such as volume/lun03 or mapping/lun03/host/esx3; repeatable.",
    many=True,
    metavar="NOUN/NAME",
)
_SIGNS = {"create": ("+", "green"), "change": ("~", "blue"), "interrupt": ("!", "yellow"), "destroy": ("-", "red")}
_MARKS = {"ok": ("✓", "green"), "degraded": ("!", "yellow"), "broken": ("✗", "red"), "unknown": ("?", "yellow")}


def export(call: Call) -> None:
    """YAML, unless --json is given; for targetcli always JSON."""
    if call["format"] == "targetcli":
        targetcli.export(call)
        return
    if call["secrets"]:
        raise UsageError("--secrets requires --format targetcli: a site document never contains secrets")
    site = call.client.site_show()
    if call["output"] is None:
        call.show(site, call.screen.yaml)
        return
    path = Path(call["output"])
    try:
        path.write_text(_text(call, site))
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}") from error
    call.screen.note(f"Written to {path}.")


def _text(call: Call, site: Any) -> str:
    import json

    import yaml

    if call["json"]:
        return json.dumps(site, indent=2, ensure_ascii=False) + "\n"
    return str(yaml.safe_dump(site, sort_keys=False, allow_unicode=True, width=120))


def plan(call: Call) -> None:
    call.show(call.client.operate("site_plan", body=_request(call)), lambda found: difference(call, found))


def apply(call: Call) -> None:
    """Shows the difference, asks if something is deleted or interrupted, then applies it as one job."""
    request = _request(call)
    found = call.client.operate("site_plan", body=request)
    if call.dry_run:
        call.show(found, lambda shown: difference(call, shown))
        return
    if not call.is_bare:
        difference(call, found)
    goes = found["bytes_destroyed"] or any(change["action"] == "destroy" for change in found["changes"])
    why = reasons(found)
    for name in why:
        if name not in (call["confirm"] or ()):
            call.confirm_volume(name, why[name])
    if (goes or found["hosts_interrupted"]) and not call["yes"]:
        call.confirm("Continue?", "--yes")
    answer = call.client.operate("site_apply", query={"confirm": list(why) or None}, body=request)
    runs = "state" in answer
    if runs and not call["no_wait"]:
        answer = call.follow(answer)
    call.show(answer, lambda _: call.screen.note(_said(call, runs=runs)))


def _said(call: Call, *, runs: bool) -> str:
    if not runs:
        return "Nothing to change: the appliance already matches the document."
    return (
        "The job is running; `lunette job list` shows it." if call["no_wait"] else "The appliance matches the document."
    )


def why(call: Call) -> None:
    answer = call.client.volume_why(call["volume"], host=call["host"])
    call.show(answer, lambda found: _print_chains(call, found))


def _print_chains(call: Call, answer: JsonObject) -> None:
    for chain in answer["chains"]:
        call.screen.line(f"{answer['volume']} → {chain['host'] or 'no host'}", "bold")
        for link in chain["links"]:
            mark, style = _MARKS[link["state"]]
            call.screen.line(f"  {mark} {link['part']}: {link['words']}", style)
        call.screen.line(f"  {chain['sentence']}")


def difference(call: Call, found: JsonObject) -> None:
    """A plan as a diff: first losses and interruptions, then one line for each change."""
    call.screen.cost(found)
    for change in found["changes"]:
        sign, style = _SIGNS[change["action"]]
        call.screen.line(f"{sign} {change['noun']} {change['name']}: {change['detail']}", style)
    counts = {action: sum(change["action"] == action for change in found["changes"]) for action in _SIGNS}
    words = ", ".join(f"{count} to {action}" for action, count in counts.items() if count)
    call.screen.line(f"{words}." if words else "Nothing to change.")


def _request(call: Call) -> JsonObject:
    """The body of a plan or an apply. Raises UsageError for a file that cannot be read as a document."""
    import yaml

    file = call["file"]
    try:
        site: Any = yaml.safe_load(read_text(file))
    except yaml.YAMLError as error:
        raise UsageError(f"{file} is neither valid YAML nor JSON: {error}") from error
    if not isinstance(site, dict):
        raise UsageError(f"{file} contains no site document, which has sections such as `volumes:`")
    scope = [one.replace("=", "/", 1) for one in call["scope"] or ()]
    return {"site": site, "scope": scope, "destroy": call["destroy"] or []}


def schema(call: Call) -> None:
    """JSON, unless --yaml is given: editors read JSON."""
    call.show(call.client.site_schema_show(), call.screen.json)


COMMANDS = {
    "export": (
        Command(
            "",
            "Exports the appliance as a site document, or the configuration of LIO for targetcli.",
            ("site_show", "site_saveconfig"),
            (
                Param("--output", "File to write instead of standard output.", path=True),
                Param(
                    "--format",
                    "Site document, or saveconfig.json for targetctl and targetcli.",
                    words=("site", "targetcli"),
                    default="site",
                ),
                Param("--secrets", "Include CHAP secrets (targetcli only), which is recorded as an event.", flag=True),
            ),
            export,
        ),
    ),
    "plan": (
        Command(
            "",
            "Shows what applying a site document would change, without changing anything.",
            ("site_plan",),
            (_FILE, _SCOPE, _DESTROY),
            plan,
        ),
    ),
    "apply": (
        Command(
            "",
            "Applies a site document as one job.",
            ("site_plan", "site_apply"),
            (_FILE, _SCOPE, _DESTROY),
            apply,
            interrupts=True,
            more="Applying the same document again changes nothing.",
        ),
    ),
    "inspect": (targetcli.INSPECT,),
    "schema": (
        Command("", "Prints the JSON Schema of site documents, for editors.", ("site_schema_show",), (), schema),
    ),
    "why": (
        Command(
            "",
            operations=("volume_why",),
            params=(
                Param("volume", "Name or ID of the volume.", noun="volume"),
                Param("host", noun="host", optional=True),
            ),
            run=why,
        ),
    ),
}
