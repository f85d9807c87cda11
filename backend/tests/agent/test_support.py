"""What the agent tells for a support bundle: whatever can be read, why the rest was not, and no secrets."""

import pytest

from backend.tests.agent.exports import CHAP, initiator, lun, target
from backend.tests.agent.test_core import Store
from backend.tests.providers.rig import VOLUME_ID
from lunette.agent import support
from lunette.domain.support import SupportFacts

MAPPED = lun(51, 1, 11).model_copy(update={"volume_id": VOLUME_ID})
SECRETS = ("secretsecret1", "mutualmutual1")


def text(facts: SupportFacts, name: str) -> str:
    (found,) = [file.text for file in facts.files if file.name == name]
    return found


@pytest.fixture
def store() -> Store:
    return Store()


def test_the_tree_of_the_target_is_there_with_its_links_and_without_counters(store: Store) -> None:
    tree = text(store.agent.facts(), "exports/target.txt")
    assert "/udev_path = /dev/" in tree
    assert " -> " in tree
    assert "/statistics/" not in tree


def test_what_cannot_be_read_says_why_and_spoils_nothing(store: Store) -> None:
    facts = store.agent.facts()
    assert text(facts, "hardware/pci.txt").startswith("not read: lspci is not installed")
    assert text(facts, "system/pressure-of-io.txt").startswith("not read: No such file")
    assert "lunette" in text(facts, "volumes/lvs.txt")
    assert len({file.name for file in facts.files}) == len(facts.files)


def test_a_secret_is_nowhere_even_where_a_log_repeats_it(store: Store) -> None:
    store.machine.write_durably("/etc/lvm/devices/system.devices", f"# {SECRETS[0]}".encode())
    assert store.agent.converge(store.desired(2, targets=(target(31, [initiator(41, CHAP)], [MAPPED]),))).accepted
    facts = store.agent.facts()
    assert "/password_mutual = (secret)" in text(facts, "exports/target.txt")
    assert text(facts, "volumes/devices-file.txt") == "# (secret)"
    assert not [file.name for file in facts.files if any(secret in file.text for secret in SECRETS)]


def test_the_end_of_a_too_long_text_is_retained(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "TEXT_CHARS", 40)
    tree = text(store.agent.facts(), "exports/target.txt")
    assert tree.startswith("[the first ")
    assert len(tree.partition("\n")[2]) == 40
