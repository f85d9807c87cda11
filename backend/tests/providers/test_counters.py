"""Counters as the kernel shows them. What it does not count is None, never 0."""

from backend.tests.fakemachine import FakeSystem
from backend.tests.recorded import recorded
from lunette.domain.counters import BlockCounters, PortKind
from lunette.providers.arrays.zfs import counters as zfs
from lunette.providers.disks import diskstats
from lunette.providers.fabrics import port_counters

WWPN = "50:00:00:00:00:00:00:01"
DISKSTATS = """\
 259       0 nvme0n1 1184 4 91234 377 902 11 70144 1403 2 1610 1792 7 0 2048 9 31 2
 253       3 dm-3 20 0 160 5 0 0 0 0 0 5 5 0 0 0 0 0 0
   8       1 sda1 10 1 80 3 2 0 16 1 0 4 4
   7       0 loop0 broken
"""
IOSTATS = """\
15 1 0x01 26 5176 227423 2127661979232
name                            type data
trim_extents_written            4    0
arc_read_count                  4    12
arc_read_bytes                  4    5000
arc_write_count                 4    7
arc_write_bytes                 4    3000
direct_read_count               4    1
direct_read_bytes               4    500
direct_write_count              4    2
direct_write_bytes              4    200
"""
NET = """\
Inter-|   Receive                               |  Transmit
 face |bytes    packets errs drop fifo ... |bytes    packets errs drop fifo ...
    lo:  2776     34    0    0    0     0          0         0     2776     34    0    0    0     0       0          0
  eth0:1215743542  861    3    0    0     0          0         0  9000   1861    0    0    0     0       0          0
"""


def test_a_device_is_counted_in_sectors_of_512_bytes_and_milliseconds() -> None:
    assert diskstats.parse(DISKSTATS)["nvme0n1"] == BlockCounters(
        reads=1184,
        read_bytes=91234 * 512,
        writes=902,
        write_bytes=70144 * 512,
        read_ms=377,
        write_ms=1403,
        in_flight=2,
        busy_ms=1610,
        discards=7,
        discard_bytes=2048 * 512,
        flushes=31,
    )


def test_an_old_kernel_counts_no_discards_and_an_invalid_line_is_skipped() -> None:
    found = diskstats.parse(DISKSTATS)
    assert found.keys() == {"nvme0n1", "dm-3", "sda1"}
    assert (found["sda1"].discards, found["sda1"].discard_bytes, found["sda1"].flushes) == (None, None, None)


def test_a_pool_is_counted_through_memory_and_past_it_and_has_no_times() -> None:
    machine = FakeSystem()
    machine.files.seed("/kstat", IOSTATS.encode())
    reported = zfs.parse(machine.read("/kstat"))
    assert (reported["arc_read_bytes"], reported["direct_write_count"]) == (5000, 2)
    io = zfs.io_of(reported)
    assert io == BlockCounters(reads=13, read_bytes=5500, writes=9, write_bytes=3200)
    assert io is not None
    assert (io.read_ms, io.busy_ms, io.in_flight) == (None, None, None)


def test_the_counters_of_a_real_pool_are_read() -> None:
    """A mirror to whose zvol fio wrote 8.25 MiB in 528 writes and read what was in memory."""
    io = zfs.io_of(zfs.parse(recorded("zfs-2.3.9/iostats.txt")))
    assert io == BlockCounters(reads=0, read_bytes=0, writes=820, write_bytes=8802736)


def test_a_pool_of_an_older_release_is_not_counted() -> None:
    assert zfs.io_of(zfs.parse(IOSTATS.replace("arc_read_count", "other"))) is None
    assert zfs.read(FakeSystem(), "tank") is None


def test_a_network_interface_is_counted_and_the_loopback_left_out() -> None:
    (eth0,) = port_counters.parse_net(NET)
    assert (eth0.kind, eth0.name) == (PortKind.ETHERNET, "eth0")
    assert (eth0.received_bytes, eth0.received_packets, eth0.errors) == (1215743542, 861, 3)
    assert (eth0.sent_bytes, eth0.sent_packets, eth0.link_failures) == (9000, 1861, None)


def test_a_fibre_channel_port_counts_words_and_lacking_counters_are_none() -> None:
    machine = FakeSystem()
    machine.add_fc_port(WWPN)
    port = next(one for one in port_counters.read(machine) if one.kind is PortKind.FC)
    assert port.name == WWPN
    assert (port.received_bytes, port.sent_bytes, port.received_packets) == (0x40 * 4, 0x80 * 4, 2)
    assert (port.errors, port.link_failures) == (0, 1)  # of the two kinds of errors it counts one only


def test_soft_roce_counts_packets_only() -> None:
    machine = FakeSystem()
    machine.plug_rdma("rxe0")
    port = next(one for one in port_counters.read(machine) if one.kind is PortKind.RDMA)
    assert (port.name, port.received_packets, port.sent_packets) == ("rxe0/1", 7, 9)
    assert (port.received_bytes, port.sent_bytes, port.errors) == (None, None, None)
