"""The kernel's initiator against a target of the same kernel: what it reports as refused, lost and intact is true."""

import json
import time
from collections.abc import Iterator

import pytest

from lunette.providers.exports.lio import refused
from tests.initiators.kernel import KernelInitiator, LoginFailed
from tests.initiators.libiscsi import Chap, LibiscsiInitiator
from tests.initiators.report_luns import Refused, report_luns
from tests.machines import Uml
from tests.machines.netns import GUEST_ADDRESS
from tests.machines.pace import deadline

pytestmark = [pytest.mark.uml, pytest.mark.timeout(300)]

TARGET = "iqn.2026-11.io.lunette.test:target"
OPEN, LOCKED, STRANGER = (f"iqn.2026-11.com.example:{name}" for name in ("open", "locked", "stranger"))
CHAP = Chap("user1", "secret-of-12", "user2", "mutual-of-12")
BLOCKS = 1024
_TARGET = f"""
set -e
mount -t proc proc /proc; mount -t sysfs sys /sys; modprobe configfs
mount -t configfs configfs /sys/kernel/config
ip link set lo up; ip address add {GUEST_ADDRESS}/24 dev vec0; ip link set vec0 up
mkdir -p /etc/target/pr /etc/target/alua
modprobe -a target_core_mod iscsi_target_mod target_core_iblock
cd /sys/kernel/config/target
mkdir -p core/iblock_0/one
echo udev_path=/dev/ubdb > core/iblock_0/one/control; echo 1 > core/iblock_0/one/enable
for tag in 1 2; do
    mkdir -p iscsi/{TARGET}$tag/tpgt_1
    cd iscsi/{TARGET}$tag/tpgt_1
    mkdir np/0.0.0.0:3260
    mkdir lun/lun_1; ln -s /sys/kernel/config/target/core/iblock_0/one lun/lun_1/one
    for name in {OPEN} {LOCKED}; do
        mkdir acls/$name acls/$name/lun_1; ln -s $PWD/lun/lun_1 acls/$name/lun_1/one
    done
    cd /sys/kernel/config/target
done
cd iscsi/{TARGET}2/tpgt_1
echo -n 1 > attrib/authentication
for pair in userid={CHAP.user} password={CHAP.secret} \
            userid_mutual={CHAP.mutual_user} password_mutual={CHAP.mutual_secret}; do
    echo -n "${{pair#*=}}" > acls/{LOCKED}/auth/"${{pair%%=*}}"
done
echo 0 > ../../{TARGET}1/tpgt_1/attrib/authentication
for tag in 1 2; do echo 1 > ../../{TARGET}$tag/tpgt_1/enable; done
"""


@pytest.fixture(scope="module")
def hosts() -> Iterator[KernelInitiator]:
    with KernelInitiator("initiator-hosts") as made:
        yield made


@pytest.fixture(scope="module")
def target() -> Iterator[Uml]:
    """A machine with one disk, exported by two targets: 1 is open, 2 wants CHAP both ways."""
    with Uml("initiator-target", disks=1, disk_mib=64, product=False, init="/bin/bash") as made:
        made.start()
        export(made)
        yield made


def export(machine: Uml) -> None:
    machine.wait_for_shell()
    machine.check(_TARGET)


def portal(machine: Uml) -> str:
    return f"{machine.address}:{machine.forward(3260)}"


def test_who_may_log_in_does_and_who_may_not_is_refused(hosts: KernelInitiator, target: Uml) -> None:
    refused = [None, Chap("user1", "wrong-secret-"), Chap("user1", CHAP.secret, "user2", "wrong-mutual-")]
    for chap in refused:
        with pytest.raises(LoginFailed):
            hosts.login(f"{TARGET}2", portal(target), LOCKED, chap)
    with pytest.raises(LoginFailed):
        hosts.login(f"{TARGET}1", portal(target), STRANGER)
    hosts.login(f"{TARGET}2", portal(target), LOCKED, CHAP)
    hosts.login(f"{TARGET}1", portal(target), OPEN)
    assert hosts.is_connected(f"{TARGET}1")
    assert list(hosts.devices(f"{TARGET}2", expected=1)) == [1]
    hosts.logout(f"{TARGET}1")
    hosts.logout(f"{TARGET}2")


