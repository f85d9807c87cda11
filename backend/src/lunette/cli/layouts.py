"""`lunette array layouts`: what could be built of given disks."""

from typing import Annotated

import typer

from lunette.cli import show
from lunette.cli.commands import AsJson, connect, group

_COLUMNS = ("engine", "level", "usable_bytes", "usable_percent", "survives_disks", "small_write_ios", "min_rebuild_s",
            "write_hole", "problem")  # fmt: skip


def register_layouts() -> None:
    """Adds the command to the noun `array`."""
    group("array", "Arrays of the appliance.").command("layouts")(layouts)


def layouts(
    disk: Annotated[list[str], typer.Option(help="Stable disk id; repeat for each disk.")],
    block: Annotated[int | None, typer.Option(help="Block size of volumes the ZFS figures are for, in bytes.")] = None,
    as_json: AsJson = False,
) -> None:
    """Shows every level of every engine that is possible with these disks."""
    with connect() as client:
        answer = client.get("/arrays/layouts", disks=disk, **({} if block is None else {"block_bytes": block}))
    if as_json:
        show.as_json(answer)
        return
    show.table(answer["layouts"], _COLUMNS)
    for found in answer["disks"]:
        if found["problem"]:
            show.err.print(f"disk {found['id']}: {found['problem']}", style="yellow", markup=False)
