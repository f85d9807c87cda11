"""The fake keeps configfs's rules as the kernel does: each test is a refusal that providers have to live with."""

import errno

import pytest

from backend.tests.fakemachine import FakeSystem
from lunette.providers.exports.lio.configfs import ROOT as TARGET

IQN = "iqn.2026-11.io.lunette:000000000001.00000001"
INITIATOR = "iqn.2026-01.com.example:host1"
TPG = f"{TARGET}/iscsi/{IQN}/tpgt_1"
STORE = f"{TARGET}/core/iblock_0/vol"


@pytest.fixture
def machine() -> FakeSystem:
    machine = FakeSystem()
    machine.add_disks(2)
    machine.run(["modprobe", "target_core_mod"])
    return machine


@pytest.fixture
def exported(machine: FakeSystem) -> FakeSystem:
    """One backstore, one portal group with an ACL, the volume mapped as LUN 1."""
    for path in (f"{TARGET}/core/iblock_0", STORE):
        machine.mkdir(path)
    machine.write(f"{STORE}/control", "udev_path=/dev/nvme1n1")
    machine.write(f"{STORE}/wwn/vpd_unit_serial", "abc")
    machine.write(f"{STORE}/enable", "1")
    folders = ("iscsi", f"iscsi/{IQN}", f"iscsi/{IQN}/tpgt_1")
    for path in [f"{TARGET}/{folder}" for folder in folders]:
        machine.mkdir(path)
    for path in (f"{TPG}/np/192.0.2.1:3260", f"{TPG}/lun/lun_0", f"{TPG}/acls/{INITIATOR}"):
        machine.mkdir(path)
    machine.symlink(STORE, f"{TPG}/lun/lun_0/vol")
    machine.mkdir(f"{TPG}/acls/{INITIATOR}/lun_1")
    machine.symlink(f"{TPG}/lun/lun_0", f"{TPG}/acls/{INITIATOR}/lun_1/vol")
    machine.write(f"{TPG}/attrib/authentication", "0")
    machine.write(f"{TPG}/enable", "1")
    return machine


def refusal(action: object, *arguments: str) -> int | None:
    """The errno a call is refused with; None if it is not."""
    assert callable(action)
    try:
        action(*arguments)
    except OSError as error:
        return error.errno
    return None


def test_a_folder_is_created_with_its_default_groups_and_attributes(exported: FakeSystem) -> None:
    assert exported.listdir(TPG) == [
        "acls",
        "attrib",
        "auth",
        "dynamic_sessions",
        "enable",
        "lun",
        "np",
        "param",
        "rtpi",
    ]
    assert exported.read(f"{TPG}/attrib/generate_node_acls") == "0\n"
    assert "wwn" in exported.listdir(STORE)


def test_a_default_group_cannot_be_removed(exported: FakeSystem) -> None:
    assert refusal(exported.rmdir, f"{TPG}/acls") == errno.EPERM


def test_a_folder_with_something_a_user_made_inside_is_not_empty(exported: FakeSystem) -> None:
    assert refusal(exported.rmdir, TPG) == errno.ENOTEMPTY
    assert refusal(exported.rmdir, f"{TPG}/acls/{INITIATOR}") == errno.ENOTEMPTY
    assert refusal(exported.rmdir, f"{TPG}/acls/{INITIATOR}/lun_1") == errno.ENOTEMPTY
    assert refusal(exported.rmdir, f"{TARGET}/core/iblock_0") == errno.ENOTEMPTY


def test_what_a_link_points_to_is_busy(exported: FakeSystem) -> None:
    assert refusal(exported.rmdir, STORE) == errno.EBUSY
    assert refusal(exported.rmdir, f"{TPG}/lun/lun_0") == errno.EBUSY


