"""Our half of SPDK's target against a real nvmf_tgt, with SPDK's own initiator as the host.

It runs where nvmf_tgt is on the path. The target is started with the command line of our unit.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.agent.exports import dhchap, dhchap_key, exports, id_of, lun, nqn_of, nvme_host, subsystem, volume
from backend.tests.providers.test_spdk_converge import spdk_portal
from lunette.domain.exports import ConvergeReport, ExportSet, ExportVolume, ServingState
from lunette.domain.sizes import MIB
from lunette.providers.exports.spdk import converge as spdk
from lunette.providers.exports.spdk.sessions import observe_sessions
from tests.contract.spdk_programs import FileSystem, Initiator, Program, Refused, needed, target_options
from tests.machines.sockets import free_port

pytestmark = [needed, pytest.mark.xdist_group("spdk"), pytest.mark.timeout(600)]
OPEN, BLOCKED = ServingState.OPEN, ServingState.BLOCKED
NQN = subsystem(31, [], []).nqn
OPEN_HOST, KEYED_HOST = nqn_of(41), nqn_of(42)


class Site:
    """A target, a host, and two volumes that are files."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.system = FileSystem()
        self.volumes: list[ExportVolume] = []
        for number in (11, 12):
            path = folder / f"v{number}"
            path.write_bytes(bytes(64 * MIB))
            self.system.files += (path,)
            self.volumes.append(volume(number).model_copy(update={"device": str(path)}))
        self.target = Program(folder / "target", *target_options(folder / "target"))
        self.host = Initiator(folder / "host")

    def desired(self, **changes: object) -> ExportSet:
        """One subsystem with both volumes, for a host without keys and one with two."""
        hosts = [nvme_host(41), nvme_host(42, dhchap(1, 2))]
        whole: dict[str, object] = {
            "volumes": tuple(self.volumes),
            "portals": (spdk_portal(21, "127.0.0.1").model_copy(update={"port": self.port}),),
            "subsystems": (subsystem(31, hosts, [lun(51, 1, 11), lun(52, 7, 12)]),),
        }
        return exports(**(whole | changes))

    def serve(self, desired: ExportSet | None = None) -> ConvergeReport:
        return spdk.converge(self.system, desired or self.desired(), run_dir=str(self.target.folder))

    def connect(self, host: str = OPEN_HOST, **keys: str) -> list[str]:
        return self.host.connect(host, NQN, self.port, **keys)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("spdk"))
    yield site
    site.host.stop()
    site.target.stop()


@pytest.fixture
def site(running: Site) -> Iterator[Site]:
    """Everything is served."""
    report = running.serve()
    assert {subsystem.reason for subsystem in report.subsystems} == {None}
    assert {volume.reason for volume in report.volumes} | {portal.reason for portal in report.portals} == {None}
    yield running
    if running.host.ask("bdev_nvme_get_controllers"):
        running.host.disconnect()


def test_a_second_run_changes_nothing(site: Site) -> None:
    assert site.serve().changed == 0
    assert spdk.exported_volumes(site.system, str(site.target.folder)) == {id_of(11), id_of(12)}


def test_a_host_sees_its_volumes_under_their_numbers_and_identities(site: Site) -> None:
    assert site.connect() == ["seenn1", "seenn7"]
    disks = site.host.disks()
    assert [disks[name]["uuid"] for name in ("seenn1", "seenn7")] == [one.identity.uuid for one in site.volumes]
    reported = disks["seenn1"]["driver_specific"]["nvme"][0]["ctrlr_data"]
    assert (reported["serial_number"], reported["model_number"].strip()) == (f"{31:020}", "Lunette volume")
    identity = site.host.identity(7)
    assert identity[2].hex() == site.volumes[1].identity.nguid.replace("-", "").lower()
    sessions, _ = observe_sessions(site.system, str(site.target.folder))
    assert [(one.initiator, one.target, one.portal) for one in sessions] == [(OPEN_HOST, NQN, f"127.0.0.1:{site.port}")]


def test_no_reservations_and_no_compare_and_write_are_offered(site: Site) -> None:
    site.connect()
    oncs, fuses = site.host.features()
    assert (oncs & 1 << 5, fuses & 1) == (0, 0)


def test_what_a_host_writes_is_in_the_volume_and_there_after_a_reconnect(site: Site) -> None:
    site.connect()
    pattern = bytes(range(256)) * 2
    site.host.write(1, 2048, pattern)
    site.host.flush(1)
    site.host.disconnect()
    site.connect()
    assert site.host.read(1, 2048) == pattern
    assert Path(site.volumes[0].device).read_bytes()[2048 * 512 :][:512] == pattern
    assert site.host.read(7, 2048) == bytes(512)


