"""The life of a ZFS pool: volumes grow and go back to snapshots, disks are exchanged under writes, and all data verify.

The module is compiled once per kernel (`image/build zfs`). A mirror lives in `make test`, on the appliance that tests
share; each loses as many disks at once as its level survives.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lunette.client import JsonObject, Refused
from lunette.domain.arrays import Level
from lunette.domain.sizes import KIB
from lunette.domain.volumes import BLOCK_BYTES
from lunette.providers.arrays.zfs import draid
from lunette.providers.arrays.zfs.module import most_cache
from lunette.providers.arrays.zfs.space import MIN_ASHIFT, dilution
from tests.e2e.counting import assert_agrees, fresh, of_volume
from tests.e2e.fabric import ARRAY, MEMBERS, Fabric
from tests.e2e.pool import (
    BLOCKS,
    NEW,
    OLD,
    SEED,
    SLOW_S,
    VOLUME_BYTES,
    Layout,
    Scenario,
    on_a_pool,
    pull_while_writing,
    scenario,
)
from tests.e2e.power import lives_through_a_power_cut, writing_to
from tests.e2e.waiting import wait_until
from tests.initiators import fio
from tests.lab.scene import MIB

pytestmark = [pytest.mark.qemu, pytest.mark.timeout(2400), pytest.mark.zfs]


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param(Layout("raid10", 4), id="raid10"),
        pytest.param(Layout("raidz1", 3), id="raidz1"),
        pytest.param(Layout("raidz2", 4, pulled=2), id="raidz2"),
        pytest.param(Layout("raidz3", 5, pulled=3), id="raidz3"),
        pytest.param(Layout("draid1", 5), id="draid1"),
    ],
)
@pytest.mark.slow
def test_disks_are_lost_and_replaced_while_a_host_writes(layout: Layout) -> None:
    with scenario(layout) as stands:
        is_as_planned(stands)
        device = wait_until("the host finds its volume", stands.comes_in, deadline_s=SLOW_S)
        is_counted(stands, device)
        loses_and_replaces(stands, device)


@pytest.mark.power_cut
def test_a_mirror_lives_through_snapshots_growth_lost_disks_and_a_power_cut(fabric: Fabric) -> None:
    """The power goes while a host writes to a RAID5 of the same appliance, in the middle of a job."""
    layout, blank = Layout("mirror", 2), fabric.appliance.disk_ids("nvme")[MEMBERS:]
    with fabric.cleared() as made, on_a_pool(made, layout, blank) as stands:
        is_as_planned(stands)
        device = wait_until("the host finds its volume", stands.comes_in, deadline_s=SLOW_S)
        device = grows_and_goes_back_to_a_snapshot(stands, device)
        with writing_to(made, ARRAY, stands.host) as writer:
            loses_and_replaces(stands, device, lambda: lives_through_a_power_cut(writer))


def loses_and_replaces(stands: Scenario, device: str, go_down: Callable[[], None] | None = None) -> None:
    """Disks are pulled and replaced while the host writes; then the machine is reset, or `go_down` does worse to it."""
    layout = stands.layout
    stands.host.start_logged_writer(device, SEED, BLOCKS, 2400)
    lost = stands.ids[: layout.pulled]
    serials = pull_while_writing(stands, device, lost)
    for old, new in zip(lost, stands.ids[layout.disks :], strict=True):
        stands.client.wait(stands.client.post("/arrays/tank:replace", {"disk": old, "new": new}), deadline_s=SLOW_S)
    stands.wait_for("clean")
    assert "resilvered" in stands.guest("zpool status")
    wait_until("the alert is over", lambda: not stands.alerts(), deadline_s=SLOW_S)
    assert stands.members() == set(stands.ids) - set(lost)

    for serial in serials:
        stands.made.machine.insert(serial)
    before = stands.host.acknowledged(device, SEED)
    wait_until("the host still writes", lambda: stands.host.acknowledged(device, SEED) > before + 20)
    stands.host.stop_logged_writer(device, SEED)
    stands.host.logout(stands.target)
    comes_back(stands, device, lost, go_down or stands.reset)


def is_as_planned(stands: Scenario) -> None:
    """The pool's options are those of the decision, and the planner's figure of its size is ZFS's own."""
    array = stands.array()
    assert (array["health"], array["level"], array["write_hole"]) == ("clean", stands.layout.level, "copy_on_write")
    pool = stands.guest("zpool list -H -o name")
    assert stands.guest(f"zpool get -H -o value ashift,cachefile,autoexpand {pool}").split() == ["12", "none", "off"]
    shown = stands.guest(f"zfs get -H -p -o value compression,atime,mountpoint,canmount {pool}").split()
    assert shown == ["lz4", "off", "none", "off"]
    wait_until(
        "what is planned for volumes is what ZFS has for them",
        lambda: array["usable_bytes"] == room_for_volumes(stands, pool),
    )
    assert array["free_bytes"] + VOLUME_BYTES < array["usable_bytes"]
    limit = stands.guest("awk '$1 == \"c_max\" {print $3}' /proc/spl/kstat/zfs/arcstats")
    memory_kib = stands.guest("awk '/MemTotal/ {print $2}' /proc/meminfo")
    assert int(limit) == most_cache(int(memory_kib) * KIB), "the kernel took the limit of the cache"
    zvol = stands.guest("udevadm info --query=property --name=/dev/zd0")
    assert "UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG=1" in zvol, "what hosts keep in it would be probed"


