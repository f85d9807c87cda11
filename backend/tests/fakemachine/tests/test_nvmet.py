"""The fake keeps nvmet's rules as Linux 6.12 does: each refusal was seen on a real kernel."""

import errno

import pytest

from backend.tests.agent.exports import dhchap_key
from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.nvme.nvmet import Refuse
from backend.tests.fakemachine.tests.test_configfs import refusal
from lunette.providers.exports.nvmet.configfs import ROOT
from lunette.providers.exports.nvmet.tree import WAITING

NQN, HOST = "nqn.2026-11.io.lunette:000000000001.00000001", "nqn.2014-08.org.nvmexpress:uuid:y"
SUBSYSTEM, NAMESPACE, PORT = f"{ROOT}/subsystems/{NQN}", f"{ROOT}/subsystems/{NQN}/namespaces/1", f"{ROOT}/ports/1"
KEY = f"{ROOT}/hosts/{HOST}/dhchap_key"
WHERE = "192.0.2.1:4420"


@pytest.fixture
def machine() -> FakeSystem:
    machine = FakeSystem()
    machine.add_disks(2)
    machine.run(["modprobe", "nvmet-tcp"])
    for path in (SUBSYSTEM, NAMESPACE, f"{ROOT}/hosts/{HOST}", PORT):
        machine.mkdir(path)
    for name, value in (("trtype", "tcp"), ("adrfam", "ipv4"), ("traddr", "192.0.2.1"), ("trsvcid", "4420")):
        machine.write(f"{PORT}/addr_{name}", value)
    return machine


@pytest.fixture
def served(machine: FakeSystem) -> FakeSystem:
    machine.write(f"{NAMESPACE}/device_path", "/dev/nvme1n1")
    machine.write(f"{NAMESPACE}/enable", "1")
    machine.symlink(f"{ROOT}/hosts/{HOST}", f"{SUBSYSTEM}/allowed_hosts/{HOST}")
    machine.symlink(SUBSYSTEM, f"{PORT}/subsystems/{NQN}")
    return machine


def test_a_namespace_is_enabled_only_with_a_device_that_is_there(machine: FakeSystem) -> None:
    machine.write(f"{NAMESPACE}/device_path", "/dev/none")
    assert refusal(machine.write, f"{NAMESPACE}/enable", "1") == errno.ENOENT
    assert refusal(machine.write, f"{NAMESPACE}/revalidate_size", "1") == errno.EINVAL
    assert refusal(machine.mkdir, f"{SUBSYSTEM}/namespaces/0") == errno.EINVAL


def test_an_enabled_namespace_retains_its_device_without_claiming_it(served: FakeSystem) -> None:
    for name, value in (("device_path", "/dev/nvme2n1"), ("device_uuid", "12345678-1234-4234-8234-123456789abc")):
        assert refusal(served.write, f"{NAMESPACE}/{name}", value) == errno.EBUSY
    assert served.read(f"{NAMESPACE}/device_path") == "/dev/nvme1n1\n"
    assert not served.is_held("/dev/nvme1n1")


def test_a_listening_port_retains_its_address(served: FakeSystem) -> None:
    assert refusal(served.write, f"{PORT}/addr_trsvcid", "4421") == errno.EACCES
    assert refusal(served.rmdir, PORT) == errno.ENOTEMPTY
    assert refusal(served.symlink, SUBSYSTEM, f"{PORT}/subsystems/again") == errno.EEXIST
    assert refusal(served.rmdir, SUBSYSTEM) == errno.EBUSY


def test_a_port_that_cannot_listen_takes_no_subsystem(served: FakeSystem) -> None:
    other = f"{ROOT}/ports/2"
    served.mkdir(other)
    for name, value in (("trtype", "tcp"), ("adrfam", "ipv4"), ("traddr", "198.51.100.9"), ("trsvcid", "4420")):
        served.write(f"{other}/addr_{name}", value)
    assert refusal(served.symlink, SUBSYSTEM, f"{other}/subsystems/{NQN}") == errno.EADDRNOTAVAIL
    served.write(f"{other}/addr_traddr", "192.0.2.1")
    assert refusal(served.symlink, SUBSYSTEM, f"{other}/subsystems/{NQN}") == errno.EADDRINUSE


def test_named_hosts_and_any_host_exclude_each_other(machine: FakeSystem) -> None:
    machine.write(f"{SUBSYSTEM}/attr_allow_any_host", "1")
    assert refusal(machine.symlink, f"{ROOT}/hosts/{HOST}", f"{SUBSYSTEM}/allowed_hosts/{HOST}") == errno.EINVAL
    machine.write(f"{SUBSYSTEM}/attr_allow_any_host", "0")
    machine.symlink(f"{ROOT}/hosts/{HOST}", f"{SUBSYSTEM}/allowed_hosts/{HOST}")
    assert refusal(machine.write, f"{SUBSYSTEM}/attr_allow_any_host", "1") == errno.EINVAL
    assert refusal(machine.rmdir, f"{ROOT}/hosts/{HOST}") == errno.EBUSY


def test_a_key_is_checked_by_its_form_and_cleared_by_a_nul(machine: FakeSystem) -> None:
    assert refusal(machine.write, KEY, "garbage") == errno.EINVAL
    machine.write(KEY, WAITING)
    assert machine.read(KEY) == f"{WAITING}\n"
    machine.write(KEY, "\0")
    assert machine.read(KEY) == "\n"


def test_who_is_refused_tries_again_only_where_the_key_cannot_be_decoded(served: FakeSystem) -> None:
    served.write(KEY, WAITING)
    with pytest.raises(Refuse) as waits:
        served.connect(HOST, NQN, WHERE)
    assert waits.value.retries
    served.write(KEY, dhchap_key(1))
    for host, subsystem in (("nqn.2014-08.org.nvmexpress:uuid:z", NQN), (HOST, f"{NQN}0"), (HOST, NQN)):
        with pytest.raises(Refuse) as refused:
            served.connect(host, subsystem, WHERE)
        assert not refused.value.retries


def test_a_host_that_is_allowed_no_more_stays_until_the_port_lets_the_subsystem_go(served: FakeSystem) -> None:
    connected = served.connect(HOST, NQN, WHERE)
    served.unlink(f"{SUBSYSTEM}/allowed_hosts/{HOST}")
    assert served.nvme
    assert served.nvme.devices(connected) == {1: "/dev/nvme1n1"}
    served.unlink(f"{PORT}/subsystems/{NQN}")
    with pytest.raises(ConnectionError):
        served.nvme.devices(connected)


def test_a_serial_cannot_change_once_a_host_has_seen_it(served: FakeSystem) -> None:
    served.write(f"{SUBSYSTEM}/attr_serial", "0123456789abcdef0123")
    assert refusal(served.write, f"{SUBSYSTEM}/attr_serial", "0123456789abcdef01234") == errno.EINVAL
    served.connect(HOST, NQN, WHERE)
    assert refusal(served.write, f"{SUBSYSTEM}/attr_serial", "1") == errno.EINVAL