def test_discovery_tells_a_host_of_its_subsystem_and_a_stranger_of_none(site: Site) -> None:
    assert site.host.discover(OPEN_HOST, site.port) == [NQN]
    time.sleep(1)  # discovered subsystems are released in the background
    assert site.host.discover(nqn_of(99), site.port, waits=False) == []


def test_keys_are_asked_for_both_ways(site: Site) -> None:
    one, two, wrong = (site.host.add_key(f"k{number}", dhchap_key(number)) for number in (1, 2, 9))
    for keys in ({}, {"dhchap_key": wrong}, {"dhchap_key": one, "dhchap_ctrlr_key": wrong}):
        with pytest.raises(Refused):
            site.connect(KEYED_HOST, **keys)
    assert site.connect(KEYED_HOST, dhchap_key=one, dhchap_ctrlr_key=two)
    site.host.disconnect()
    changed = subsystem(31, [nvme_host(42, dhchap(9))], [lun(51, 1, 11)])
    site.serve(site.desired(subsystems=(changed,)))
    with pytest.raises(Refused):
        site.connect(KEYED_HOST, dhchap_key=one)
    assert site.connect(KEYED_HOST, dhchap_key=wrong)
    assert len(list(site.target.folder.glob("*.key"))) == 1


def test_a_stranger_is_refused(site: Site) -> None:
    with pytest.raises(Refused):
        site.connect(nqn_of(99))


def test_growth_and_unmapping_reach_a_host_that_is_connected(site: Site) -> None:
    site.connect()
    with Path(site.volumes[0].device).open("ab") as file:
        file.truncate(96 * MIB)
    site.volumes[0] = site.volumes[0].model_copy(update={"size_bytes": 96 * MIB})
    site.serve()
    left = subsystem(31, [nvme_host(41)], [lun(51, 1, 11)])
    site.serve(site.desired(subsystems=(left,)))
    deadline = time.monotonic() + 60
    while "seenn7" in (disks := site.host.disks()) or disks["seenn1"]["num_blocks"] * 512 != 96 * MIB:
        assert time.monotonic() < deadline, disks
        time.sleep(0.5)


def test_a_host_waits_outside_until_all_its_volumes_are_there(site: Site) -> None:
    site.serve(site.desired(subsystems=(), volumes=()))
    late = Path(site.volumes[1].device)
    late.rename(late.with_suffix(".away"))
    report = site.serve()
    assert (report.subsystems[0].state, report.volumes[0].state) == (BLOCKED, OPEN)
    with pytest.raises(Refused):
        site.connect()
    late.with_suffix(".away").rename(late)
    assert site.serve().subsystems[0].state is OPEN
    assert len(site.connect()) == 2


def test_a_device_with_a_volatile_cache_is_refused(site: Site) -> None:
    site.serve(site.desired(subsystems=(), volumes=()))
    site.system.write_cache["v12"] = "write back"
    report = site.serve()
    site.system.write_cache.clear()
    assert "v12 (a write cache)" in (report.volumes[1].reason or "")


def test_a_portal_on_an_address_nobody_has_is_reported(site: Site) -> None:
    there = site.desired().portals[0]
    report = site.serve(site.desired(portals=(there, spdk_portal(22, "192.0.2.77"))))
    assert [portal.state for portal in report.portals] == [OPEN, BLOCKED]
    assert "listen on 192.0.2.77 port 4420" in (report.portals[1].reason or "")


def test_what_was_served_comes_back_after_a_kill(site: Site) -> None:
    site.connect()
    pattern = b"kept" * 128
    site.host.write(1, 4096, pattern)
    site.host.disconnect()
    site.target.kill()
    site.target.start()
    report = site.serve()
    assert {subsystem.state for subsystem in report.subsystems} | {portal.state for portal in report.portals} == {OPEN}
    assert site.connect() == ["seenn1", "seenn7"]
    assert site.host.read(1, 4096) == pattern


def test_everything_of_ours_goes_and_what_others_made_stays(site: Site) -> None:
    theirs = "nqn.2020-01.com.example:theirs"
    site.target.ask("nvmf_create_subsystem", nqn=theirs, serial_number="1")
    refused: dict[str, str] = {}
    spdk.withdraw(site.system, refused, str(site.target.folder))
    assert refused == {}
    assert not spdk.is_served(site.system, str(site.target.folder))
    assert spdk.look(site.system, str(site.target.folder)).foreign == (theirs,)
    site.target.ask("nvmf_delete_subsystem", nqn=theirs)
