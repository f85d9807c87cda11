"""Whose an md array is: the ledger's UUIDs tell, and no name or home host; without a ledger nothing is touched."""

from collections.abc import Sequence
from typing import Any

import pytest

from backend.tests.agent.exports import exports
from backend.tests.providers.rig import Rig
from backend.tests.wiring_agent import PATIENT_S
from lunette.agent.bring_up import shut_down
from lunette.agent.core import Agent
from lunette.agent.ledger import STATE_DIR
from lunette.domain.arrays import ArrayState, Level, ObservedArray
from lunette.domain.errors import ToolFailed
from lunette.domain.exports import ExportSet
from lunette.domain.steps import MdCreate
from lunette.system.system_port import CommandResult

UUID = "5d2f80b4c1e64a979b3377e09f6a1c28"


def by_hand(rig: Rig, name: str, uuid: str = UUID) -> None:
    """An array created elsewhere on a machine called lunette; its name has the host's name in front."""
    words = ["mdadm", "--create", f"/dev/md/{name}", "--run", "--metadata=1.2", f"--uuid={uuid}", "--homehost=lunette"]
    devices = [f"/dev/{disk.kernel_name}" for disk in rig.disks[:2]]
    rig.machine.run([*words, f"--name={name}", "--level=raid1", "--raid-devices=2", "--size=65536", *devices])


def seen(agent: Agent) -> ObservedArray:
    (found,) = agent.observe().arrays
    return found


def served(rig: Rig, create: MdCreate) -> ExportSet:
    return exports(arrays=(rig.export_array(create, rig.group(create)),))


@pytest.mark.parametrize("name", ["0", "pictures", "a1", "a0123456789abc"])
def test_an_array_made_on_a_machine_called_lunette_is_left_alone(name: str) -> None:
    rig = Rig(2)
    by_hand(rig, name)
    assert (seen(rig.agent).ours, seen(rig.agent).marked) == (False, False)
    assert rig.agent.bring_up()
    assert shut_down(rig.machine) == []
    assert seen(rig.agent).state is not ArrayState.MISSING, "it runs on"
    rig.machine.run(["mdadm", "--stop", f"/dev/md/{name}"])
    assert rig.agent.read_copies() == ()
    assert seen(rig.agent).state is ArrayState.MISSING, "a look for sealed copies does not start it"


def test_an_array_is_ours_from_the_ledger_on_and_after_a_restart() -> None:
    rig = Rig()
    create = rig.create()
    rig.do(create)
    rig.do(rig.group(create))
    assert (seen(rig.agent).ours, seen(rig.agent).marked) == (False, True), "no ledger has it yet"
    rig.agent.converge(served(rig, create))
    assert seen(rig.agent).ours
    assert seen(Agent(rig.machine, patience_s=PATIENT_S)).ours


def test_without_its_ledger_the_agent_starts_and_stops_nothing() -> None:
    """As after a new installation, or with disks of another appliance."""
    rig = Rig()
    create = rig.create()
    rig.do(create)
    rig.do(rig.group(create))
    rig.agent.converge(served(rig, create))
    rig.machine.reboot()
    rig.machine.unlink(f"{STATE_DIR}/ledger.json")
    fresh = Agent(rig.machine, patience_s=PATIENT_S)
    assert fresh.bring_up()
    found = seen(fresh)
    assert (found.ours, found.marked, found.state) == (False, True, ArrayState.MISSING)
    assert fresh.converge(served(rig, create)).accepted
    assert seen(fresh).ours, "the database knew it"


def test_an_array_that_cannot_be_read_at_a_shutdown_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be ours: it runs on, and what is said is not that all is down."""
    rig = Rig()
    create = rig.create()
    rig.do(create)
    run = rig.machine.run

    def without_detail(argv: Sequence[str], **options: Any) -> CommandResult:
        if list(argv[:2]) == ["mdadm", "--detail"]:
            raise ToolFailed("mdadm refused (exit code 1); the log has its words")
        return run(argv, **options)

    monkeypatch.setattr(rig.machine, "run", without_detail)
    assert shut_down(rig.machine) == ["array md127: mdadm refused (exit code 1); the log has its words"]


def test_another_array_under_a_mark_is_not_ours_alongside_one_that_is() -> None:
    rig = Rig(6)
    create = rig.create(Level.RAID1, 2)
    rig.do(create)
    rig.do(rig.group(create))
    rig.agent.converge(served(rig, create))
    rig.disks = rig.disks[2:]
    by_hand(rig, "a0123456789ab")
    assert {array.uuid: (array.ours, array.marked) for array in rig.agent.observe().arrays} == {
        create.uuid: (True, True),
        UUID: (False, True),
    }
