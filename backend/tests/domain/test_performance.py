"""Rates between two passes."""

from lunette.domain.counters import ArrayCounters, BlockCounters, Counters, LunCounters, SessionCounters
from lunette.domain.mappings import Protocol
from lunette.domain.performance import APPLIANCE, Key, Measured, difference, rates, session_key

MIB = 1024**2
ZERO = BlockCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def counters(clock_s: float, **parts: object) -> Counters:
    whole: dict[str, object] = {"disks": {}, "volumes": {}, "arrays": {}, "sessions": (), "ports": ()}
    return Counters.model_validate({"taken_at": clock_s, "clock_s": clock_s, **whole, **parts})


def session(**volumes: LunCounters) -> tuple[SessionCounters, ...]:
    return (SessionCounters(target="t", initiator="i", protocol=Protocol.ISCSI, volumes=volumes),)


def test_rates_are_per_second_and_latency_is_per_io() -> None:
    later = ZERO._replace(
        reads=100, read_bytes=100 * 4096, read_ms=50, writes=20, write_bytes=MIB, write_ms=100, in_flight=3, busy_ms=500
    )
    found = rates(counters(10, volumes={"v": ZERO}), counters(20, volumes={"v": later}), {})[Key(Measured.VOLUME, "v")]
    assert (found.iops, found.read_iops, found.write_iops) == (12, 10, 2)
    assert (found.read_bytes_s, found.write_bytes_s) == (40960, MIB / 10)
    assert (found.read_latency_ms, found.write_latency_ms, found.latency_ms) == (0.5, 5, 1.25)
    assert (found.in_flight, found.busy_percent) == (3, 5)


def test_without_io_there_is_no_latency_and_it_is_not_zero() -> None:
    found = rates(counters(0, volumes={"v": ZERO}), counters(1, volumes={"v": ZERO}), {})[Key(Measured.VOLUME, "v")]
    assert (found.iops, found.latency_ms, found.read_latency_ms) == (0, None, None)


def test_the_appliance_is_the_sum_of_its_volumes() -> None:
    one, two = ZERO._replace(reads=10, read_ms=10, in_flight=1), ZERO._replace(reads=30, read_ms=90, in_flight=2)
    before = counters(0, volumes={"a": ZERO, "b": ZERO})
    found = rates(before, counters(2, volumes={"a": one, "b": two}), {})[APPLIANCE]
    assert (found.iops, found.latency_ms, found.in_flight, found.busy_percent) == (20, 2.5, 3, None)


def test_an_appliance_without_volumes_does_nothing() -> None:
    assert rates(counters(0), counters(1), {})[APPLIANCE].iops == 0


def test_what_was_recreated_or_is_new_has_no_rate_yet() -> None:
    after = counters(1, volumes={"anew": ZERO._replace(reads=1), "new": ZERO})
    found = rates(counters(0, volumes={"anew": ZERO._replace(reads=5), "gone": ZERO}), after, {})
    assert found.keys() == {APPLIANCE}


def test_fewer_in_flight_than_before_is_not_a_decreased_counter() -> None:
    assert difference(ZERO._replace(in_flight=8), ZERO._replace(in_flight=1)) is not None
    assert difference(ZERO._replace(reads=8), ZERO._replace(reads=1)) is None


def test_after_a_reboot_there_are_no_rates() -> None:
    assert rates(counters(500, volumes={"v": ZERO}), counters(3, volumes={"v": ZERO}), {}) == {}


def test_disks_are_called_by_their_own_id_and_others_left_out() -> None:
    found = rates(
        counters(0, disks={"sda": ZERO, "sda1": ZERO}), counters(1, disks={"sda": ZERO, "sda1": ZERO}), {"sda": "ata-1"}
    )
    assert found.keys() == {APPLIANCE, Key(Measured.DISK, "ata-1")}


def test_an_array_without_times_has_rates_without_latency() -> None:
    before, after = (
        counters(at, arrays={"a": ArrayCounters(io=BlockCounters(n, n, n, n)), "b": ArrayCounters(io=None)})
        for at, n in ((0, 0), (1, 4))
    )
    found = rates(before, after, {})
    assert found.keys() == {APPLIANCE, Key(Measured.ARRAY, "a")}
    array = found[Key(Measured.ARRAY, "a")]
    assert (array.iops, array.latency_ms, array.busy_percent) == (8, None, None)


def test_a_session_is_the_sum_over_its_volumes_whatever_is_mapped_meanwhile() -> None:
    before = session(stays=LunCounters(10, MIB, 0), goes=LunCounters(1000, 0, 0), again=LunCounters(50, 0, 0))
    after = session(stays=LunCounters(30, 3 * MIB, MIB), comes=LunCounters(7, 0, 0), again=LunCounters(1, 0, 0))
    found = rates(counters(0, sessions=before), counters(2, sessions=after), {})[session_key("t", "i")]
    assert (found.iops, found.read_bytes_s, found.write_bytes_s) == (10, MIB, MIB / 2)
    assert (found.read_iops, found.latency_ms, found.in_flight) == (None, None, None)
