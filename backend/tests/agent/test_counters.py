"""One pass over the counters, on a machine that serves one volume to one host."""

import pytest

from backend.tests.agent.exports import exports, id_of, initiator, lun, nvme_host, target
from backend.tests.agent.test_core import Store
from backend.tests.fakemachine.lio.iscsi import FakeSession
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.providers.rig import ARRAY_ID, VOLUME_ID
from lunette.agent import counters
from lunette.domain.counters import LunCounters
from lunette.domain.exports import ExportSubsystem
from lunette.domain.mappings import Family, Protocol

MIB = 1024**2
PORTAL = "192.0.2.1:3260"


@pytest.fixture
def store() -> Store:
    return Store()


def login(store: Store) -> FakeSession:
    return store.machine.login(initiator(41).iqn, target(31, [], []).iqn, PORTAL)


def test_what_a_host_did_is_counted_for_its_session_its_volume_the_array_and_the_disks(store: Store) -> None:
    before = store.agent.counters()
    session = login(store)
    store.machine.carry(session, 1, Io(reads=300, read_bytes=5 * MIB, writes=30, write_bytes=3 * MIB, write_ms=60), 7)
    after = store.agent.counters()
    volume, was = after.volumes[VOLUME_ID], before.volumes[VOLUME_ID]
    assert (volume.reads - was.reads, volume.read_bytes - was.read_bytes) == (300, 5 * MIB)
    assert (volume.writes - was.writes, volume.write_bytes - was.write_bytes, volume.write_ms) == (30, 3 * MIB, 60)
    array = after.arrays[ARRAY_ID].io
    assert array is not None
    assert array.write_bytes == 3 * MIB
    assert sum(after.disks[disk.kernel_name].writes for disk in store.machine.blocks.disks) > 0
    (reported,) = after.sessions
    assert (reported.initiator, reported.protocol) == (initiator(41).iqn, Protocol.ISCSI)
    assert reported.volumes == {VOLUME_ID: LunCounters(commands=337, read_bytes=5 * MIB, write_bytes=3 * MIB)}


def test_bytes_of_a_session_are_whole_mib_and_those_of_a_volume_exact(store: Store) -> None:
    session = login(store)
    store.machine.carry(session, 1, Io(writes=1, write_bytes=MIB + 4096))
    found = store.agent.counters()
    assert found.sessions[0].volumes[VOLUME_ID].write_bytes == MIB
    assert found.volumes[VOLUME_ID].write_bytes == MIB + 4096


def test_who_is_not_logged_in_has_no_counters(store: Store) -> None:
    session = login(store)
    store.machine.carry(session, 1, Io(reads=1, read_bytes=4096))
    assert store.machine.iscsi is not None
    store.machine.iscsi.close_sessions(session.target, session.tpgt)
    assert store.agent.counters().sessions == ()


def test_a_volume_that_is_mapped_no_more_is_not_counted(store: Store) -> None:
    store.unmap()
    found = store.agent.counters()
    assert found.volumes == {}
    assert found.arrays.keys() == {ARRAY_ID}


def test_counters_begin_again_with_the_machine(store: Store) -> None:
    session = login(store)
    store.machine.carry(session, 1, Io(reads=9, read_bytes=9 * 4096))
    store.reboot()
    store.agent.bring_up()
    assert store.agent.counters().volumes[VOLUME_ID].reads == 0


def test_a_pass_runs_no_command_and_changes_nothing(store: Store) -> None:
    login(store)
    seen: list[str] = []
    store.machine.watchers.append(lambda: seen.append("changed"))
    clock = store.machine.clock
    store.agent.counters()
    assert (seen, store.machine.clock) == ([], clock)  # on the fake clock a command takes time


def test_arrays_report_what_md_reports(store: Store) -> None:
    found = store.agent.counters().arrays[ARRAY_ID]
    assert (found.missing_disks, found.mismatch_sectors, found.stripe_cache_bytes) == (0, 0, 0)
    store.machine.pull(next(disk for disk in store.machine.blocks.disks if disk.media.superblock))
    assert store.agent.counters().arrays[ARRAY_ID].missing_disks == 1


def test_sessions_over_nvme_are_not_counted_and_that_is_said(store: Store) -> None:
    behind = ExportSubsystem(
        target_id=id_of(61),
        owner=id_of(61),
        nqn="nqn.2026-11.io.lunette:x",
        serial="1",
        hosts=(nvme_host(71),),
        luns=(lun(81, 1, 11),),
    )
    found = counters.take(store.machine, exports(subsystems=(behind,)))
    assert [one.family for one in found.unseen] == [Family.NVME]
    assert store.agent.counters().unseen == ()


def test_an_agent_that_serves_nothing_counts_disks_and_ports(store: Store) -> None:
    found = counters.take(store.machine, None)
    assert (found.volumes, found.arrays, found.sessions) == ({}, {}, ())
    assert found.disks.keys() >= {disk.kernel_name for disk in store.machine.blocks.disks}
    assert [port.name for port in found.ports] == ["eth0"]
