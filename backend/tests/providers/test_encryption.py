"""Encrypted arrays: nothing is formatted twice, a wrong key changes nothing, and a known key always opens."""

import pytest

from backend.tests.fakemachine import Crash, FakeSignature, When
from backend.tests.fakemachine.block.devices import Device
from backend.tests.fakemachine.block.media import LuksHeader, Media
from backend.tests.providers.rig import ARRAY_ID, Rig
from lunette.domain.arrays import EngineAbility
from lunette.domain.encryption import KeyChange, KeyForget, KeyLend, KeyUnlock
from lunette.domain.errors import Conflict, InUse, Invalid, ToolFailed
from lunette.domain.steps import GroupCreate, LuksCreate, MdCreate
from lunette.providers.encryption import keys, plan
from lunette.providers.volumes.lvm import plan as lvm

PASSPHRASE, NEW = "correct horse battery", "staple battery horse"
MAPPING = plan.mapping_name(ARRAY_ID)


class Safe(Rig):
    """A machine with an md array that is to be encrypted."""

    def __init__(self, *, keep_key: bool = False) -> None:
        super().__init__()
        self.md: MdCreate = self.create()
        self.do(self.md)
        self.step: LuksCreate = plan.create_step(ARRAY_ID, self.md.uuid, 512, keep_key=keep_key)

    def lend(self, passphrase: str = PASSPHRASE) -> None:
        self.agent.use_key(KeyLend.model_validate({"array_id": ARRAY_ID, "passphrase": passphrase}))

    def encrypt(self) -> GroupCreate:
        """Encrypted, open, with its volume group."""
        self.lend()
        assert self.do(self.step)
        group = lvm.group_create(ARRAY_ID, self.md.uuid, mapping=MAPPING)
        assert self.do(group)
        return group

    def device(self) -> Device:
        return next(one for one in self.machine.blocks.stacked.values() if one.kind == "md")

    def header(self) -> LuksHeader:
        media = self.device().media
        assert media
        assert media.luks
        return media.luks

    def restart(self) -> None:
        """A boot; the array runs again."""
        self.machine.reboot()
        self.__dict__["agent"] = type(self.agent)(self.machine, patience_s=60.0)
        self.do(self.md)

    def unlock(self, passphrase: str) -> str | None:
        order = {"array_id": ARRAY_ID, "uuid": self.md.uuid, "name": "tank", "passphrase": passphrase}
        return self.agent.use_key(KeyUnlock.model_validate(order))

    def change(self, old: str, new: str | None, *, keep_old: bool = False, keep_key: bool | None = None) -> str | None:
        order = {
            "array_id": ARRAY_ID,
            "uuid": self.md.uuid,
            "name": "tank",
            "passphrase": old,
            "new_passphrase": new,
            "keep_old": keep_old,
            "keep_key": keep_key,
        }
        return self.agent.use_key(KeyChange.model_validate(order))

    def formats(self) -> int:
        """How often something was formatted."""
        return sum("luksFormat" in call.detail for call in self.machine.faults.calls)

    def is_open(self) -> bool:
        return MAPPING in self.machine.crypt.mappings()


def test_an_array_is_encrypted_once_and_a_repeated_step_only_recognises_it() -> None:
    safe = Safe()
    safe.encrypt()
    before = safe.header()
    assert not safe.do(safe.step)
    assert safe.header() is before
    assert (safe.formats(), before.uuid, before.keys) == (1, ARRAY_ID, [PASSPHRASE])


def test_no_key_is_ever_in_a_command_line() -> None:
    safe = Safe(keep_key=True)
    safe.encrypt()
    safe.change(PASSPHRASE, NEW)
    kept = safe.machine.files.read(keys.stored_path(ARRAY_ID)).decode()
    said = "\n".join(call.detail for call in safe.machine.faults.calls)
    assert not any(key in said for key in (PASSPHRASE, NEW, kept))


def test_a_lent_passphrase_is_for_root_alone_and_deleted_once_the_array_exists() -> None:
    safe = Safe()
    safe.lend()
    assert safe.machine.files.mode(keys.lent_path(ARRAY_ID)) == 0o600
    safe.encrypt()
    assert not safe.machine.exists(keys.lent_path(ARRAY_ID))