def test_it_is_removed_from_the_leaves(exported: FakeSystem) -> None:
    exported.unlink(f"{TPG}/acls/{INITIATOR}/lun_1/vol")
    exported.rmdir(f"{TPG}/acls/{INITIATOR}/lun_1")
    exported.rmdir(f"{TPG}/acls/{INITIATOR}")
    exported.unlink(f"{TPG}/lun/lun_0/vol")
    exported.rmdir(f"{TPG}/lun/lun_0")
    exported.rmdir(f"{TPG}/np/192.0.2.1:3260")
    exported.rmdir(TPG)
    assert exported.is_held("/dev/nvme1n1")
    exported.rmdir(STORE)
    assert not exported.is_held("/dev/nvme1n1")


def test_making_what_is_there_is_eexist(exported: FakeSystem) -> None:
    assert refusal(exported.mkdir, STORE) == errno.EEXIST
    assert refusal(exported.symlink, STORE, f"{TPG}/lun/lun_0/vol") == errno.EEXIST
    assert refusal(exported.symlink, STORE, f"{TPG}/lun/lun_0/other") == errno.EEXIST


def test_an_unknown_attribute_is_enoent_and_a_read_only_one_eacces(exported: FakeSystem) -> None:
    assert refusal(exported.write, f"{TPG}/attrib/nonsense", "1") == errno.ENOENT
    assert refusal(exported.write, f"{STORE}/info", "1") == errno.EACCES
    assert refusal(exported.read, f"{STORE}/control") == errno.EACCES
    assert refusal(exported.unlink, f"{STORE}/info") == errno.EPERM


def test_the_serial_reads_back_with_a_prefix_and_is_fixed_while_exported(exported: FakeSystem) -> None:
    assert exported.read(f"{STORE}/wwn/vpd_unit_serial") == "T10 VPD Unit Serial Number: abc\n"
    assert refusal(exported.write, f"{STORE}/wwn/vpd_unit_serial", "def") == errno.EINVAL
    assert refusal(exported.write, f"{STORE}/wwn/company_id", "0x001405") == errno.EINVAL
    assert exported.read(f"{STORE}/wwn/company_id") == "0x001405\n"


@pytest.mark.parametrize(
    ("device", "code"), [("", errno.EINVAL), ("/dev/missing", errno.ENOENT), ("/dev/nvme2n1", errno.EBUSY)]
)
def test_a_backstore_needs_a_free_device(machine: FakeSystem, device: str, code: int) -> None:
    machine.blocks.open_exclusively("/dev/nvme2n1", "someone")
    machine.mkdir(f"{TARGET}/core/iblock_0")
    machine.mkdir(STORE)
    if device:
        machine.write(f"{STORE}/control", f"udev_path={device}")
    assert refusal(machine.write, f"{STORE}/enable", "1") == code
    assert machine.read(f"{STORE}/enable") == "0\n"


def test_an_enabled_backstore_retains_its_device(exported: FakeSystem) -> None:
    assert refusal(exported.write, f"{STORE}/control", "udev_path=/dev/nvme2n1") == errno.EEXIST
    assert refusal(exported.write, f"{STORE}/enable", "1") == errno.EEXIST
    assert refusal(exported.write, f"{STORE}/enable", "0") == errno.EINVAL


def test_a_lun_links_only_to_an_enabled_backstore(machine: FakeSystem) -> None:
    for path in ("core/iblock_0", "core/iblock_0/vol", "iscsi", f"iscsi/{IQN}", f"iscsi/{IQN}/tpgt_1"):
        machine.mkdir(f"{TARGET}/{path}")
    machine.mkdir(f"{TPG}/lun/lun_0")
    assert refusal(machine.symlink, STORE, f"{TPG}/lun/lun_0/vol") == errno.ENODEV
    assert refusal(machine.symlink, f"{TARGET}/core/iblock_0/none", f"{TPG}/lun/lun_0/vol") == errno.ENOENT
    assert refusal(machine.symlink, f"{TPG}/acls", f"{TPG}/lun/lun_0/vol") == errno.EFAULT
    assert refusal(machine.symlink, STORE, f"{TPG}/np/vol") == errno.EPERM


