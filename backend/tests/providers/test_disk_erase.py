"""A drive erases itself: twice, the wrong disk, one in use, a power cut, and a sibling that would go with it."""

import json

import pytest

from backend.tests.fakemachine import Crash, FakeSignature, FakeSystem, Media, Partition, When
from lunette.agent.core import Agent
from lunette.domain.disk_health import EraseMethod
from lunette.domain.disks import Signature
from lunette.domain.errors import Conflict, InUse, LunetteError, ToolFailed
from lunette.domain.steps import DiskErase
from lunette.providers.disks.erase import erase
from lunette.providers.disks.inventory import observe_disks

EXT4 = FakeSignature("ext4", 1080, "old", "u1")
NAMED = Signature(type="ext4", label="old", uuid="u1")


class Drives:
    """Two drives that carry an old file system and data each; the first is to erase itself."""

    def __init__(self, transport: str = "nvme") -> None:
        self.machine = FakeSystem()
        self.disks = self.machine.add_disks(2, transport=transport)
        for disk in self.disks:
            disk.media.signatures.append(EXT4)
            disk.media.data[4096] = "secret"
        self.machine.changed()

    def step(self, **changes: object) -> DiskErase:
        disk = next(one for one in observe_disks(self.machine) if one.serial == self.disks[0].serial)
        facts: dict[str, object] = {
            "erase_id": "e1",
            "disk_id": disk.id,
            "serial": disk.serial,
            "size_bytes": disk.size_bytes,
            "signatures": (NAMED,),
            "method": EraseMethod.FORMAT,
        }
        return DiskErase.model_validate(facts | changes)

    def untouched(self) -> bool:
        return all(disk.media.data == {4096: "secret"} and disk.media.signatures == [EXT4] for disk in self.disks)


@pytest.fixture
def drives() -> Drives:
    return Drives()


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (EraseMethod.FORMAT, "--ses=1"),
        (EraseMethod.CRYPTO, "--ses=2"),
        (EraseMethod.SANITIZE_BLOCK, "--sanact=2"),
        (EraseMethod.SANITIZE_CRYPTO, "--sanact=4"),
    ],
)
def test_everything_of_one_disk_is_removed_and_nothing_of_the_other(
    drives: Drives, method: EraseMethod, said: str
) -> None:
    first, second = drives.disks
    assert erase(drives.machine, drives.step(method=method)) is not None
    assert (first.media.data, first.media.signatures) == ({}, [])
    assert (second.media.data, second.media.signatures) == ({4096: "secret"}, [EXT4])
    assert drives.machine.tools.drives.formatted == [(first.serial, said)]


@pytest.mark.parametrize(
    ("transport", "method", "said"),
    [
        ("sata", EraseMethod.SANITIZE_BLOCK, "--sanitize-block-erase"),
        ("sata", EraseMethod.SANITIZE_CRYPTO, "--sanitize-crypto-scramble"),
        ("sas", EraseMethod.SANITIZE_BLOCK, "--block"),
        ("sas", EraseMethod.SANITIZE_CRYPTO, "--crypto"),
    ],
)
def test_a_sata_and_a_sas_drive_sanitize_themselves(transport: str, method: EraseMethod, said: str) -> None:
    drives = Drives(transport)
    first, second = drives.disks
    assert erase(drives.machine, drives.step(method=method)) is not None
    assert (first.media.data, first.media.signatures) == ({}, [])
    assert (second.media.data, second.media.signatures) == ({4096: "secret"}, [EXT4])
    assert drives.machine.tools.drives.formatted == [(first.serial, said)]


@pytest.mark.parametrize("transport", ["sata", "sas"])
def test_what_a_sata_or_sas_drive_does_not_offer_is_refused(transport: str) -> None:
    drives = Drives(transport)
    drives.machine.tools.drives.health(drives.disks[0]).sanicap = 0b01
    for method in (EraseMethod.SANITIZE_BLOCK, EraseMethod.FORMAT, EraseMethod.CRYPTO):
        with pytest.raises(Conflict, match="cannot erase itself by"):
            erase(drives.machine, drives.step(method=method))
    assert drives.untouched()