def test_what_is_lent_is_forgotten_when_the_job_is_undone() -> None:
    safe = Safe()
    safe.lend()
    safe.agent.use_key(KeyForget(array_id=ARRAY_ID))
    assert not safe.machine.exists(keys.lent_path(ARRAY_ID))


def test_a_restart_before_it_is_encrypted_ends_the_creation() -> None:
    safe = Safe()
    safe.lend()
    safe.restart()
    with pytest.raises(Conflict, match="Create the array again"):
        safe.do(safe.step)
    assert safe.formats() == 0


def test_another_header_is_never_formatted_over_and_never_erased() -> None:
    safe = Safe()
    media = safe.device().media
    assert media
    other = LuksHeader("eeeeeeee-0000-4000-8000-000000000009", "theirs", ["their key"], Media(1))
    media.luks = other
    safe.lend()
    with pytest.raises(Conflict, match="not the planned one"):
        safe.do(safe.step)
    safe.undo(safe.step)
    with pytest.raises(Conflict, match="does not belong to this appliance"):
        safe.do(plan.destroy_step(ARRAY_ID, safe.md.uuid))
    assert (media.luks, safe.formats()) == (other, 0)


def test_a_device_with_anything_else_is_refused_and_left_alone() -> None:
    safe = Safe()
    media = safe.device().media
    assert media
    media.signatures = [FakeSignature("ext4", 1080, "theirs", "u1")]
    safe.lend()
    with pytest.raises(InUse, match="ext4"):
        safe.do(safe.step)
    assert not safe.undo(safe.step)
    assert [sign.type for sign in media.signatures] == ["ext4"]


def test_a_header_whose_making_was_cut_short_is_made_again() -> None:
    """cryptsetup writes the header first and the key after it: without a key nothing can be behind it."""
    safe = Safe()
    safe.lend()
    before = len(safe.machine.faults.calls)
    safe.do(safe.step)
    calls = safe.machine.faults.calls[before:]
    torn = Safe()
    torn.lend()
    torn.machine.faults.fail_at(next(n for n, call in enumerate(calls, 1) if "luksFormat" in call.detail), When.DURING)
    with pytest.raises(ToolFailed):
        torn.do(torn.step)
    assert torn.header().keys == []
    assert torn.do(torn.step)
    assert torn.header().keys == [PASSPHRASE]


def test_a_locked_array_waits_and_a_wrong_passphrase_changes_nothing() -> None:
    safe = Safe()
    group = safe.encrypt()
    safe.restart()
    assert not safe.is_open()
    with pytest.raises(Conflict, match="waiting for key of array"):
        safe.do(group)
    with pytest.raises(Invalid) as refused:
        safe.unlock("not the passphrase")
    assert [problem.field for problem in refused.value.errors] == ["passphrase"]
    assert not safe.is_open()
    assert safe.unlock(PASSPHRASE)
    assert safe.unlock(PASSPHRASE) is None, "it is open already"
    assert not safe.do(group), "its group is there"


def test_a_stored_key_unlocks_it_after_a_restart() -> None:
    safe = Safe(keep_key=True)
    group = safe.encrypt()
    safe.restart()
    assert not safe.do(group)
    assert safe.is_open()
    assert safe.machine.files.mode(keys.stored_path(ARRAY_ID)) == 0o600


def test_a_new_passphrase_takes_the_place_of_the_old_one() -> None:
    safe = Safe()
    safe.encrypt()
    safe.change(PASSPHRASE, NEW)
    assert safe.header().keys == [NEW]
    assert not safe.machine.exists(keys.new_path(ARRAY_ID))
    assert safe.change(PASSPHRASE, NEW) == "nothing was to be done", "the same order again"


def test_a_second_passphrase_leaves_the_first() -> None:
    safe = Safe()
    safe.encrypt()
    safe.change(PASSPHRASE, NEW, keep_old=True)
    assert safe.header().keys == [PASSPHRASE, NEW]


def test_the_stored_key_is_added_and_removed() -> None:
    safe = Safe()
    safe.encrypt()
    safe.change(PASSPHRASE, None, keep_key=True)
    kept = safe.machine.files.read(keys.stored_path(ARRAY_ID)).decode()
    assert safe.header().keys == [PASSPHRASE, kept]
    with pytest.raises(Invalid):
        safe.change(kept, None, keep_key=False)
    safe.change(PASSPHRASE, None, keep_key=False)
    assert safe.header().keys == [PASSPHRASE]
    assert not safe.machine.exists(keys.stored_path(ARRAY_ID))