def room_for_volumes(stands: Scenario, pool: str) -> int:
    """By ZFS's own figures, which are of 128 KiB blocks, less what the padding of a volume's smaller blocks takes.

    ZFS reads the two one after the other: while it writes, they may be of different moments.
    """
    used, available = stands.guest(f"zfs get -H -p -o value used,available {pool}").split()
    level, disks = Level(stands.layout.level), stands.layout.disks
    shape = draid.shape(level, disks, MIN_ASHIFT) if level in draid.LEVELS else None
    return int((int(used) + int(available)) / dilution(level, disks, BLOCK_BYTES, MIN_ASHIFT, shape))


def is_counted(stands: Scenario, device: str) -> None:
    """Metrics agree with what fio did to the volume; the pool takes in at least what was written."""
    endpoint = stands.made.access.endpoint
    before = fresh(endpoint)
    done = fio.mixed(stands.host.machine, device, block_bytes=16384, total_bytes=16 * MIB, span_bytes=16 * MIB)
    after = fresh(endpoint)
    assert_agrees(before, after, of_volume(done), volume="lun")
    written = [one.sum("lunette_array_written_bytes_total", array="tank") for one in (before, after)]
    assert written[0] is not None
    assert written[1] is not None
    assert written[1] - written[0] >= done.written_bytes


def grows_and_goes_back_to_a_snapshot(stands: Scenario, device: str) -> str:
    """A thick zvol: hosts see it grow; a clone and a rollback have the old content. Returns the host's new device."""
    client, host = stands.client, stands.host
    host.write_pattern(device, OLD, BLOCKS)
    client.wait(client.post("/snapshots", {"name": "before", "volume": "lun"}), deadline_s=SLOW_S)
    host.write_pattern(device, NEW, BLOCKS)
    client.wait(client.delete("/snapshots/before"), deadline_s=SLOW_S)
    client.wait(client.act("/deleted-snapshots/before", "recover", {}), deadline_s=SLOW_S)
    client.wait(client.act("/volumes/lun", "grow", {"size_bytes": 2 * VOLUME_BYTES}), deadline_s=SLOW_S)
    client.wait(client.act("/snapshots/before", "clone", {"name": "copy"}), deadline_s=SLOW_S)
    client.post("/mappings", {"volume": "copy", "host": "writer", "lun": 9})
    wait_until("the clone is served", lambda: all(one["state"] == "open" for one in client.list("/mappings")))
    host.rescan(stands.target)
    seen = host.devices(stands.target, expected=2)
    assert seen[1] == device
    assert int(host.machine.check(f"blockdev --getsize64 {device}")) == 2 * VOLUME_BYTES
    host.verify_pattern(seen[9], OLD, BLOCKS)
    host.verify_pattern(device, NEW, BLOCKS)
    host.logout(stands.target)
    for mapping in client.list("/mappings"):
        client.delete(f"/mappings/{mapping['id']}", confirm=[mapping["volume"]])
    with pytest.raises(Refused, match=r"its clones depend on it: .*copy"):
        client.delete("/snapshots/before")
    client.wait(client.act("/volumes/lun", "roll-back", {"snapshot": "before"}), deadline_s=SLOW_S)
    client.post("/mappings", {"volume": "lun", "host": "writer", "lun": 1})
    again = wait_until("the host finds its volume", stands.comes_in, deadline_s=SLOW_S)
    assert int(host.machine.check(f"blockdev --getsize64 {again}")) == 2 * VOLUME_BYTES
    host.verify_pattern(again, OLD, BLOCKS)
    has_what_it_held_before(stands)
    return wait_until("the host finds its volume", stands.comes_in, deadline_s=SLOW_S)