@pytest.mark.parametrize("name", ["iqn.2026-11.lunette:x", "disk1", "iqn.26-11.io.lunette:x", "iqn.2026-13.io.x:y"])
def test_a_target_needs_a_proper_iscsi_name(machine: FakeSystem, name: str) -> None:
    machine.mkdir(f"{TARGET}/iscsi")
    assert refusal(machine.mkdir, f"{TARGET}/iscsi/{name}") == errno.EINVAL


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("192.0.2.1:3261", None),
        ("0.0.0.0:3260", None),
        ("[::]:3260", None),
        ("[2001:db8::1]:3260", None),
        ("2001:db8::1:3260", errno.EINVAL),
        ("192.0.2.1", errno.EINVAL),
        ("198.51.100.9:3260", errno.EINVAL),
        ("192.0.2.1:70000", errno.EINVAL),
    ],
)
def test_a_portal_is_an_own_address_and_a_port(exported: FakeSystem, name: str, code: int | None) -> None:
    assert refusal(exported.mkdir, f"{TPG}/np/{name}") == code


def test_dbroot_is_fixed_once_a_fabric_is_there(machine: FakeSystem) -> None:
    machine.write(f"{TARGET}/dbroot", "/etc/target")
    assert refusal(machine.write, f"{TARGET}/dbroot", "/nowhere") == errno.EINVAL
    machine.mkdir(f"{TARGET}/iscsi")
    assert refusal(machine.write, f"{TARGET}/dbroot", "/etc/target") == errno.EINVAL


def test_chap_attributes_keep_what_was_written(exported: FakeSystem) -> None:
    auth = f"{TPG}/acls/{INITIATOR}/auth"
    exported.write(f"{auth}/userid", "bob\n")
    assert exported.read(f"{auth}/userid") == "bob\n\n"
    exported.write(f"{auth}/userid", "NULL")
    assert exported.read(f"{auth}/userid") == "NULL\n"
    assert exported.read(f"{auth}/authenticate_target") == "0\n"


def test_a_login_needs_an_open_portal_group_an_acl_and_the_secret(exported: FakeSystem) -> None:
    portal = "192.0.2.1:3260"
    session = exported.login(INITIATOR, IQN, portal)
    exported.write_data(exported.lun_device(session, 1), 0, "hello")
    assert exported.read_data("/dev/nvme1n1", 0) == "hello"
    with pytest.raises(PermissionError, match="0x0202"):
        exported.login("iqn.2026-01.com.example:other", IQN, portal)
    acl = f"{TPG}/acls/{INITIATOR}"
    exported.write(f"{acl}/attrib/authentication", "1")
    with pytest.raises(PermissionError, match="0x0201"):
        exported.login(INITIATOR, IQN, portal)
    exported.write(f"{acl}/auth/userid", "bob")
    exported.write(f"{acl}/auth/password", "secret-of-bob")
    with pytest.raises(PermissionError, match="0x0201"):
        exported.login(INITIATOR, IQN, portal, ("bob", "wrong-secret"))
    assert exported.login(INITIATOR, IQN, portal, ("bob", "secret-of-bob")).luns == {1: "vol"}
    exported.write(f"{TPG}/enable", "0")
    with pytest.raises(ConnectionError, match="session has ended"):
        exported.lun_device(session, 1)
    with pytest.raises(ConnectionError, match="not enabled"):
        exported.login(INITIATOR, IQN, portal)


def test_a_reboot_leaves_nothing_of_it(exported: FakeSystem) -> None:
    exported.reboot()
    assert not exported.exists(TARGET)
    exported.run(["modprobe", "target_core_mod"])
    assert exported.listdir(f"{TARGET}/core") == ["alua"]
    assert not exported.is_held("/dev/nvme1n1")


def test_a_link_reads_as_the_kernel_writes_it(exported: FakeSystem) -> None:
    link = f"{TPG}/lun/lun_0/vol"
    assert exported.readlink(link) == "../../../../../../target/core/iblock_0/vol"
    assert exported.realpath(link) == STORE
    assert exported.read(f"{link}/enable") == "1\n"