def test_a_wrong_passphrase_changes_no_key() -> None:
    safe = Safe(keep_key=True)
    safe.encrypt()
    before = list(safe.header().keys)
    for attempt in ({"new": NEW}, {"new": NEW, "keep_old": True}, {"new": None, "keep_key": False}):
        with pytest.raises(Invalid):
            safe.change("not the passphrase", **attempt)
    assert safe.header().keys == before


@pytest.mark.parametrize("when", list(When))
@pytest.mark.parametrize("keep_key", [True, False])
def test_a_change_cut_off_anywhere_leaves_a_known_key_and_is_finished_by_the_same_order(
    when: When, keep_key: bool
) -> None:
    def made() -> Safe:
        safe = Safe(keep_key=not keep_key)
        safe.encrypt()
        return safe

    reference = made()
    first = len(reference.machine.faults.calls)
    reference.change(PASSPHRASE, NEW, keep_key=keep_key)
    struck = 0
    calls = list(enumerate(reference.machine.faults.calls[first:], start=1))
    for number, call in ((number, call) for number, call in calls if call.changes):
        safe = made()
        safe.machine.faults.crash_at(number, when)
        try:
            safe.change(PASSPHRASE, NEW, keep_key=keep_key)
        except Crash:
            struck += 1
        safe.restart()
        assert {PASSPHRASE, NEW} & set(safe.header().keys), call
        safe.change(PASSPHRASE, NEW, keep_key=keep_key)
        assert NEW in safe.header().keys, call
        assert PASSPHRASE not in safe.header().keys, call
        assert len(safe.header().keys) == 1 + keep_key, call
        assert safe.machine.exists(keys.stored_path(ARRAY_ID)) is keep_key, call
    assert struck, "nothing was cut off"


def test_destroying_erases_the_keys_before_the_array_is_stopped() -> None:
    safe = Safe(keep_key=True)
    group = safe.encrypt()
    step = plan.destroy_step(ARRAY_ID, safe.md.uuid)
    media = safe.device().media
    assert media
    with pytest.raises(InUse):
        safe.do(safe.destroy(safe.md))
    safe.undo(group)
    assert safe.do(step)
    assert not safe.do(step)
    assert media.luks is None
    assert not safe.machine.exists(keys.stored_path(ARRAY_ID))
    assert safe.do(safe.destroy(safe.md))


def test_a_locked_array_can_be_destroyed_unseen() -> None:
    safe = Safe()
    group = safe.encrypt()
    safe.restart()
    assert not safe.undo(group)
    assert safe.do(plan.destroy_step(ARRAY_ID, safe.md.uuid))
    assert safe.do(safe.destroy(safe.md))


def test_it_is_not_closed_while_a_volume_is_open() -> None:
    safe = Safe()
    group = safe.encrypt()
    cut = safe.cut(group)
    safe.do(cut)
    safe.machine.blocks.open_shared(f"/dev/{group.group}/{cut.backing_name}", "somebody")
    with pytest.raises(InUse, match="still open"):
        safe.do(plan.destroy_step(ARRAY_ID, safe.md.uuid))
    assert safe.header().keys == [PASSPHRASE]


def test_what_was_lent_and_never_used_is_forgotten() -> None:
    safe = Safe()
    safe.lend()
    safe.agent.bring_up()
    safe.machine.advance(3601)
    safe.agent.bring_up()
    assert not safe.machine.exists(keys.lent_path(ARRAY_ID))


@pytest.mark.parametrize(("missing", "words"), [("tool", "cryptsetup-bin"), ("module", "dm_crypt")])
def test_without_cryptsetup_or_the_module_the_record_says_so(missing: str, words: str) -> None:
    rig = Rig()
    md = next(one for one in rig.agent.observe().engines if one.engine == "md")
    assert [one.value for one in md.encryption] == ["luks2"]
    if missing == "tool":
        rig.machine.tools.remove("cryptsetup")
    else:
        rig.machine.available_modules.discard("dm_crypt")
        rig.machine.reboot()
    md = next(one for one in rig.agent.observe().engines if one.engine == "md")
    assert md.encryption == ()
    assert words in (md.lacks(EngineAbility.ENCRYPTION) or "")
    assert md.available
