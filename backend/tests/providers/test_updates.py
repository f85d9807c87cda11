"""Slots, the choice that GRUB reads, bundles, and what becomes of a new system at its first start."""

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.faults import Crash, When
from backend.tests.fakemachine.slots import FakeSlots, bundle
from lunette.domain.errors import Conflict, Invalid, LunetteError, NotFound, ToolFailed
from lunette.domain.steps import SlotStart, SlotWrite
from lunette.domain.updates import TrialState, is_older
from lunette.providers.updates import efi, rauc, record, run, trial
from lunette.providers.updates.choice import BLOCK_BYTES, SECTOR_BYTES, Choice, latest
from lunette.providers.updates.slots import Slots, find

BUNDLE = "0" * 32
WRITE = SlotWrite(bundle_id=BUNDLE, slot="b", version="2.0", replaces=None)
START = SlotStart(trial_id="t1", slot="b", version="2.0")
TARGETS = ("iqn.2026-01.example:one",)


def appliance(disks: int = 1) -> tuple[FakeSystem, FakeSlots]:
    """An installed one that runs slot a, with the bundle of version 2.0 uploaded."""
    system = FakeSystem()
    system.slots = FakeSlots(system, disks)
    upload(system, bundle("2.0"))
    return system, system.slots


def upload(system: FakeSystem, content: bytes) -> None:
    system.files.seed(f"{rauc.BUNDLES}/{BUNDLE}.raucb", content)


def slots_of(system: FakeSystem) -> Slots:
    found = find(system)
    assert found is not None
    return found


def choice_of(system: FakeSystem) -> Choice:
    return efi.read(system, slots_of(system))


def update(system: FakeSystem) -> None:
    """Write, choose and restart, to where the next system starts."""
    run.write(system, WRITE)
    with pytest.raises(Crash):
        run.start(system, START, lambda: TARGETS)
    system.reboot()


def healthy(system: FakeSystem) -> str | None:
    """The trial of this start, with all doors open."""
    due = trial.due(system, slots_of(system))
    assert due is not None
    return trial.watch(system, slots_of(system), due, lambda: None)


def test_the_agent_writes_an_older_version_only_if_the_step_says_so() -> None:
    """The API has been asked, but it may have been taken over: this at least is in the journal of the job."""
    system, _ = appliance()
    upload(system, bundle("0.0.1"))
    older = WRITE.model_copy(update={"version": "0.0.1"})
    with pytest.raises(Conflict, match="the running version"):
        run.write(system, older)
    assert slots_of(system).running == "a"
    assert record.versions(system, slots_of(system))[1] is None
    assert run.write(system, older.model_copy(update={"downgrade": True})) == "slot b has version 0.0.1"


def test_versions_are_in_the_order_of_debian() -> None:
    ordered = ["0.9", "1.0~rc1", "1.0", "1.0a", "1.0+git2", "1.0+git10", "1.0.1", "1.2", "1.10", "2"]
    for number, one in enumerate(ordered):
        assert not is_older(one, one)
        assert all(is_older(before, one) and not is_older(one, before) for before in ordered[:number])


@pytest.mark.parametrize("choice", [Choice(), Choice(good="b", trial="a", tried="b", count=12345)])
def test_a_choice_reads_as_it_was_written_and_lies_in_one_sector(choice: Choice) -> None:
    block = choice.encode()
    assert len(block) == BLOCK_BYTES
    assert set(block[SECTOR_BYTES:]) == {ord("#")}, "a drive writes one sector whole or not at all"
    assert Choice.decode(block) == choice


@pytest.mark.parametrize("block", [b"", b"#" * 1024, Choice().encode()[1:], Choice().encode().replace(b"=a", b"=c")])
def test_an_invalid_choice_is_not_accepted(block: bytes) -> None:
    assert Choice.decode(block) is None
    assert latest([Choice.decode(block)]) == Choice()
    assert latest([None, Choice(good="b", count=3)]).good == "b"


def test_a_choice_that_is_cut_off_reads_as_grub_reads_it() -> None:
    assert Choice.decode(Choice(good="b", count=9).encode()[:700]) == Choice(good="b", count=9)


def test_of_two_copies_the_later_one_holds_and_what_grub_wrote() -> None:
    old, asked = Choice(good="a", count=4), Choice(good="a", trial="b", count=5)
    started = Choice(good="a", tried="b", count=5)
    assert latest([old, asked]) == asked
    assert latest([asked, started]) == latest([started, asked]) == started


