import json

import pytest
from cryptography.fernet import Fernet

from backend.tests.agent.exports import CHAP, exports, initiator, lun, target, volume
from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.faults import Call
from lunette.agent.ledger import STATE_DIR, Broken, Ledger

SERVED = exports(volumes=(volume(11),), targets=(target(31, [initiator(41, CHAP)], [lun(51, 1, 11)]),))
PATH = f"{STATE_DIR}/ledger.json"


@pytest.fixture
def machine() -> FakeSystem:
    return FakeSystem()


def test_there_is_no_ledger_at_first(machine: FakeSystem) -> None:
    assert Ledger(machine).load() is None


def test_what_was_stored_is_restored_completely_with_its_secrets(machine: FakeSystem) -> None:
    Ledger(machine).save(SERVED)
    machine.power_cut()
    assert Ledger(machine).load() == SERVED


def test_secrets_are_sealed(machine: FakeSystem) -> None:
    Ledger(machine).save(SERVED)
    sealed = machine.read_file(PATH)
    assert sealed is not None
    assert b"secretsecret1" not in sealed
    assert b"iqn." not in sealed


@pytest.mark.parametrize("damage", ["rubbish", "another key", "no key"])
def test_an_unreadable_ledger_is_not_an_empty_ledger(machine: FakeSystem, damage: str) -> None:
    Ledger(machine).save(SERVED)
    if damage == "rubbish":
        machine.write_durably(PATH, b"rubbish")
    elif damage == "another key":
        machine.write_durably(f"{STATE_DIR}/ledger.key", b"0" * 43 + b"=")
    else:
        machine.unlink(f"{STATE_DIR}/ledger.key")
    with pytest.raises(Broken):
        Ledger(machine).load()


def test_a_broken_ledger_is_retained_for_inspection(machine: FakeSystem) -> None:
    machine.write_durably(PATH, b"rubbish")
    ledger = Ledger(machine)
    ledger.set_aside()
    assert machine.read_file(f"{PATH}.broken") == b"rubbish"
    assert ledger.load() is None


def test_a_ledger_that_cannot_be_written_is_outdated_until_the_next_that_can(machine: FakeSystem) -> None:
    ledger = Ledger(machine)
    ledger.save(SERVED)
    machine.faults.break_calls(lambda call: call.name == "write_durably")
    for generation in (2, 3):
        ledger.save(SERVED.model_copy(update={"generation": generation}))
        assert ledger.unkept == "the boot ledger cannot be written (injected by the test)"
        machine.power_cut()
        after = Ledger(machine)
        assert after.load() == SERVED
        assert (after.holds_back, after.unkept) == (True, "the boot ledger is outdated")
    machine.faults.disarm()
    newest = SERVED.model_copy(update={"generation": 4})
    after.save(newest)
    machine.power_cut()
    again = Ledger(machine)
    assert again.load() == newest
    assert (after.holds_back, after.unkept, again.holds_back, again.unkept) == (False, None, False, None)
    assert machine.listdir(STATE_DIR) == [".keep", "ledger.json", "ledger.key"]


@pytest.mark.parametrize("crash", [1, 2])
def test_a_ledger_that_was_written_wins_over_an_outdated_one(machine: FakeSystem, crash: int) -> None:
    """The power goes after the new one was written, or after the old one was removed."""
    ledger = Ledger(machine)
    ledger.save(SERVED)
    machine.faults.break_calls(lambda call: call.name == "write_durably")
    ledger.save(SERVED.model_copy(update={"generation": 2}))
    machine.faults.disarm()
    newest = SERVED.model_copy(update={"generation": 3})
    changes = 0

    def is_over(call: Call) -> bool:
        nonlocal changes
        changes += call.changes
        return changes > crash

    machine.faults.break_calls(is_over)
    ledger.save(newest)
    machine.faults.disarm()
    machine.power_cut()
    after = Ledger(machine)
    assert (after.load(), after.holds_back) == (newest, False)


def test_an_outdated_ledger_that_is_broken_is_set_aside_too(machine: FakeSystem) -> None:
    machine.write_durably(f"{PATH}.outdated", b"rubbish")
    ledger = Ledger(machine)
    with pytest.raises(Broken):
        ledger.load()
    ledger.set_aside()
    assert machine.read_file(f"{PATH}.broken") == b"rubbish"
    assert Ledger(machine).load() is None


def test_a_ledger_of_an_agent_without_deadlines_waits_forever(machine: FakeSystem) -> None:
    ledger = Ledger(machine)
    ledger.save(SERVED)
    key = machine.read_file(f"{STATE_DIR}/ledger.key")
    assert key is not None
    document = json.loads(Fernet(key).decrypt(machine.files.read(PATH)))
    del document["exports"]["targets"][0]["opens_without_missing_after_s"]
    machine.write_durably(PATH, Fernet(key).encrypt(json.dumps(document).encode()))
    assert ledger.load() == SERVED
    assert SERVED.targets[0].opens_without_missing_after_s is None


def test_a_ledger_of_a_newer_agent_serves_what_is_known_of_it(machine: FakeSystem) -> None:
    """After an update that failed; what must not be served without being understood has another format."""
    ledger = Ledger(machine)
    ledger.save(SERVED)
    key = machine.read_file(f"{STATE_DIR}/ledger.key")
    assert key is not None
    document = json.loads(Fernet(key).decrypt(machine.files.read(PATH)))
    document["exports"]["colour"] = "red"
    document["exports"]["targets"][0]["luns"][0]["shelf"] = {"name": "left"}
    machine.write_durably(PATH, Fernet(key).encrypt(json.dumps(document).encode()))
    assert ledger.load() == SERVED
    document["format"] = 2
    machine.write_durably(PATH, Fernet(key).encrypt(json.dumps(document).encode()))
    with pytest.raises(Broken, match="format 2"):
        ledger.load()