def test_an_initiator_from_outside_is_told_its_luns_or_refused(target: Uml) -> None:
    port = target.forward(3260)
    assert report_luns(LibiscsiInitiator(OPEN, "127.0.0.1", port), f"{TARGET}1") == [1]
    one_way = Chap(CHAP.user, CHAP.secret)
    assert report_luns(LibiscsiInitiator(LOCKED, "127.0.0.1", port, one_way), f"{TARGET}2") == [1]
    for name, tag, chap in ((LOCKED, 2, None), (LOCKED, 2, Chap("user1", "wrong-secret-")), (STRANGER, 1, None)):
        with pytest.raises(Refused):
            report_luns(LibiscsiInitiator(name, "127.0.0.1", port, chap), f"{TARGET}{tag}")


def test_the_log_alone_has_the_name_of_an_initiator_that_nobody_knows(target: Uml) -> None:
    """What `providers/exports/lio/refused.py` depends on; a known initiator with a wrong secret has no such line."""
    port = target.forward(3260)
    for name, chap in ((LOCKED, Chap("user1", "wrong-secret-")), (STRANGER.upper().replace("IQN", "iqn"), None)):
        with pytest.raises(Refused):
            report_luns(LibiscsiInitiator(name, "127.0.0.1", port, chap), f"{TARGET}2")
    lines = json.loads(target.check("dmesg --json"))["dmesg"]
    reported = [json.dumps({"MESSAGE": line["msg"], "__REALTIME_TIMESTAMP": "1"}) for line in lines]
    assert {one.initiator for one in refused.parse("\n".join(reported))} == {STRANGER}
    shown = target.check(
        f"cat /sys/kernel/config/target/iscsi/{TARGET}2/fabric_statistics/iscsi_tgt_attr/fail_intr_name"
    )
    assert shown.strip() == "Unknown"


def test_a_pattern_survives_logout_and_a_changed_block_is_found(hosts: KernelInitiator, target: Uml) -> None:
    hosts.login(f"{TARGET}1", portal(target), OPEN)
    hosts.write_pattern(hosts.devices(f"{TARGET}1", expected=1)[1], seed=3, blocks=BLOCKS)
    hosts.logout(f"{TARGET}1")
    hosts.login(f"{TARGET}1", portal(target), OPEN)
    device = hosts.devices(f"{TARGET}1", expected=1)[1]
    hosts.verify_pattern(device, seed=3, blocks=BLOCKS)
    hosts.write_pattern(device, seed=4, blocks=1, first=17)
    with pytest.raises(AssertionError, match=r"1 wrong blocks.*block 17 of seed 4"):
        hosts.verify_pattern(device, seed=3, blocks=BLOCKS)
    hosts.logout(f"{TARGET}1")


def test_writes_wait_for_a_target_that_was_killed_and_none_acknowledged_is_lost(
    hosts: KernelInitiator, target: Uml
) -> None:
    hosts.login(f"{TARGET}1", portal(target), OPEN)
    device = hosts.devices(f"{TARGET}1", expected=1)[1]
    hosts.start_logged_writer(device, seed=5, blocks=64)
    wait_for_writes(hosts, device, 200)
    target.kill()
    before = hosts.acknowledged(device, 5)
    target.start()
    export(target)
    wait_for_writes(hosts, device, before + 100)
    hosts.stop_logged_writer(device, 5)
    assert hosts.verify_logged(device, 5) == 64
    hosts.logout(f"{TARGET}1")


def wait_for_writes(hosts: KernelInitiator, device: str, count: int) -> None:
    end = deadline(90)
    while hosts.acknowledged(device, 5) < count:
        assert time.monotonic() < end, f"fewer than {count} writes were acknowledged within 90 s"
        time.sleep(0.2)
