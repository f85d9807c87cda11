"""What can be done with a Fibre Channel port that is managed."""

from typing import Annotated

import typer

from lunette.cli import show
from lunette.cli.commands import AsJson, DryRun, connect, group
from lunette.cli.list_show_delete import Item, print_plan


def register_fc_ports() -> None:
    """Adds the command to the noun."""
    group("fc-port", "Fibre Channel ports of the appliance.").command("set")(set_)


def set_(
    item: Item,
    mode: Annotated[str, typer.Option(help="target, initiator or disabled.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Makes a port a target, an initiator, or neither."""
    with connect() as client:
        answer = client.patch(f"/fc-ports/{item}", {"mode": mode}, dry_run=dry_run)
    if dry_run:
        print_plan(answer, as_json)
    elif as_json:
        show.as_json(answer)
    else:
        show.resource(answer)
