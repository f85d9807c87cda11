"""What a raid5 that becomes a raid6 relies on, on the kernel's own md with mdadm's own commands: decision 0048.

As test_reshape.py does for more disks: the guest is killed in the middle, under writes. While the new disk is filled,
the array counts as dirty and degraded for mdadm, which starts it by force. Afterward the array is stopped and assembled
again: its superblocks say what the kernel showed.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.test_reshape import DATA_MIB, SUM, SYS, UUID, WRITER, Shape, agree, boot, create, new_offset_kib, read
from tests.e2e.waiting import wait_until
from tests.machines.model import MachineError
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(600)]
ASSEMBLE = f"mdadm --assemble --config=none --homehost=lunette --uuid={UUID} /dev/md/grow "
SLOWLY = f"echo 2000 >{SYS}/sync_speed_max; echo 1000 >{SYS}/sync_speed_min"
MEMBERS = [f"/dev/ubd{letter}" for letter in "bcdef"]
Q_LAST = "18"
"""left-symmetric-6: all of the second parity is on the last disk."""


@pytest.fixture
def machine() -> Iterator[Uml]:
    """Five disks of 128 MiB, and a shell."""
    with Uml("relevel", disks=5, disk_mib=128, product=False, init="/bin/bash") as made:
        boot(made)
        yield made


def becomes_raid6(machine: Uml, policy: str) -> tuple[str, int]:
    """A raid5 of three disks, which is taken over with a fourth; the sum of its data, and its size."""
    kept = "--consistency-policy=ppl" if policy == "ppl" else "--bitmap=internal"
    made = create(machine, Shape("raid5", 3, kept), MEMBERS[:4])
    machine.check(f"mdadm --manage /dev/md127 --add {MEMBERS[3]}")
    if policy == "ppl":
        machine.check(
            "mdadm --grow /dev/md127 --consistency-policy=resync && mdadm --grow /dev/md127 --bitmap=internal"
        )
    assert read(machine, "consistency_policy") == "bitmap"
    machine.check(SLOWLY)
    machine.check("mdadm --grow /dev/md127 --level=6 --raid-devices=4 --layout=preserve", timeout_s=60)
    assert (read(machine, "level"), read(machine, "raid_disks"), read(machine, "layout")) == ("raid6", "4", Q_LAST)
    wait_until("it is filled", lambda: read(machine, "sync_action") == "recover", deadline_s=10)
    assert read(machine, "consistency_policy") == "bitmap"
    return made


def assemble(machine: Uml, members: list[str], options: str = "") -> None:
    machine.check(f"{ASSEMBLE} {options} {' '.join(members)}", timeout_s=60)


def killed(machine: Uml) -> None:
    machine.check(WRITER.format(at=DATA_MIB * 256))  # so it is not clean when it is cut
    machine.kill()
    boot(machine)


def goes_on_to_the_end(machine: Uml) -> None:
    machine.check(f"echo active >{SYS}/array_state; echo 400000 >{SYS}/sync_speed_max")
    wait_until(
        "it is whole",
        lambda: (
            (read(machine, "degraded"), read(machine, "reshape_position"), read(machine, "sync_action"))
            == ("0", "none", "idle")
        ),
        deadline_s=120,
    )


def checksum(machine: Uml) -> str:
    return machine.check(SUM.format(mib=DATA_MIB))


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["ppl", "bitmap"])
def test_a_raid5_becomes_a_raid6_and_a_kill_while_its_disk_is_filled_loses_nothing(machine: Uml, policy: str) -> None:
    before, size = becomes_raid6(machine, policy)
    assert checksum(machine) == before
    killed(machine)
    with pytest.raises(MachineError, match="while not clean"):
        assemble(machine, MEMBERS[:4])
    machine.check("mdadm --stop /dev/md127 || true")
    assemble(machine, MEMBERS[:4], "--force --run")
    assert (read(machine, "level"), read(machine, "layout")) == ("raid6", Q_LAST)
    assert checksum(machine) == before
    goes_on_to_the_end(machine)
    machine.check(f"echo repair >{SYS}/sync_action")
    wait_until("the repair is over", lambda: read(machine, "sync_action") == "idle", deadline_s=120)
    agree(machine)
    machine.check("mdadm --stop /dev/md127")
    assemble(machine, MEMBERS[:4])
    assert (read(machine, "level"), read(machine, "layout"), read(machine, "degraded")) == ("raid6", Q_LAST, "0")
    assert int(machine.check("blockdev --getsize64 /dev/md127")) == size
    for lost in MEMBERS[:2]:
        machine.check(f"mdadm --manage /dev/md127 --fail {lost}")
    assert checksum(machine) == before, "any two disks may be lost"


@pytest.mark.slow
def test_such_a_raid6_grows_in_its_own_layout_also_if_it_is_killed(machine: Uml) -> None:
    """In another layout Linux 7.2 would forget after a kill that it is another: what changes is the number alone."""
    before, _ = becomes_raid6(machine, "bitmap")
    goes_on_to_the_end(machine)
    machine.check(f"mdadm --manage /dev/md127 --add {MEMBERS[4]}; {SLOWLY}")
    offset = new_offset_kib(machine, Shape("raid6", 4, ""), MEMBERS)
    machine.check(f"mdadm --grow /dev/md127 --raid-devices=5 --data-offset={offset}K --layout=preserve", timeout_s=60)
    wait_until("it is in its middle", lambda: int(read(machine, "reshape_position")) > 40000, deadline_s=60)
    killed(machine)
    assemble(machine, MEMBERS)
    goes_on_to_the_end(machine)
    machine.check(f"echo default >{SYS}/array_size; echo repair >{SYS}/sync_action")
    wait_until("the repair is over", lambda: read(machine, "sync_action") == "idle", deadline_s=120)
    machine.check("mdadm --stop /dev/md127")
    assemble(machine, MEMBERS)
    assert (read(machine, "layout"), read(machine, "raid_disks")) == (Q_LAST, "5")
    assert checksum(machine) == before
    machine.check(f"echo active >{SYS}/array_state")
    agree(machine)