@pytest.mark.parametrize(("transport", "tool"), [("sata", "hdparm"), ("sas", "sg_inq")])
def test_a_sata_or_sas_drive_that_says_another_serial_is_not_erased(transport: str, tool: str) -> None:
    drives = Drives(transport)
    step = drives.step(method=EraseMethod.SANITIZE_BLOCK)
    asked = drives.machine.tools.command(tool)

    def another(argv: list[str]) -> tuple[int, str, str]:
        code, said, errors = asked(argv)
        words = said.split("\n")
        if "--Istdout" in argv:
            identity = words[3].split()  # words 8 to 15; the serial begins with word 10
            words[3] = " ".join([*identity[:2], "4558", *identity[3:]])
        return code, "\n".join(words).replace(drives.disks[0].serial, "EXCHANGED"), errors

    drives.machine.tools.add(tool, another)  # type: ignore[arg-type]
    with pytest.raises(Conflict, match="make a new plan"):
        erase(drives.machine, step)
    assert drives.untouched()


def test_a_frozen_sata_drive_is_not_erased_and_the_remedy_is_reported() -> None:
    drives = Drives("sata")
    drives.machine.tools.drives.health(drives.disks[0]).is_frozen = True
    with pytest.raises(Conflict, match="reconnect it"):
        erase(drives.machine, drives.step(method=EraseMethod.SANITIZE_BLOCK))
    assert drives.untouched()


@pytest.mark.parametrize("transport", ["nvme", "sata", "sas"])
def test_a_sanitize_continues_after_a_power_cut_and_is_waited_for(transport: str) -> None:
    drives = Drives(transport)
    step = drives.step(method=EraseMethod.SANITIZE_BLOCK)
    health = drives.machine.tools.drives.health(drives.disks[0])
    health.sanitized, health.sanitize_left = 2, 3
    assert erase(drives.machine, step) is not None
    assert drives.machine.tools.drives.formatted == [], "none is begun while one runs"
    assert drives.disks[0].media.data == {}


@pytest.mark.parametrize("transport", ["nvme", "sata", "sas"])
def test_a_sanitize_that_fails_says_that_the_drive_is_closed(transport: str) -> None:
    drives = Drives(transport)
    drives.machine.tools.drives.health(drives.disks[0]).sanitize_ends = 3
    with pytest.raises(ToolFailed, match="refuses reads and writes"):
        erase(drives.machine, drives.step(method=EraseMethod.SANITIZE_CRYPTO))


def test_a_sas_drive_that_does_not_answer_has_not_finished() -> None:
    """sg_requests ends with 15 where it cannot open the device, and prints nothing of a sanitize."""
    drives = Drives("sas")
    step = drives.step(method=EraseMethod.SANITIZE_BLOCK)
    drives.machine.tools.add("sg_requests", lambda _argv: (15, "", "open error: No such device"))
    with pytest.raises(ToolFailed, match=r"sg_requests refused \(exit code 15\)"):
        erase(drives.machine, step)
    assert drives.disks[0].media.data == {4096: "secret"}, "the fake has only begun, and nobody says that it is done"


def test_a_virtual_disk_cannot_erase_itself() -> None:
    drives = Drives("virtio")
    with pytest.raises(Conflict, match="cannot erase itself: wipe"):
        erase(drives.machine, drives.step(method=EraseMethod.SANITIZE_BLOCK))
    assert drives.untouched()


def test_the_same_erasure_is_not_done_twice_whatever_was_written_since(drives: Drives) -> None:
    erase(drives.machine, drives.step())
    drives.disks[0].media.data[0] = "new"
    drives.machine.reboot()
    assert erase(drives.machine, drives.step(signatures=())) is None
    assert drives.disks[0].media.data == {0: "new"}
    assert erase(drives.machine, drives.step(erase_id="e2", signatures=())) is not None


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"serial": "OTHER"}, "the drive was replaced"),
        ({"size_bytes": 1}, "the plan was made for 1"),
        ({"signatures": ()}, "which the plan did not name"),
    ],
)
def test_another_disk_than_the_plan_meant_is_not_touched(
    drives: Drives, changes: dict[str, object], refusal: str
) -> None:
    with pytest.raises(LunetteError, match=refusal):
        erase(drives.machine, drives.step(**changes))
    assert drives.untouched()


