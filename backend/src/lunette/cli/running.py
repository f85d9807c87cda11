"""Runs commands that are one operation of the API: list, show, delete, send."""

from collections.abc import Mapping, Sequence
from typing import Any

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.spec import JsonObject, Param
from lunette.client.generated.operations import OPERATIONS


def run(call: Call) -> None:
    """Runs a command by its own function, or by the kind of its operation."""
    if call.command.run is not None:
        call.command.run(call)
        return
    operation = call.command.operation
    if operation.is_list:
        list_items(call)
    elif operation.method == "GET":
        call.show(call.client.operate(call.command.operations[0], path_of(call), query_of(call)))
    elif operation.method == "DELETE":
        delete(call)
    elif operation.method == "PATCH":
        send(call, changes_of(call))
    else:
        send(call, body_of(call))


def path_of(call: Call, operation_id: str = "") -> dict[str, str]:
    """The values of the operation's path parameters."""
    operation = OPERATIONS[operation_id] if operation_id else call.command.operation
    return {name: call[name] for name in operation.parameters}


def query_of(call: Call) -> JsonObject:
    """The given filters."""
    return {name: call[name] for name in call.command.operation.query if call[name] is not None}


def body_of(call: Call) -> JsonObject:
    """The request's body: each given parameter under the name of its field."""
    body: JsonObject = {}
    for param in call.command.params:
        value = call[param.key]
        if param.key in call.command.operation.parameters or value is None or (param.flag and not value):
            continue
        *outer, field = (param.field or param.key).split(".")
        place = body
        for name in outer:
            place = place.setdefault(name, {})
        place[field] = _value(call, param)
    return body


def changes_of(call: Call) -> JsonObject:
    """The same for a change of fields. Raises UsageError without any."""
    body = body_of(call)
    if not body:
        raise UsageError("Nothing to change: specify at least one option")
    return body


def _value(call: Call, param: Param) -> Any:
    value = call[param.key]
    if param.repeats:
        repeated = call[param.repeats]
        return repeated if isinstance(repeated, list) else [repeated]
    if param.flag:
        return param.sets
    if param.null and value in (param.null, [param.null]):
        return None
    if param.file:
        return call.secret(param.key)
    return value * param.factor if param.factor != 1 else value


def list_items(call: Call) -> None:
    """A table of the items with the requested columns."""
    columns = call["columns"].split(",") if call["columns"] else call.command.columns
    found = list(call.client.pages(call.command.operations[0], query_of(call), call["limit"]))
    call.show(found, lambda items: call.screen.table(items, columns))


def delete(call: Call) -> None:
    """Deletes one or several, after confirmation if data is lost or hosts are interrupted."""
    (noun,) = call.command.operation.parameters
    done, words = "Erased" if call.command.name == "erase" else "Deleted", noun.replace("_", " ").replace("fc ", "FC ")
    named = call[noun] if isinstance(call[noun], list) else [call[noun]]
    if len(named) > 1:
        several(call, named, f"{done} {len(named)} {words}s.")
        return
    call.values = {**call.values, noun: named[0]}
    change(call, None, f"{done} {words} {named[0]}.")


def several(call: Call, named: Sequence[str], done: str = "") -> None:
    """Deletes, or does what the command does, for several objects in one plan."""
    single, batch = call.command.operations
    (noun,) = OPERATIONS[single].parameters
    call.values = {**call.values, noun: f"{len(named)} {noun.replace('_', ' ')}s"}
    cascade = {"cascade": True} if call.command.cascades and call["cascade"] else {}
    change(call, {f"{noun}s": list(named), **cascade}, done, batch)


def send(call: Call, body: JsonObject, operation_id: str = "") -> None:
    """Sends a request: asks first if it destroys data, then shows the plan, follows the job, or shows the result."""
    change(call, body, operation_id=operation_id)


def change(call: Call, body: JsonObject | None, done: str = "", operation_id: str = "") -> None:
    """Runs an operation that changes something; what it destroys or interrupts is shown and confirmed first."""
    name = operation_id or call.command.operations[0]
    path = path_of(call, name)
    query: JsonObject = {"cascade": True} if "cascade" in OPERATIONS[name].query and call["cascade"] else {}
    asks = call.command.destroys or call.command.interrupts or call.command.takes_volumes
    if not call.dry_run and asks:
        query |= ask_first(call, call.client.operate(name, path, query, body, dry_run=True))
    dry_run = call.dry_run and OPERATIONS[name].dry_run
    call.outcome(call.client.operate(name, path, query, body, dry_run=dry_run), done)


def ask_first(call: Call, plan: JsonObject) -> JsonObject:
    """Shows a plan and asks: for the name if data is lost, a volume is in use or had the number; for a yes if hosts
    are interrupted.

    Returns the query with the consent. Raises NotConfirmed, and UsageError without a terminal.
    """
    why = reasons(plan)
    if call.command.destroys and call["yes_destroy"] is None:
        _show_to_person(call, plan)
        call.confirm_name(call[call.command.destroys])
    elif call.command.destroys:
        call.confirm_name(call[call.command.destroys])
    elif why:
        confirm_volumes(call, plan, why)
    elif plan["hosts_interrupted"] and not call["yes"]:
        _show_to_person(call, plan)
        call.confirm(f"This interrupts {', '.join(plan['hosts_interrupted'])}. Continue?", "--yes")
    return {"confirm": list(why)} if why else {}


def reasons(plan: JsonObject) -> dict[str, str]:
    """By the name of a volume, why the change requires that name."""
    busy = {volume["name"]: f"Hosts are using volume {volume['name']}" for volume in plan["volumes"] if volume["busy"]}
    return busy | {
        one["former"]: f"Hosts may still associate {one['number']} of {one['owner']} with volume {one['former']}"
        for one in plan["reused"]
    }


def confirm_volumes(call: Call, plan: JsonObject, why: Mapping[str, str]) -> None:
    """Requires typing the name of each volume in `why`, unless --confirm gave it."""
    missing = [name for name in why if name not in (call["confirm"] or ())]
    if missing and call.screen.can_ask:
        _show_to_person(call, plan)
    for name in missing:
        call.confirm_volume(name, why[name])


def _show_to_person(call: Call, plan: JsonObject) -> None:
    """On the terminal of the question, not among the results."""
    if call.screen.can_ask:
        call.screen.on_stderr().plan(plan)
