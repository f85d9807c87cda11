"""The life of an external array on a whole appliance in one process: its device is lost and comes back, its health
command reports a state, and the appliance reports both."""

import base64
import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.faults.world import World, database_template, give_host
from lunette.domain.agent_protocol import DoStep, ReadCopies, SealCopy
from lunette.domain.array_changes import ArrayPatch
from lunette.domain.arrays import ArrayEngine, ArrayState, Level, ObservedArray
from lunette.domain.errors import Conflict, Invalid, LunetteError
from lunette.domain.exports import ConvergeReport, ServingState
from lunette.domain.sealed_copies import CopyHeader, SealOrder
from lunette.domain.steps import DiskWipe
from lunette.engine.background.watcher import Watcher
from lunette.engine.changes import array_changes
from lunette.engine.context.observing import ObservationCache
from lunette.store.journal import Alert

COMMAND = "/etc/lunette/health.d/probe"


class Life:
    """An array that is the first of three devices, with a volume that a host uses, and a health command."""

    def __init__(self, world: World) -> None:
        self.world, self.machine = world, world.machine
        self.disks = world.machine.add_disks(3)
        self.said = '{"state": "healthy"}\n'
        self.code = 0
        world.machine.files.seed(COMMAND, b"")
        world.machine.files.write_durably(COMMAND, b"", 0o755)
        world.machine.tools.add("probe", lambda argv: (self.code, self.said, ""))
        world.converge()
        outcome = world.create_array(
            "fast", Level.EXTERNAL, self.disks[:1], engine=ArrayEngine.EXTERNAL, health_command="probe"
        )
        world.finish(outcome.job_id or "")
        world.finish(world.create_volumes("fast", "lun").job_id or "")
        give_host(world, "writer", ["lun"])
        world.settle()
        world.machine.write_data(world.device_of("lun"), 0, "written")
        self.now = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)
        self.cache = ObservationCache(world.agent)
        self.watcher = Watcher(world.store, self.cache, lambda: self.now)

    def look(self) -> ObservedArray | None:
        """The health command is asked, and the watcher looks, twice within a minute."""
        self.world.agent.ask_health()
        self.watcher.round(0.0)
        self.now += dt.timedelta(seconds=60)
        self.watcher.round(0.0)
        arrays = self.cache.get(60.0).arrays
        return next((array for array in arrays if array.engine is ArrayEngine.EXTERNAL), None)

    def state(self) -> ArrayState | None:
        found = self.look()
        return found.state if found else None

    def alerts(self) -> list[tuple[str, str]]:
        """Message and cause of those that stand."""
        with self.world.store.read() as tx:
            return [(alert.message, alert.cause) for alert in tx.query(Alert).filter(Alert.resolved_at.is_(None))]

    def report(self) -> ConvergeReport:
        self.world.pass_time(60)
        report = self.world.converge()
        assert report is not None
        return report

    def is_kept(self) -> bool:
        self.world.settle()
        return self.machine.read_data(self.world.device_of("lun"), 0) == "written"


@pytest.fixture
def life(sqlite_template: Path, tmp_path: Path) -> Iterator[Life]:
    world = World(database_template(sqlite_template, tmp_path))
    yield Life(world)
    world.close()


def test_what_the_health_command_says_is_the_arrays_health(life: Life) -> None:
    assert (life.state(), life.alerts()) == (ArrayState.CLEAN, [])
    life.said = '{"state": "degraded", "message": "drive 3 is gone", "members": [{"name": "3", "state": "lost"}]}'
    assert life.state() is ArrayState.DEGRADED
    assert life.alerts() == [("Array fast is degraded", "drive 3 is gone; 3 lost")]
    life.said = '{"state": "rebuilding", "progress_percent": 12.5, "serial": "further fields are passed over"}'
    found = life.look()
    assert found is not None
    assert found.state is ArrayState.REBUILDING
    assert found.progress is not None
    assert found.progress.percent == 12.5
    life.said = '{"state": "healthy"}'
    assert (life.state(), life.alerts()) == (ArrayState.CLEAN, [])


@pytest.mark.parametrize(
    ("said", "code", "why"),
    [
        ("", 0, "it printed 0 lines"),
        ("{}\n{}\n", 0, "it printed 2 lines"),
        ("all is well\n", 0, "Invalid JSON"),
        ('{"state": "fine"}', 0, "state: "),
        ('{"state": "rebuilding", "progress_percent": 200}', 0, "progress_percent: "),
        ('{"state": "healthy"}', 3, "exit code 3"),
        (" " * 70_000, 0, "printed more than 65536 bytes"),
    ],
)
def test_a_command_that_fails_leaves_the_health_unknown_and_says_why(
    life: Life, said: str, code: int, why: str
) -> None:
    life.said, life.code = said, code
    assert life.state() is ArrayState.UNKNOWN
    ((message, cause),) = life.alerts()
    assert message == "Array fast does not report its health"
    assert why in cause
    assert life.is_kept()


