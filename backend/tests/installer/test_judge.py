"""Which disk an installation document means, and when it is refused; on the machine of the product's own tests."""

import pytest

from backend.tests.fakemachine.machine import FakeSystem
from backend.tests.installer.server import Server
from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.errors import Conflict, InUse, NoSpace, NotFound
from lunette.installer.document import Document, parse
from lunette.installer.judge import (
    Installed,
    candidates,
    check_network,
    chosen,
    judge,
    refuse_occupied,
)
from lunette.installer.layout import BOOT_CODE_BYTES
from lunette.providers.disks.inventory import observe_disks


def document(disk: str, more: str = "") -> Document:
    """A document for this disk."""
    return parse(f"version: 1\ndisk: {disk}\n{more}".encode())


def observed(system: FakeSystem, serial: str) -> ObservedDisk:
    """The disk as the product sees it."""
    return next(disk for disk in observe_disks(system) if disk.serial == serial)


def test_a_blank_disk_is_found_by_serial_and_by_every_id() -> None:
    system = Server({"eth0": "1"})
    (disk,) = judge(system, document(system.large.serial))
    assert disk.serial == system.large.serial
    for link in disk.links:
        assert judge(system, document(link)) == (disk,)


def test_an_absent_or_ambiguous_disk_is_refused_with_the_blank_ones() -> None:
    system = Server({"eth0": "1"})
    with pytest.raises(NotFound, match=r"disk ata-Gone was not found.*Blank disks.*scsi-35000c50000000001"):
        judge(system, document("ata-Gone"))
    twins = tuple(disk.model_copy(update={"serial": "same"}) for disk in observe_disks(system))
    with pytest.raises(Conflict, match="several disks have the name same"):
        chosen(twins, "same")


def test_a_disk_too_small_is_refused_with_both_sizes() -> None:
    system = Server({"eth0": "1"})
    with pytest.raises(NoSpace, match="the system needs"):
        judge(system, document(system.small.serial))


def test_a_disk_with_anything_on_it_is_refused_unless_the_document_lets_it_go() -> None:
    system = Server({"eth0": "1"})
    blank = observed(system, system.large.serial)
    member = blank.model_copy(update={"signatures": (Signature(type="linux_raid_member", label="tank", uuid="a"),)})
    plain, wiping = document(blank.id), document(blank.id, f"wipe: {blank.id}\n")
    with pytest.raises(InUse, match=r"not blank: it carries a linux_raid_member signature.*wipe: "):
        refuse_occupied(member, (member,), plain, blank.id, started=False)
    refuse_occupied(member, (member,), wiping, blank.id, started=False)
    refuse_occupied(member, (member,), plain, blank.id, started=True)
    assert candidates((member,)).endswith("none")


@pytest.mark.parametrize(
    "use",
    [{"mounts": ("/srv",)}, {"is_swap": True}, {"holders": ("md127",)}, {"used_by_system": True}, {"fabric": True}],
)
def test_a_disk_in_use_is_refused_even_where_it_may_be_wiped(use: dict[str, object]) -> None:
    system = Server({"eth0": "1"})
    disk = observed(system, system.large.serial).model_copy(update=use)
    with pytest.raises(InUse, match="is in use"):
        refuse_occupied(disk, (disk,), document(disk.id, f"wipe: {disk.id}\n"), disk.id, started=True)


def test_what_this_document_installed_is_left_alone_and_what_it_began_is_begun_again() -> None:
    system = Server({"eth0": "1"})
    words = document(system.large.serial)
    device = observed(system, system.large.serial).device
    system.tables[device] = f"{words.identity()}\n"
    system.boot_codes[device] = "\0" * BOOT_CODE_BYTES
    assert [disk.serial for disk in judge(system, words)] == [system.large.serial]
    system.boot_codes[device] = "code".ljust(BOOT_CODE_BYTES, "\0")
    with pytest.raises(Installed, match="installed from this document"):
        judge(system, words)
    with pytest.raises(Installed):
        judge(system, parse(f"version: 1\ndisk: {system.large.serial}\n".encode()))
    assert judge(system, document(system.large.serial, "hostname: other\n"))[0].serial == system.large.serial


def pair(system: Server, more: str = "") -> Document:
    """A document for a mirror of the two large disks."""
    return document(f"[{system.large.serial}, {system.twin.serial}]", more)


def test_a_mirror_takes_two_disks_in_the_order_of_the_document() -> None:
    system = Server({"eth0": "1"})
    assert [disk.serial for disk in judge(system, pair(system))] == [system.large.serial, system.twin.serial]


def test_each_disk_of_a_mirror_is_judged() -> None:
    system = Server({"eth0": "1"})
    with pytest.raises(NoSpace, match="the system needs"):
        judge(system, document(f"[{system.large.serial}, {system.small.serial}]"))
    with pytest.raises(NotFound, match="disk gone was not found"):
        judge(system, document(f"[{system.large.serial}, gone]"))
    link = next(one for one in observed(system, system.large.serial).links if one != system.large.serial)
    with pytest.raises(Conflict, match=r"are the same disk, .*: a mirror needs two"):
        judge(system, document(f"[{system.large.serial}, {link}]"))


def test_wipe_lets_go_only_the_disk_it_names() -> None:
    system = Server({"eth0": "1"})
    carried = {"signatures": (Signature(type="ext4", label="kept", uuid="a"),)}
    one, other = (observed(system, made.serial).model_copy(update=carried) for made in (system.large, system.twin))
    words = pair(system, f"wipe: {system.large.serial}\n")
    refuse_occupied(one, (one, other), words, system.large.serial, started=False)
    both = rf"`wipe: \[{system.large.serial}, {system.twin.serial}\]`"
    with pytest.raises(InUse, match=both):
        refuse_occupied(other, (one, other), words, system.twin.serial, started=False)


def test_one_half_that_was_installed_is_never_installed_again_by_the_same_document() -> None:
    system = Server({"eth0": "1"})
    words = pair(system, f"wipe: [{system.large.serial}, {system.twin.serial}]\n")
    devices = [observed(system, made.serial).device for made in (system.large, system.twin)]
    for number, device in enumerate(devices):
        system.tables[device] = f"{words.identity(number)}\n"
    assert len(judge(system, words)) == 2, "cut off before either had boot code"
    system.boot_codes[devices[1]] = "code"
    with pytest.raises(Conflict, match=r"was not, or not completely.*was not changed"):
        judge(system, words)
    del system.tables[devices[0]]
    with pytest.raises(Conflict, match="was not changed"):
        judge(system, words)
    system.tables[devices[0]] = f"{words.identity(0)}\n"
    system.boot_codes[devices[0]] = "code"
    with pytest.raises(Installed):
        judge(system, words)


def test_without_a_network_nothing_is_installed() -> None:
    static = "network: {interface: eth1}\n"
    with pytest.raises(NotFound, match="no interface of this machine has a link"):
        check_network(Server({"eth0": "0"}), document("a"))
    with pytest.raises(Conflict, match=r"interface eth1 has no link. Interfaces with one: eth0"):
        check_network(Server({"eth0": "1", "eth1": "0"}), document("a", static))
    with pytest.raises(NotFound, match="network interface eth1 does not exist"):
        check_network(Server({"eth0": "1"}), document("a", static))
    check_network(Server({"eth0": "0", "eth1": "1"}), document("a", static))
    check_network(Server({"eth0": "1"}), document("a", "network: {interface: '52:54:00:00:00:00'}\n"))