def test_a_server_without_slots_says_how_it_is_updated() -> None:
    system = FakeSystem()
    assert run.observe(system) is None
    for call in (lambda: run.write(system, WRITE), lambda: run.look(system, BUNDLE)):
        with pytest.raises((Conflict, NotFound)):
            call()
    assert trial.settle(system) is None


@pytest.mark.parametrize("disks", [1, 2])
def test_a_healthy_update_is_started_from_then_on(disks: int) -> None:
    system, grub = appliance(disks)
    update(system)
    assert (grub.running, grub.on_trial) == ("b", True)
    assert healthy(system) is None
    assert run.start(system, START, lambda: TARGETS)
    assert choice_of(system).model_dump(exclude={"count"}) == {"good": "b", "trial": None, "tried": None}
    for _ in range(2):
        system.reboot()
        assert (grub.running, grub.on_trial) == ("b", False)
        assert trial.settle(system) is None
    observed = run.observe(system)
    assert observed is not None
    assert (observed.running, observed.next, observed.versions) == ("b", "b", ("1.0", "2.0"))


def test_what_is_not_healthy_in_time_gives_way_and_says_why() -> None:
    system, grub = appliance()
    update(system)
    due = trial.due(system, slots_of(system))
    assert due is not None
    reason = trial.watch(system, slots_of(system), due, lambda: trial.missing(due, ()))
    assert reason is not None
    assert TARGETS[0] in reason
    system.reboot()
    assert (grub.running, grub.on_trial) == ("a", False)
    assert trial.settle(system) is None
    with pytest.raises(Conflict, match=TARGETS[0]):
        run.start(system, START, lambda: TARGETS)
    assert run.undo_start(system, START) is None
    system.reboot()
    assert grub.running == "a"


def test_a_new_system_that_hangs_or_loses_power_is_started_once() -> None:
    system, grub = appliance(disks=2)
    update(system)
    assert grub.running == "b"
    system.power_cut()
    assert grub.running == "a"
    assert trial.settle(system) == trial.SILENT
    assert trial.settle(system) is None
    with pytest.raises(Conflict, match="power failed"):
        run.start(system, START, lambda: TARGETS)
    first, second = grub.efi.values()
    assert first == second, "the copy that GRUB did not read would try it again"
    assert choice_of(system).next == "a"


def test_a_slot_that_cannot_be_loaded_is_reported() -> None:
    system, grub = appliance()
    grub.unloadable.add("b")
    update(system)
    assert (grub.running, grub.on_trial) == ("a", False)
    assert trial.settle(system) == trial.SILENT


@pytest.mark.parametrize("when", list(When))
@pytest.mark.parametrize("call", range(1, 40))
def test_a_power_cut_anywhere_ends_in_one_of_the_two_systems_and_is_reported(call: int, when: When) -> None:
    system, grub = appliance(disks=2)
    system.faults.crash_at(call, when)
    try:
        run.write(system, WRITE)
        run.start(system, START, lambda: TARGETS)
    except Crash:
        system.faults.disarm()
    system.power_cut()
    trial.settle(system)
    if grub.running == "b":
        assert grub.versions["b"] == "2.0", "only what was written whole is started"
        assert healthy(system) is None
        assert run.start(system, START, lambda: TARGETS)
        return
    known = record.trial(system)
    if known is not None:
        assert known.state is TrialState.FAILED
        with pytest.raises(Conflict, match="failed its health checks"):
            run.start(system, START, lambda: TARGETS)
    assert choice_of(system).next == "a"
    run.write(system, WRITE.model_copy(update={"version": "2.0"}))
    assert grub.versions["b"] == "2.0"


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (bundle("2.0", fault="signature verification failed: no signer"), Invalid, "its signer is not trusted"),
        (bundle("2.0", fault="Invalid bundle format"), Invalid, "it is not a bundle, or it is incomplete"),
        (bundle("2.0", compatible="toaster"), Conflict, "for toaster"),
        (bundle("3.0"), Invalid, "make a new plan"),
    ],
)
def test_a_bundle_that_is_not_the_right_one_changes_nothing(
    content: bytes, error: type[LunetteError], words: str
) -> None:
    system, grub = appliance()
    upload(system, content)
    before = dict(grub.efi)
    with pytest.raises(error, match=words):
        run.write(system, WRITE)
    assert (grub.efi, grub.versions) == (before, {"a": "1.0", "b": None})


def test_a_slot_is_not_written_while_it_is_the_way_back() -> None:
    system, _ = appliance()
    update(system)
    with pytest.raises(Conflict, match="is its fallback"):
        run.write(system, WRITE.model_copy(update={"slot": "a"}))
    with pytest.raises(Conflict, match="slot b is running"):
        run.write(system, WRITE)