@pytest.mark.parametrize("change", ["owner", "mode", "folder", "gone", "not executable"])
def test_a_command_that_others_could_have_written_is_not_run(life: Life, change: str) -> None:
    files = life.machine.files
    match change:
        case "owner":
            files.owners[COMMAND] = 1000
        case "mode":
            files.write_durably(COMMAND, b"", 0o775)
        case "folder":
            files.owners["/etc/lunette/health.d"] = 1000
        case "gone":
            files.unlink(COMMAND)
        case _:
            files.write_durably(COMMAND, b"", 0o644)
    assert life.state() is ArrayState.UNKNOWN
    calls = [call for call in life.machine.faults.calls if call.name == "ask"]
    life.state()
    assert [call for call in life.machine.faults.calls if call.name == "ask"] == calls


def test_a_missing_device_blocks_its_exports_and_returns_under_another_name(life: Life) -> None:
    life.machine.pull(life.disks[0])
    assert life.state() is None
    assert [message for message, _ in life.alerts()] == ["Array fast is missing: its disks are not detected"]
    life.machine.power_cut()
    life.world.agent.kill()
    (target,) = life.report().targets
    assert target.state is ServingState.BLOCKED
    assert "waiting for array fast: its device" in (target.reason or "")
    life.disks[0].kernel_name = "nvme40n1"
    life.machine.insert(life.disks[0])
    assert life.is_kept()
    assert {target.state for target in life.report().targets} == {ServingState.OPEN}
    assert (life.state(), life.alerts()) == (ArrayState.CLEAN, [])


def test_another_device_that_answers_to_the_id_is_left_alone(life: Life) -> None:
    life.machine.power_cut()
    life.world.agent.kill()
    life.disks[0].media.pv = None
    life.machine.changed()
    (target,) = life.report().targets
    assert target.state is ServingState.BLOCKED
    assert "does not contain array fast" in (target.reason or "")
    assert life.disks[0].media.pv is None


def test_the_device_of_an_array_cannot_be_wiped_even_while_no_volume_is_up(life: Life) -> None:
    disk = next(one for one in life.world.control.observation().disks if one.serial == life.disks[0].serial)
    wipe = DiskWipe(disk_id=disk.id, serial=disk.serial, size_bytes=disk.size_bytes, signatures=disk.signatures)
    with pytest.raises(LunetteError, match="belongs to array fast"):
        life.world.agent.ask(DoStep(job_id="job", step=wipe))
    assert life.is_kept()


def test_its_sealed_copy_is_read_by_an_agent_that_knows_nothing(life: Life) -> None:
    (array,) = [a for a in life.world.control.observation().arrays if a.engine is ArrayEngine.EXTERNAL]
    header = CopyHeader(
        generation=7,
        written_at=life.now,
        array_uuid=array.uuid,
        appliance_id="abc",
        appliance="box",
        version="1",
        schema_revision="0013",
    )
    order = SealOrder(group=array.name, header=header, content=base64.b64encode(b"rows").decode())
    assert life.world.agent.ask(SealCopy(order=order)) == 7
    life.machine.power_cut()
    life.world.agent.kill()
    life.machine.files.write_durably("/etc/lvm/devices/system.devices", b"", 0o600)
    (found,) = [copy for copy in life.world.agent.ask(ReadCopies()) if copy.array_uuid == array.uuid]
    assert found.header is not None
    assert (found.header.generation, base64.b64decode(found.content)) == (7, b"rows")


def test_a_device_that_has_grown_is_reported(life: Life) -> None:
    life.disks[0].media.size_bytes *= 2
    life.machine.changed()
    life.look()
    ((message, _),) = life.alerts()
    assert message.startswith("The device of array fast has grown from ")
    assert life.is_kept()


def test_a_health_command_that_is_not_there_is_refused_with_those_that_are(life: Life) -> None:
    with pytest.raises(Invalid) as caught:
        life.world.create_array(
            "more", Level.EXTERNAL, life.disks[1:2], engine=ArrayEngine.EXTERNAL, health_command="other"
        )
    assert "offers these health commands: probe" in caught.value.errors[0].message


def test_the_health_command_is_changed_and_taken_away(life: Life) -> None:
    life.said = '{"state": "degraded"}'
    assert life.state() is ArrayState.DEGRADED
    life.world.change_array("fast", array_changes.patch, ArrayPatch(health_command=None))
    life.world.settle()
    assert (life.state(), life.alerts()) == (ArrayState.UNKNOWN, [])
    life.world.change_array("fast", array_changes.patch, ArrayPatch(health_command="gone"))
    life.world.settle()
    assert life.state() is ArrayState.UNKNOWN
    ((_, cause),) = life.alerts()
    assert cause.startswith("health command gone: it does not exist in /etc/lunette/health.d or ")


def test_a_device_of_an_array_is_not_taken_twice(life: Life) -> None:
    with pytest.raises(LunetteError) as caught:
        life.world.create_array("again", Level.EXTERNAL, life.disks[:1], life.disks[:1], engine=ArrayEngine.EXTERNAL)
    assert isinstance(caught.value, Conflict)
    assert "belongs to array fast" in caught.value.detail + str(caught.value.errors)