def has_what_it_held_before(stands: Scenario) -> None:
    """What the rollback retained is recovered as another volume, read, and erased. The host is logged out then."""
    client, host = stands.client, stands.host
    (kept,) = client.list("/deleted-volumes")
    client.wait(client.act(f"/deleted-volumes/{kept['id']}", "recover", {"name": "then"}), deadline_s=SLOW_S)
    mapping = client.post("/mappings", {"volume": "then", "host": "writer", "lun": 10})
    wait_until("it is served", lambda: all(one["state"] == "open" for one in client.list("/mappings")))
    host.rescan(stands.target)
    host.verify_pattern(host.devices(stands.target, expected=2)[10], NEW, BLOCKS)
    host.logout(stands.target)
    client.delete(f"/mappings/{mapping['id']}", confirm=["then"])
    comes_and_goes_with_its_snapshot(stands, "then")


def comes_and_goes_with_its_snapshot(stands: Scenario, volume: str) -> None:
    """A zvol and its snapshot that were deleted come back together, and are erased together."""
    client = stands.client

    def done(job: JsonObject) -> None:
        client.wait(job, deadline_s=SLOW_S)

    done(client.post("/snapshots", {"name": "of-it", "volume": volume}))
    done(client.delete("/snapshots/of-it"))
    done(client.delete(f"/volumes/{volume}", confirm=[volume]))
    done(client.act(f"/deleted-volumes/{volume}", "recover", {}))
    done(client.act("/deleted-snapshots/of-it", "recover", {}))
    done(client.delete("/snapshots/of-it"))
    done(client.delete(f"/volumes/{volume}", confirm=[volume]))
    done(client.delete(f"/deleted-volumes/{volume}"))
    assert ([*client.list("/deleted-snapshots")], client.get("/drift")["items"]) == ([], [])


def are_taken_at_one_moment(stands: Scenario, *volumes: str) -> None:
    """ZFS's own proof: all of them were made by one transaction group."""
    spec = {"volumes": volumes, "name": "{volume}.together", "atomic": True}
    stands.client.wait(stands.client.post("/snapshots:create-batch", spec), deadline_s=SLOW_S)
    rows = stands.guest("zfs list -H -t snapshot -o createtxg,io.lunette:together").splitlines()
    made = [row.split() for row in rows if not row.endswith("-")]
    assert len(made) == len(volumes)
    assert len({txg for txg, _ in made}) == 1
    for name in volumes:
        stands.client.wait(stands.client.delete(f"/snapshots/{name}.together"), deadline_s=SLOW_S)


