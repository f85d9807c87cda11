"""The agent sets the host name that the settings specify, and corrects it."""

import pytest

from backend.tests.agent.exports import exports
from backend.tests.fakemachine import FakeSystem
from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.agent.host_name import KERNEL, STORED


@pytest.fixture
def machine() -> FakeSystem:
    made = FakeSystem()
    serving.prepare(made)
    return made


def names(machine: FakeSystem) -> tuple[str, bytes | None]:
    """The host name now, and the file that gives the one of the next start."""
    return machine.hostname, machine.read_file(STORED)


def test_a_host_name_is_set_stored_and_corrected(machine: FakeSystem) -> None:
    agent = Agent(machine)
    agent.converge(exports().model_copy(update={"host_name": "san-1"}))
    assert names(machine) == ("san-1", b"san-1\n")
    machine.hostname = "other"
    machine.write_durably(STORED, b"other\n")
    agent.bring_up()
    assert names(machine) == ("san-1", b"san-1\n")
    changes = [call for call in machine.faults.calls if call.changes and call.detail in (KERNEL, STORED)]
    agent.bring_up()
    assert [call for call in machine.faults.calls if call.changes and call.detail in (KERNEL, STORED)] == changes


def test_a_host_name_that_no_setting_specifies_is_left_as_it_is(machine: FakeSystem) -> None:
    before = names(machine)
    Agent(machine).converge(exports())
    assert names(machine) == before


def test_a_host_name_that_cannot_be_set_is_logged_once_and_serving_continues(
    machine: FakeSystem, caplog: pytest.LogCaptureFixture
) -> None:
    machine.faults.break_calls(lambda call: call.detail == KERNEL and call.changes)
    agent = Agent(machine)
    report = agent.converge(exports().model_copy(update={"host_name": "san-1"}))
    agent.bring_up()
    assert report.generation == exports().generation
    assert [one.getMessage().partition(":")[0] for one in caplog.records if "host name" in one.getMessage()] == [
        "the host name could not be set to san-1"
    ]
