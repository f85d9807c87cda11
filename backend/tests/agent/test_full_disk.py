"""What the agent serves while its boot ledger cannot be written, and what comes back after a restart."""

from pathlib import Path

import pytest

from backend.tests.agent.exports import id_of, portal
from backend.tests.agent.test_core import Store
from backend.tests.providers.rig import VOLUME_ID
from lunette.agent import main
from lunette.agent.ledger import STATE_DIR
from lunette.domain.errors import Unavailable
from lunette.domain.exports import Release, ReleaseKind
from lunette.providers.exports.lio.converge import exported_volumes
from lunette.providers.updates import record

LEDGER = f"{STATE_DIR}/ledger.json"


@pytest.fixture
def store() -> Store:
    """A machine that serves one volume to one host, and whose system drive is full by now."""
    made = Store()
    made.machine.faults.break_calls(lambda call: call.name.endswith("_durably"))
    return made


def released(generation: int) -> tuple[Release, ...]:
    return (
        Release(kind=ReleaseKind.TARGET, id=id_of(31), generation=generation),
        Release(kind=ReleaseKind.VOLUME, id=VOLUME_ID, generation=generation),
    )


def test_a_volume_is_taken_from_its_host_though_the_ledger_cannot_be_written(store: Store) -> None:
    report = store.unmap()
    assert exported_volumes(store.machine) == frozenset()
    assert (report.accepted, report.unkept) == (True, "the boot ledger cannot be written (injected by the test)")


@pytest.mark.parametrize("ending", ["restart", "reboot", "power cut"])
def test_what_was_taken_away_does_not_come_back_with_the_older_ledger(store: Store, ending: str) -> None:
    store.unmap()
    if ending == "power cut":
        store.machine.power_cut()
    store.restart() if ending == "restart" else store.reboot()
    assert not store.agent.bring_up()
    assert exported_volumes(store.machine) == frozenset()
    report = store.agent.converge(store.desired(2, volumes=(), targets=(), released=released(2)))
    assert report.accepted
    assert report.unkept
    assert report.unexplained == ()
    assert exported_volumes(store.machine) == frozenset()
    assert store.agent.bring_up()


def test_a_host_that_keeps_its_volume_does_not_lose_it_when_the_agent_starts_again(store: Store) -> None:
    desired = store.desired(2, portals=(portal(21), portal(22, address="192.0.2.7")))
    assert store.agent.converge(desired).unkept
    store.restart()
    store.agent.bring_up()
    assert exported_volumes(store.machine) == {VOLUME_ID}
    before = len(store.machine.faults.calls)
    store.agent.converge(desired)
    changed = [call for call in store.machine.faults.calls[before:] if call.changes and "configfs" in call.detail]
    assert [call for call in changed if call.name in ("rmdir", "unlink")] == []


def test_after_a_reboot_the_next_document_opens_the_exports(store: Store) -> None:
    assert store.agent.converge(store.desired(2)).unkept
    store.reboot()
    assert not store.agent.bring_up()
    assert exported_volumes(store.machine) == frozenset()
    assert store.agent.converge(store.desired(2)).accepted
    assert exported_volumes(store.machine) == {VOLUME_ID}


def test_the_ledger_is_written_as_soon_as_there_is_room_though_nothing_changes(store: Store) -> None:
    store.unmap()
    store.machine.faults.disarm()
    report = store.agent.converge(store.desired(2, volumes=(), targets=(), released=released(2)))
    assert report.unkept is None
    store.reboot()
    assert store.agent.bring_up()
    assert store.agent.hello().ledger_generation == 2
    assert exported_volumes(store.machine) == frozenset()


def test_an_outdated_ledger_is_not_opened_for_a_document_that_is_older_still(store: Store) -> None:
    store.unmap()
    store.reboot()
    with pytest.raises(Unavailable, match=r"the boot ledger is outdated.*the database is older"):
        store.agent.converge(store.desired(0))
    assert not store.agent.bring_up()
    assert exported_volumes(store.machine) == frozenset()


def test_a_shutdown_closes_the_exports_though_their_end_cannot_be_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_system: object) -> None:
        raise OSError(28, "No space left on device")

    closed = []

    def close(_system: object, served: object) -> list[str]:
        closed.append(served)
        return []

    monkeypatch.setattr(record, "exports_closed", refuse)
    monkeypatch.setattr(main, "shut_down", close)
    monkeypatch.setattr(main, "_log_to_stderr", lambda: None)
    assert main.main(["shutdown", "--state-dir", str(tmp_path)]) == 0
    assert closed == [None]