def comes_back(stands: Scenario, device: str, lost: list[str], go_down: Callable[[], None]) -> None:
    """Disks that were pulled lie in the shelf again, with labels of this pool: they take no part."""
    hostid = stands.guest("od -An -tx1 /etc/hostid")
    assert len(hostid.split()) == 4
    go_down()
    found = wait_until("the host finds its volume again", stands.comes_in, deadline_s=SLOW_S)
    assert found == device, "the log of the writes is kept by device"
    assert stands.host.verify_logged(device, SEED) > 0
    stands.host.logout(stands.target)
    stands.made.wait_for_api()
    stands.wait_for("clean")
    assert stands.members() == set(stands.ids) - set(lost)
    assert not any(disk in stands.guest("zpool status -P") for disk in lost)
    assert stands.client.get(f"/disks/{lost[0]}")["state"] != "free"
    assert stands.guest("od -An -tx1 /etc/hostid") == hostid


@pytest.mark.slow
def test_log_cache_and_special_disks_are_lost_come_back_and_leave() -> None:
    """What ZFS does without each of them, and that no acknowledged write is lost with a log."""
    with scenario(Layout("mirror", 2, auxiliary=(("log", 2), ("cache", 1), ("special", 2)))) as stands:
        first, second, cache, special, _, new = stands.ids[2:]
        shown = stands.guest("zpool status -P")
        assert all(word in shown for word in ("logs", "cache", "special", *stands.ids[:7]))
        device = wait_until("the host finds its volume", stands.comes_in, deadline_s=SLOW_S)
        stands.host.start_logged_writer(device, SEED, BLOCKS, 2400)
        wait_until("the host writes", lambda: stands.host.acknowledged(device, SEED) > 20, deadline_s=SLOW_S)
        loses_what_holds_no_data(stands, cache, first)
        client = stands.client
        client.wait(client.act("/arrays/tank", "remove", {"disk": first}), deadline_s=SLOW_S)
        client.wait(client.act("/arrays/tank", "replace", {"disk": special, "new": new}), deadline_s=SLOW_S)
        stands.wait_for("clean")
        comes_back_only_with_its_log(stands, device, second)
        client.wait(client.act("/arrays/tank", "remove", {"disk": second}), deadline_s=SLOW_S)
        assert "logs" not in stands.guest("zpool status")
        with pytest.raises(Refused, match="holds metadata"):
            client.act("/arrays/tank", "remove", {"disk": new})
        client.wait(client.act("/arrays/tank", "add-disks", {"role": "log", "disks": [second]}), deadline_s=SLOW_S)
        assert "logs" in stands.guest("zpool status")


def loses_what_holds_no_data(stands: Scenario, *lost: str) -> None:
    """A cache and a leg of the log are pulled while the host writes: the array stays clean, and alerts say so."""
    for disk in lost:
        serial = str(stands.client.get(f"/disks/{disk}")["serial"])
        stands.made.machine.pull(serial)
    wait_until("both are told", lambda: len(stands.alerts("array.disk")) == len(lost), deadline_s=SLOW_S)
    assert all("No data is in danger" in alert["cause"] for alert in stands.alerts("array.disk"))
    assert stands.array()["health"] == "clean"
    before = stands.host.acknowledged(stands.host.devices(stands.target, expected=1)[1], SEED)
    device = stands.host.devices(stands.target, expected=1)[1]
    wait_until("the host goes on", lambda: stands.host.acknowledged(device, SEED) > before + 20, deadline_s=SLOW_S)


def comes_back_only_with_its_log(stands: Scenario, device: str, log: str) -> None:
    """Without the log it does not start, and says why; with it, every acknowledged write is there."""
    machine = stands.made.machine
    serial = str(stands.client.get(f"/disks/{log}")["serial"])
    machine.pull(serial)
    machine.reset()
    # It must not continue when the path is back: another pass over the volume would overwrite what was lost.
    stands.host.stop_logged_writer(device, SEED)
    machine.wait_for_shell()
    stands.made.wait_for_api()

    def says_why() -> bool:
        return "its log disks are missing" in str(stands.client.get("/volumes/lun")["export"]["reason"])

    wait_until("it says what it waits for", says_why, deadline_s=SLOW_S)
    machine.insert(serial)
    wait_until("the host's path is back", lambda: stands.host.is_connected(stands.target), deadline_s=SLOW_S)
    assert stands.host.verify_logged(device, SEED) > 0
    stands.host.logout(stands.target)
    stands.wait_for("clean")