def test_a_controller_with_another_serial_than_in_the_kernel_is_not_erased(drives: Drives) -> None:
    step = drives.step()
    asked = drives.machine.tools.command("nvme")

    def another(argv: list[str]) -> tuple[int, str, str]:
        code, said, errors = asked(argv)
        return code, said.replace(drives.disks[0].serial, "EXCHANGED"), errors

    drives.machine.tools.add("nvme", another)  # type: ignore[arg-type]
    with pytest.raises(Conflict, match="EXCHANGED"):
        erase(drives.machine, step)
    assert drives.untouched()


def test_a_disk_in_use_is_not_touched(drives: Drives) -> None:
    step = drives.step()
    drives.disks[0].partitions = [Partition(1, Media(1024, []), mount="/mnt")]
    drives.machine.changed()
    with pytest.raises(InUse):
        erase(drives.machine, step)
    drives.disks[0].partitions.clear()
    drives.machine.changed()
    drives.machine.blocks.open_exclusively(f"/dev/{drives.disks[0].kernel_name}", "a program")
    with pytest.raises(InUse, match="has it open"):
        erase(drives.machine, step)
    assert drives.untouched()


@pytest.mark.parametrize("bit", [0b001, 0b010])
def test_a_format_that_would_reach_another_namespace_is_refused_and_a_lone_one_is_not(drives: Drives, bit: int) -> None:
    health = drives.machine.tools.drives.health(drives.disks[0])
    health.fna, health.namespaces = bit, 2
    with pytest.raises(Conflict, match="one of 2 namespaces"):
        erase(drives.machine, drives.step())
    assert drives.untouched()
    health.namespaces = 1
    assert erase(drives.machine, drives.step()) is not None


@pytest.mark.parametrize("method", [EraseMethod.SANITIZE_BLOCK, EraseMethod.SANITIZE_CRYPTO])
def test_a_sanitize_reaches_every_namespace_whatever_a_format_does(drives: Drives, method: EraseMethod) -> None:
    health = drives.machine.tools.drives.health(drives.disks[0])
    health.fna, health.namespaces = 0b100, 2
    with pytest.raises(Conflict, match="one of 2 namespaces"):
        erase(drives.machine, drives.step(method=method))
    assert drives.untouched()


@pytest.mark.parametrize("method", [one for one in EraseMethod if one is not EraseMethod.FORMAT])
def test_what_the_drive_does_not_offer_is_refused(drives: Drives, method: EraseMethod) -> None:
    health = drives.machine.tools.drives.health(drives.disks[0])
    health.fna = health.sanicap = 0
    with pytest.raises(Conflict, match=f"by {method.value}: choose another"):
        erase(drives.machine, drives.step(method=method))
    assert drives.untouched()


@pytest.mark.parametrize("method", [EraseMethod.SANITIZE_BLOCK, EraseMethod.SANITIZE_CRYPTO])
def test_the_namespace_itself_is_named_whatever_number_its_controller_has(drives: Drives, method: EraseMethod) -> None:
    step = drives.step(method=method)
    drives.machine.faults.calls.clear()
    erase(drives.machine, step)
    asked = [call.detail.split()[2] for call in drives.machine.faults.calls if call.detail.startswith("nvme sanitize")]
    assert asked
    assert set(asked) == {f"/dev/{drives.disks[0].kernel_name}"}


def test_a_failed_sanitize_reports_that_the_drive_is_locked_and_is_retried(drives: Drives) -> None:
    health = drives.machine.tools.drives.health(drives.disks[0])
    health.sanitize_ends = 3
    step = drives.step(method=EraseMethod.SANITIZE_BLOCK)
    with pytest.raises(ToolFailed, match="refuses reads and writes until a sanitize succeeds"):
        erase(drives.machine, step)
    health.sanitize_ends = 1
    assert erase(drives.machine, drives.step(method=EraseMethod.SANITIZE_BLOCK, signatures=())) is not None
    assert len(drives.machine.tools.drives.formatted) == 2


