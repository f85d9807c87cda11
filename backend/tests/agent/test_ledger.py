import json

import pytest
from cryptography.fernet import Fernet

from backend.tests.agent.exports import CHAP, exports, initiator, lun, target, volume
from backend.tests.fakemachine import Crash, FakeSystem, When
from backend.tests.fakemachine.faults import Call
from lunette.agent.ledger import STATE_DIR, Broken, Ledger
from lunette.domain.exports import ExportSet

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


ODD: tuple[object, ...] = (
    [],
    None,
    7,
    "x",
    {"format": []},
    {"format": 3},
    {"format": 3, "exports": []},
    {"format": 3, "exports": None},
)


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
def test_what_is_sealed_and_no_document_is_broken(machine: FakeSystem, odd: object) -> None:
    ledger = Ledger(machine)
    ledger.save(SERVED)
    key = machine.files.read(f"{STATE_DIR}/ledger.key")
    machine.write_durably(PATH, Fernet(key).encrypt(json.dumps(odd).encode()))
    with pytest.raises(Broken):
        ledger.load()


@pytest.mark.parametrize(
    "odd", [[], None, 7, {"base": 1}, {"id": "?"}, {"id": "?", "base": 1, "change": []}], ids=json.dumps
)
def test_a_line_that_is_sealed_and_no_change_is_broken(machine: FakeSystem, odd: object) -> None:
    Ledger(machine).save(SERVED)
    key = machine.files.read(f"{STATE_DIR}/ledger.key")
    written = json.loads(Fernet(key).decrypt(machine.files.read(PATH)))
    if isinstance(odd, dict) and "id" in odd:
        odd = {**odd, "id": written["id"]}
    machine.write_durably(f"{STATE_DIR}/ledger.log", Fernet(key).encrypt(json.dumps(odd).encode()) + b"\n")
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
    document["format"] = 4
    machine.write_durably(PATH, Fernet(key).encrypt(json.dumps(document).encode()))
    with pytest.raises(Broken, match="format 4"):
        ledger.load()


LOG = f"{STATE_DIR}/ledger.log"


def document(generation: int, *numbers: int) -> ExportSet:
    """One target with these volumes."""
    luns = [lun(50 + number, number, number) for number in numbers]
    targets = (target(31, [initiator(41, CHAP)], luns),) if luns else ()
    return exports(generation=generation, volumes=tuple(map(volume, numbers)), targets=targets)


def stored(machine: FakeSystem) -> ExportSet | None:
    machine.power_cut()
    return Ledger(machine).load()


def test_changes_are_appended_and_restored_without_a_secret_in_sight(machine: FakeSystem) -> None:
    ledger = Ledger(machine)
    ledger.save(document(1, 11), None)
    whole = machine.files.read(PATH)
    before = document(1, 11)
    for after in (document(2, 11, 12), document(3, 12), document(4), document(5, 11)):
        ledger.save(after, before)
        assert stored(machine) == after
        before = after
    assert machine.files.read(PATH) == whole, "the document was not written again"
    assert b"secretsecret1" not in machine.files.read(LOG)
    again = Ledger(machine)
    again.load()
    again.save(document(6, 11, 13), before)
    assert machine.files.read(PATH) == whole, "a restarted agent continues the log"
    assert stored(machine) == document(6, 11, 13)


def test_a_long_log_becomes_a_document(machine: FakeSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lunette.agent.ledger.LONGEST_LOG", 10_000)
    ledger = Ledger(machine)
    before = document(1, 11)
    ledger.save(before)
    longest = 0
    for generation in range(2, 60):
        after = document(generation, 11 + generation % 5)
        ledger.save(after, before)
        before = after
        longest = max(longest, len(machine.read_file(LOG) or b""))
        assert stored(machine) == after
    assert 10_000 < longest < 20_000


@pytest.mark.parametrize("when", list(When))
def test_a_crash_at_any_point_leaves_the_last_document_or_the_one_that_was_being_stored(when: When) -> None:
    """Through a change, one that makes a long log a document, and one that no change can say."""
    steps = [document(2, 11, 12), document(3, 12), document(4, 12).model_copy(update={"disk_health_s": 7}), document(5)]
    for at in range(1, 40):
        machine = FakeSystem()
        ledger = Ledger(machine)
        acknowledged = document(1, 11)
        ledger.save(acknowledged)
        machine.faults.crash_at(len(machine.faults.calls) + at, when)
        asked = acknowledged
        try:
            for asked in steps:
                ledger.save(asked, acknowledged)
                acknowledged = asked
        except Crash:
            machine.faults.restart_process()
        machine.faults.disarm()
        found = stored(machine)
        assert found in (acknowledged, asked)
        after = Ledger(machine)
        assert after.load() == found
        after.save(document(9, 13), found)
        assert stored(machine) == document(9, 13)


def test_a_log_that_cannot_be_continued_is_replaced_by_a_document(machine: FakeSystem) -> None:
    ledger = Ledger(machine)
    ledger.save(document(1, 11))
    machine.faults.break_calls(lambda call: call.name == "append_durably")
    ledger.save(document(2, 12), document(1, 11))
    machine.faults.disarm()
    assert (ledger.unkept, stored(machine)) == (None, document(2, 12))


def test_a_log_beside_another_document_is_ignored(machine: FakeSystem) -> None:
    ledger = Ledger(machine)
    ledger.save(document(1, 11))
    ledger.save(document(2, 12), document(1, 11))
    line = machine.files.read(LOG)
    ledger.save(document(1, 13))
    machine.write_durably(LOG, line)
    assert stored(machine) == document(1, 13)


def test_a_damaged_or_missing_change_makes_the_ledger_unreadable(machine: FakeSystem) -> None:
    ledger = Ledger(machine)
    ledger.save(document(1, 11))
    ledger.save(document(2, 12), document(1, 11))
    ledger.save(document(3, 13), document(2, 12))
    first, second, _ = machine.files.read(LOG).split(b"\n")
    for lines in (second + b"\n", first[:-9] + b"\n" + second + b"\n"):
        machine.write_durably(LOG, lines)
        with pytest.raises(Broken):
            Ledger(machine).load()


def test_an_agent_of_before_does_not_serve_a_document_without_its_log(machine: FakeSystem) -> None:
    Ledger(machine).save(document(1, 11))
    key = machine.read_file(f"{STATE_DIR}/ledger.key")
    assert key is not None
    assert json.loads(Fernet(key).decrypt(machine.files.read(PATH)))["format"] == 3


def test_a_document_of_an_agent_of_before_is_read(machine: FakeSystem) -> None:
    ledger = Ledger(machine)
    ledger.save(document(1, 11))
    key = machine.read_file(f"{STATE_DIR}/ledger.key")
    assert key is not None
    old = json.loads(Fernet(key).decrypt(machine.files.read(PATH)))
    machine.write_durably(PATH, Fernet(key).encrypt(json.dumps({"format": 1, "exports": old["exports"]}).encode()))
    after = Ledger(machine)
    assert after.load() == document(1, 11)
    after.save(document(2, 12), document(1, 11))
    assert stored(machine) == document(2, 12)
