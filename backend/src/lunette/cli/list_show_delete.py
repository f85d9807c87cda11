"""`list`, `show` and `delete` of every noun, made from the table in nouns.py."""

from collections.abc import Callable
from typing import Annotated

import typer

from lunette.cli import show
from lunette.cli.client import Client, JsonObject
from lunette.cli.commands import AsJson, DryRun, connect, group
from lunette.cli.nouns import NOUNS, Noun

Item = Annotated[str, typer.Argument(help="Its name or id.")]
Sort = Annotated[str | None, typer.Option(help="Field to sort by; -field for descending.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for the name before data is destroyed.")]


def register_nouns() -> None:
    """Adds the commands of every noun to its group."""
    for noun in NOUNS:
        commands = group(noun.command, f"{noun.command.capitalize()}s of the appliance.")
        commands.command("list")(_list(noun))
        if noun.can_show:
            commands.command("show")(_show(noun))
        if noun.can_delete:
            commands.command("delete")(_delete(noun))


def _list(noun: Noun) -> Callable[..., None]:
    def print_items(params: JsonObject, as_json: bool) -> None:
        with connect() as client:
            items = list(client.list(noun.path, **params))
            unseen = client.get(noun.path, **params)["unseen"] if noun.may_hide else []
        if as_json:
            show.as_json(items)
        else:
            show.table(items, noun.columns)
        for one in unseen:
            show.err.print(f"Not listed: {one['family']} {noun.command}s. {one['reason']}", markup=False)

    def list_named(
        name: Annotated[str | None, typer.Option(help="Only names that match, such as 'lun*'.")] = None,
        sort: Sort = None,
        as_json: AsJson = False,
    ) -> None:
        print_items({"name": name, "sort": sort}, as_json)

    def list_all(sort: Sort = None, as_json: AsJson = False) -> None:
        print_items({"sort": sort}, as_json)

    chosen = list_named if noun.by_name else list_all
    chosen.__doc__ = f"Lists {noun.command}s."
    return chosen


def _show(noun: Noun) -> Callable[..., None]:
    def show_item(item: Item, as_json: AsJson = False) -> None:
        with connect() as client:
            found = client.get(f"{noun.path}/{item}")
        if as_json:
            show.as_json(found)
        else:
            show.resource(found)

    show_item.__doc__ = f"Shows one {noun.command}."
    return show_item


def _delete(noun: Noun) -> Callable[..., None]:
    def delete_item(item: Item, dry_run: DryRun = False, yes: Yes = False, as_json: AsJson = False) -> None:
        with connect() as client:
            if dry_run:
                print_plan(client.delete(f"{noun.path}/{item}", dry_run=True), as_json)
                return
            if noun.destroys and not yes:
                _confirm(client, noun, item)
            answer = client.delete(f"{noun.path}/{item}")
            if "steps" in answer and "state" in answer:
                answer = show.follow(client, answer)
        if as_json:
            show.as_json(answer)
        else:
            show.err.print(f"{noun.command} {item} is deleted.", markup=False)

    delete_item.__doc__ = f"Deletes one {noun.command}."
    return delete_item


def _confirm(client: Client, noun: Noun, item: str) -> None:
    """Shows the plan and asks for the name, as the web page does."""
    show.plan(client.delete(f"{noun.path}/{item}", dry_run=True))
    if typer.prompt(f"Type {item} to go on", err=True) != item:
        show.err.print("That is another name: nothing was changed.")
        raise typer.Exit(1)


def print_plan(plan: JsonObject, as_json: bool) -> None:
    if as_json:
        show.as_json(plan)
    else:
        show.plan(plan)