def test_a_sanitize_that_never_ends_is_abandoned_and_not_started_twice(
    drives: Drives, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lunette.providers.disks.erase.LOOK_S", 3600.0)
    drives.machine.tools.drives.health(drives.disks[0]).sanitize_looks = 10**9
    step = drives.step(method=EraseMethod.SANITIZE_BLOCK)
    for _ in range(2):
        with pytest.raises(ToolFailed, match="still sanitizing after 24 hours"):
            erase(drives.machine, step)
    assert len(drives.machine.tools.drives.formatted) == 1


@pytest.mark.parametrize("words", ["(0x1) done", "(1)", "no number"])
def test_the_state_of_a_sanitize_is_read_in_either_form(drives: Drives, words: str) -> None:
    asked = drives.machine.tools.command("nvme")

    def another(argv: list[str]) -> tuple[int, str, str]:
        if argv[1] == "sanitize-log":
            return 0, json.dumps({"nvme0": {"sprog": 65535, "sstat": {"status": words}}}), ""
        return asked(argv)

    drives.machine.tools.add("nvme", another)  # type: ignore[arg-type]
    drives.disks[0].media.signatures.clear()
    step = drives.step(method=EraseMethod.SANITIZE_BLOCK, signatures=())
    if words.startswith("("):
        assert erase(drives.machine, step) is not None
    else:
        with pytest.raises(ToolFailed, match="reports no state"):
            erase(drives.machine, step)
        assert not drives.machine.tools.drives.formatted


def test_a_sanitize_that_is_under_way_after_a_power_cut_is_waited_for_and_not_begun_again(drives: Drives) -> None:
    agent = Agent(drives.machine)
    step = drives.step(method=EraseMethod.SANITIZE_CRYPTO)
    drives.machine.faults.crash_at(_number_of(step, "nvme sanitize "), When.AFTER)
    with pytest.raises(Crash):
        agent.do_step("job", step)
    drives.machine.power_cut()
    assert [said for _, said in drives.machine.tools.drives.formatted] == ["--sanact=4"], "it has begun"
    _let_nobody_read_while_it_sanitizes(drives)
    assert Agent(drives.machine).do_step("job", step).changed
    assert [said for _, said in drives.machine.tools.drives.formatted] == ["--sanact=4"]
    assert (drives.disks[0].media.data, drives.disks[0].media.signatures) == ({}, [])
    assert drives.disks[1].media.data == {4096: "secret"}


def test_a_power_cut_in_the_middle_is_made_good_by_doing_it_again(drives: Drives) -> None:
    agent = Agent(drives.machine)
    step = drives.step()
    drives.machine.faults.crash_at(_number_of(step, "nvme format"), When.DURING)
    with pytest.raises(Crash):
        agent.do_step("job", step)
    drives.machine.power_cut()
    assert drives.disks[0].media.data != {}, "half of it"
    assert Agent(drives.machine).do_step("job", drives.step()).changed
    assert (drives.disks[0].media.data, drives.disks[0].media.signatures) == ({}, [])
    assert drives.disks[1].media.data == {4096: "secret"}


def _let_nobody_read_while_it_sanitizes(drives: Drives) -> None:
    machine, (disk, _) = drives.machine, drives.disks
    asked = machine.tools.command("wipefs")

    def wipefs(argv: list[str]) -> tuple[int, str, str]:
        if f"/dev/{disk.kernel_name}" in argv and machine.tools.drives.health(disk).sanitized == 2:
            return 1, "", "wipefs: error: probing initialization failed: Input/output error\n"
        return asked(argv)

    machine.tools.add("wipefs", wipefs)  # type: ignore[arg-type]


def _number_of(step: DiskErase, call: str) -> int:
    """Which call of the step it is, found on a machine of its own."""
    other = Drives()
    agent = Agent(other.machine)
    other.machine.faults.calls.clear()
    agent.do_step("job", step)
    details = [call.detail for call in other.machine.faults.calls]
    return next(number for number, detail in enumerate(details, 1) if detail.startswith(call))
