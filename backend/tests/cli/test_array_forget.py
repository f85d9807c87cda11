"""`lunette array forget` removes an array that is lost for good, with all that was on it, if its name is confirmed."""

import json
from base64 import b64decode

from sqlalchemy import func, select

from backend.tests.cli.appliance import Cli
from backend.tests.cli.test_array_release import cli
from backend.tests.fakemachine import FakeDisk
from lunette.agent.core import Agent
from lunette.cli import exits
from lunette.domain.sealed_copies import FoundCopy
from lunette.store.backup.tables import unpacked
from lunette.store.resources import Mapping

__all__ = ["cli"]


def lose(cli: Cli) -> list[FakeDisk]:
    """The disks of array tank are pulled, and the appliance restarts without them."""
    disks = [disk for disk in cli.machine.blocks.disks if disk.media.superblock][:2]
    for disk in disks:
        cli.machine.pull(disk)
    cli.machine.reboot()
    cli.machine.advance(600)
    cli.settle()
    return disks


def test_an_array_that_is_lost_is_forgotten_after_its_name_and_never_one_that_works(cli: Cli) -> None:
    assert cli("array", "forget", "tank").code == exits.USAGE
    refused = cli("array", "forget", "tank", "--confirm", "tank")
    assert "so it is not lost: delete its volumes and the array, or release it" in refused.err, refused.transcript
    lose(cli)
    shown = cli("array", "forget", "tank", "--confirm", "tank", "--dry-run")
    assert "attach them instead" in shown.out + shown.err, shown.transcript
    assert json.loads(cli("array", "list", "--json").out)
    done = cli("array", "forget", "tank", "--confirm", "tank")
    assert done.code == exits.OK, done.transcript
    assert json.loads(cli("array", "list", "--json").out) == json.loads(cli("volume", "list", "--json").out) == []
    assert json.loads(cli("mapping", "list", "--json").out) == []


def test_one_whose_disks_come_back_is_rebuilt_from_them_alongside_the_other_arrays(cli: Cli) -> None:
    """Its volume has the identity and the number it had, though the copy on the other array knows neither."""
    free = [disk["id"] for disk in json.loads(cli("disk", "list", "--json").out) if disk["state"] == "free"][:2]
    named = [word for disk in free for word in ("--disk", disk)]
    assert cli("array", "create", "other", "--level", "raid1", *named).code == exits.OK
    wanted = json.loads(cli("volume", "list", "--json").out)[0]["naa"]
    agent = Agent(cli.machine)
    cli.until(lambda: [*map(mappings, agent.read_copies())] == [1, 1])
    disks = lose(cli)
    assert cli("array", "forget", "tank", "--confirm", "tank").code == exits.OK
    cli.settle()
    cli.until(lambda: [*map(mappings, agent.read_copies())] == [0])
    for disk in disks:
        cli.machine.insert(disk)
    cli.machine.advance(60)
    (found,) = json.loads(cli("foreign-array", "list", "--json").out)
    assert (found["next"], found["home_host"]) == ("rebuild", "lunette")
    assert "Host esx1 gets volume db under number 1" in cli("rebuild", "--dry-run").out
    done = cli("rebuild", "--yes")
    assert done.code == exits.OK, done.transcript
    (volume,) = json.loads(cli("volume", "list", "--json").out)
    assert (volume["name"], volume["naa"]) == ("db", wanted)
    cli.until(lambda: agent.bring_up() and states(cli) == ["open"])


def mappings(copy: FoundCopy) -> int | None:
    """So many are in a sealed copy; None for an array that has none yet."""
    if copy.header is None:
        return None
    with unpacked(b64decode(copy.content), copy.header.schema_revision) as (_, engine), engine.connect() as source:
        return source.scalar(select(func.count()).select_from(Mapping))


def states(cli: Cli) -> list[str]:
    """Of the mappings."""
    return [one["state"] for one in json.loads(cli("mapping", "list", "--json").out)]