def test_the_permanent_slot_that_does_not_run_is_not_started_while_it_is_written() -> None:
    """The other slot was chosen by hand in GRUB's menu."""
    system, grub = appliance()
    efi.write(system, slots_of(system), Choice(good="b", count=3))
    run.write(system, WRITE)
    assert choice_of(system).good == "a"
    assert grub.versions["b"] == "2.0"


def test_the_system_before_is_started_on_demand() -> None:
    system, grub = appliance()
    update(system)
    assert healthy(system) is None
    back = SlotStart(trial_id="t2", slot="a", version="1.0")
    with pytest.raises(Crash):
        run.start(system, back, lambda: TARGETS)
    system.reboot()
    assert (grub.running, grub.on_trial) == ("a", True)
    assert healthy(system) is None
    assert run.start(system, back, lambda: TARGETS)
    assert choice_of(system).good == "a"


def test_what_was_to_be_started_can_be_undone_until_it_is() -> None:
    system, grub = appliance()
    run.write(system, WRITE)
    with pytest.raises(Crash):
        run.start(system, START, lambda: TARGETS)
    system.restart_process()
    assert run.undo_start(system, START)
    assert run.undo_start(system, START) is None
    system.reboot()
    assert grub.running == "a"


def test_what_rauc_says_last_is_the_reason_where_no_words_are_known() -> None:
    log = (
        "rauc install x: exit code 1\nInstalling `x` failed\ninstalling\n100% Installing failed.\nLastError: {}\nidle\n"
    )
    said = ToolFailed("rauc refused: Installing `x` failed", log=log.format("Failed to mount: no such device"))
    assert rauc.explain(said) == "Failed to mount: no such device"
    assert rauc.explain(ToolFailed("rauc refused: boo", log="boo")) == "boo"
    changed = "Failed mounting bundle: Unexpected dm-verity status 'C -' (instead of 'V')"
    assert "changed after it was signed" in rauc.explain(ToolFailed("", log=log.format(changed)))


def test_rauc_knows_both_slots_and_starts_neither() -> None:
    system, _ = appliance()
    slots = slots_of(system)
    text = rauc.configuration(slots, revokes=False)
    for name, uuid in zip("ab", slots.uuids, strict=True):
        assert f"bootname={name}\n" in text
        assert f"-U {uuid} " in text
        assert f"device={slots.device(name)}\n" in text  # type: ignore[arg-type]
    assert "bootloader=noop\n" in text
    assert "bundle-formats=verity\n" in text


def test_a_signer_must_be_valid_now_and_no_bundle_says_when_it_was_signed() -> None:
    """What lists of revoked certificates do is seen with a real RAUC in tests/e2e/test_bundle_signers.py."""
    system, _ = appliance()
    slots = slots_of(system)
    for keyring, checks in ((b"-----BEGIN CERTIFICATE-----\n", "false"), (b"-----BEGIN X509 CRL-----\n", "true")):
        system.files.seed(rauc.KEYRING, keyring)
        rauc.configure(system, slots)
        lines = (system.read_file(rauc.CONFIG) or b"").decode().splitlines()
        assert f"check-crl={checks}" in lines
        assert "check-purpose=codesign-rauc" in lines
        assert not any(line.startswith("use-bundle-signing-time") for line in lines)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("certificate revoked", "was revoked"),
        ("certificate has expired", "has expired: use a newer bundle"),
        ("certificate is not yet valid", "not valid yet: set the clock"),
        ("CRL is not yet valid", "not valid yet: set the clock"),
        ("CRL has expired", "the list of revoked certificates has expired"),
        ("unsuitable certificate purpose", "not for signing code"),
        ("self-signed certificate", "its signer is not trusted by this appliance"),
    ],
)
def test_why_a_signer_is_refused(said: str, words: str) -> None:
    system, _ = appliance()
    upload(system, bundle("2.0", fault=f"signature verification failed: Verify error: {said}"))
    with pytest.raises(Invalid, match="the bundle is refused") as refused:
        rauc.verify(system, slots_of(system), f"{rauc.BUNDLES}/{BUNDLE}.raucb")
    assert words in refused.value.detail


def test_how_long_a_restart_took_is_reported_once_all_is_served_again() -> None:
    system, _ = appliance()
    assert record.outage_s(system) is None
    record.exports_open(system)
    assert record.outage_s(system) is None
    record.exports_closed(system)
    system.reboot()
    system.advance(60)
    record.exports_open(system)
    taken = record.outage_s(system)
    assert taken is not None
    assert 60 <= taken < 90