@pytest.mark.slow
@pytest.mark.parametrize(
    "layout",
    [
        pytest.param(Layout("mirror", 2, auxiliary=(("spares", 1),)), id="a disk"),
        pytest.param(Layout("draid1", 4), id="distributed"),
    ],
)
def test_a_spare_steps_in_by_itself_and_stands_by_again(layout: Layout) -> None:
    with scenario(layout) as stands:
        device = wait_until("the host finds its volume", stands.comes_in, deadline_s=SLOW_S)
        stands.host.start_logged_writer(device, SEED, BLOCKS, 2400)
        lost, new = stands.ids[0], stands.ids[-1]
        (serial,) = pull_while_writing(stands, device, [lost])
        stands.wait_for("clean")
        assert "spare-" in stands.guest("zpool status")
        (alert,) = wait_until("the lost disk is told", lambda: stands.alerts("array.disk"), deadline_s=SLOW_S)
        assert lost in alert["message"]
        replaced = stands.client.post("/arrays/tank:replace", {"disk": lost, "new": new})
        stands.client.wait(replaced, deadline_s=SLOW_S)
        wait_until("the spare is free", lambda: "AVAIL" in stands.guest("zpool status"), deadline_s=SLOW_S)
        stands.wait_for("clean")
        wait_until("the alert is over", lambda: not stands.alerts("array.disk"), deadline_s=SLOW_S)
        stands.host.stop_logged_writer(device, SEED)
        assert stands.host.verify_logged(device, SEED) > 0
        stands.made.machine.insert(serial)


@pytest.mark.slow
def test_a_pool_is_exported_takes_a_disk_back_and_repairs_what_was_silently_changed() -> None:
    with scenario(Layout("raidz1", 3)) as stands:
        device = wait_until("the host finds its volume", stands.comes_in, deadline_s=SLOW_S)
        stands.host.write_pattern(device, SEED, BLOCKS)
        stands.host.logout(stands.target)
        second = {"name": "second", "array": "tank", "size_bytes": VOLUME_BYTES}
        stands.client.wait(stands.client.post("/volumes", second), deadline_s=SLOW_S)
        are_taken_at_one_moment(stands, "lun", "second")
        an_orderly_shutdown_exports_it(stands)
        device = wait_until("the host finds its volume again", stands.comes_in, deadline_s=SLOW_S)
        stands.host.verify_pattern(device, SEED, BLOCKS)
        a_disk_that_was_away_comes_back(stands, device)
        a_scrub_repairs_and_counts(stands)
        stands.host.verify_pattern(device, SEED + 1, BLOCKS)
        stands.wait_for("clean")


def an_orderly_shutdown_exports_it(stands: Scenario) -> None:
    stands.made.machine.stop(deadline_s=300)
    stands.made.machine.start()
    stands.made.wait_for_api()
    stands.wait_for("clean")
    assert "zpool export" in stands.guest("zpool history")


def a_disk_that_was_away_comes_back(stands: Scenario, device: str) -> None:
    """What it missed is copied to it, without anybody asking for it."""
    serial = str(stands.client.get(f"/disks/{stands.ids[2]}")["serial"])
    stands.made.machine.pull(serial)
    stands.host.write_pattern(device, SEED + 1, BLOCKS)
    stands.wait_for("degraded")
    stands.made.machine.insert(serial)
    stands.wait_for("clean")
    assert "resilvered" in stands.guest("zpool status")


def a_scrub_repairs_and_counts(stands: Scenario) -> None:
    raw = stands.client.get(f"/disks/{stands.ids[0]}")["observed"]["device"]
    stands.guest(f"dd if=/dev/urandom of={raw}p1 bs=1M seek=8 count=400 conv=notrunc,fsync")
    stands.client.wait(stands.client.post("/arrays/tank:scrub", {"action": "check"}), deadline_s=SLOW_S)

    def repaired() -> bool:
        observed = stands.array()["observed"]
        return bool(observed["progress"] is None and observed["mismatch_count"])

    wait_until("the scrub is over and has counted", repaired, deadline_s=SLOW_S)
