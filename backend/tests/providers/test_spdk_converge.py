"""NVMe exports by SPDK, on a fake that keeps its rules: who gets in, when, and what is left after it was killed."""

import pytest

from backend.tests.agent.exports import (
    dhchap,
    dhchap_key,
    id_of,
    lun,
    nqn_of,
    nvme_host,
    nvme_portal,
    subsystem,
)
from backend.tests.fakemachine.nvme.nvmet import FakeController, Refuse
from backend.tests.providers.test_nvmet_converge import Stage, nqn
from lunette.domain.errors import ToolFailed, Unavailable
from lunette.domain.exports import ConvergeReport, ExportPortal, ExportSet, ServingState
from lunette.domain.mappings import ExportEngine
from lunette.domain.sizes import MIB
from lunette.providers.exports.spdk import process
from lunette.providers.exports.spdk.converge import (
    converge,
    exported_volumes,
    is_served,
    look,
    served_devices,
    withdraw,
)
from lunette.providers.exports.spdk.process import RUN_DIR, UNIT
from lunette.providers.exports.spdk.sessions import observe_sessions
from lunette.providers.exports.spdk.wanted import DISCOVERY, bdev_name
from lunette.providers.exports.turn import Turn
from lunette.system.doorway import RpcCall

WHERE = "192.0.2.1:4420"
OPEN, BLOCKED = ServingState.OPEN, ServingState.BLOCKED


def spdk_portal(number: int, address: str = "192.0.2.1") -> ExportPortal:
    return nvme_portal(number, address).model_copy(update={"engine": ExportEngine.SPDK})


class SpdkStage(Stage):
    """The stage with nvmf_tgt installed and running, and drives without volatile caches."""

    def __init__(self) -> None:
        super().__init__()
        self.machine.install_spdk()
        process.start(self.machine)

    def serve(self, desired: ExportSet, *, keep_strays: bool = False) -> ConvergeReport:
        return converge(self.machine, desired, turn=Turn(keep_strays=keep_strays))

    def desired(self, **changes: object) -> ExportSet:
        return super().desired(**({"portals": (spdk_portal(21),)} | changes))

    def connect(self, host: int, number: int, keys: tuple[str, str | None] | None = None) -> FakeController:
        return self.machine.spdk.connect(nqn_of(host), nqn(number), WHERE, keys)

    def sees(self, controller: FakeController) -> dict[int, str]:
        return {nsid: path[-3:] for nsid, path in self.machine.spdk.devices(controller).items()}

    def ask(self, method: str, **params: object) -> None:
        assert self.machine.call(f"{RUN_DIR}/rpc.sock", [RpcCall(method=method, params=params)])[0].error is None


@pytest.fixture
def stage() -> SpdkStage:
    return SpdkStage()


KEYS = (dhchap_key(1), dhchap_key(2))


def test_everything_is_served_and_a_second_run_changes_nothing(stage: SpdkStage) -> None:
    report = stage.serve(stage.desired())
    assert {door.state for door in report.subsystems} == {OPEN}
    assert {door.reason for door in report.subsystems} == {None}
    assert {volume.reason for volume in report.volumes} | {portal.reason for portal in report.portals} == {None}
    assert stage.sees(stage.connect(41, 31)) == {1: "v11", 2: "v12"}
    assert stage.sees(stage.connect(42, 31, KEYS)) == {1: "v11", 2: "v12"}
    assert stage.sees(stage.connect(43, 32)) == {1: "v13"}
    assert stage.serve(stage.desired()).changed == 0
    assert exported_volumes(stage.machine) == {id_of(11), id_of(12), id_of(13)}


def test_what_hosts_know_a_volume_by_is_what_the_kernel_would_show(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    space = stage.machine.spdk.subsystems[nqn(31)].namespaces[1]
    identity = stage.volumes[0].identity
    assert (space["uuid"], space["nguid"].lower()) == (identity.uuid, identity.nguid.lower())
    asked = stage.machine.spdk.subsystems[nqn(31)].params
    assert (asked["serial_number"], asked["model_number"]) == (f"{31:020}", "Lunette volume")
    assert (asked["max_cntlid"], asked["max_namespaces"], asked["allow_any_host"]) == (32767, 256, False)


def test_nobody_is_let_in_until_all_volumes_are_there_and_hosts_go_on_trying(stage: SpdkStage) -> None:
    missing = stage.volumes[1].model_copy(update={"device": stage.volumes[1].device + "x"})
    desired = stage.desired(volumes=(stage.volumes[0], missing, stage.volumes[2]))
    report = stage.serve(desired)
    assert [door.state for door in report.subsystems] == [BLOCKED, OPEN]
    assert f"{missing.device} does not exist" in (report.subsystems[0].reason or "")
    with pytest.raises(Refuse) as refusal:
        stage.connect(41, 31)
    assert refusal.value.retries
    assert stage.serve(stage.desired()).subsystems[0].state is OPEN
    assert stage.sees(stage.connect(41, 31)) == {1: "v11", 2: "v12"}


def test_once_open_a_missing_volume_blocks_nobody_who_is_in(stage: SpdkStage) -> None:
    one = subsystem(31, [nvme_host(41)], [lun(51, 1, 11)])
    stage.serve(stage.desired(subsystems=(one,)))
    host = stage.connect(41, 31)
    late = stage.volumes[1].model_copy(update={"device": stage.volumes[1].device + "x"})
    both = subsystem(31, [nvme_host(41)], [lun(51, 1, 11), lun(52, 2, 12)])
    report = stage.serve(stage.desired(subsystems=(both,), volumes=(stage.volumes[0], late)))
    assert report.subsystems[0].state is OPEN
    assert "does not exist" in (report.subsystems[0].reason or "")
    assert stage.sees(host) == {1: "v11"}


def test_a_volatile_cache_below_a_volume_is_refused_with_the_drive(stage: SpdkStage) -> None:
    drive = stage.machine.blocks.disks[0]
    drive.has_write_cache = True
    stage.machine.changed()
    report = stage.serve(stage.desired())
    assert f"{drive.kernel_name} (a write cache)" in (report.subsystems[0].reason or "")
    assert "engine nvmet" in (report.subsystems[0].reason or "")
    assert served_devices(stage.machine) == {}


def test_a_cache_that_comes_below_a_volume_in_use_is_told_and_cuts_nobody_off(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    host = stage.connect(41, 31)
    stage.machine.blocks.disks[0].has_write_cache = True
    stage.machine.changed()
    report = stage.serve(stage.desired())
    assert "volatile caches" in (report.volumes[0].reason or "")
    assert report.subsystems[0].state is OPEN
    assert stage.sees(host) == {1: "v11", 2: "v12"}


def test_after_a_kill_all_of_it_comes_back(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    stage.machine.spdk.die()
    with pytest.raises(Unavailable):
        stage.serve(stage.desired())
    process.start(stage.machine)
    assert {door.state for door in stage.serve(stage.desired()).subsystems} == {OPEN}
    assert stage.sees(stage.connect(42, 31, KEYS)) == {1: "v11", 2: "v12"}


def test_an_unmapped_volume_goes_and_the_others_stay(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    host = stage.connect(41, 31)
    left = subsystem(31, [nvme_host(41), nvme_host(42, dhchap(1, 2))], [lun(51, 1, 11)])
    stage.serve(stage.desired(subsystems=(left,), volumes=(stage.volumes[0],)))
    assert stage.sees(host) == {1: "v11"}
    assert exported_volumes(stage.machine) == {id_of(11)}
    with pytest.raises(Refuse):
        stage.connect(43, 32)


def test_a_host_that_leaves_is_cut_off_and_the_other_is_not(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    leaving, staying = stage.connect(41, 31), stage.connect(42, 31, KEYS)
    left = subsystem(31, [nvme_host(42, dhchap(1, 2))], [lun(51, 1, 11), lun(52, 2, 12)])
    stage.serve(stage.desired(subsystems=(left,)))
    assert stage.sees(staying)
    with pytest.raises(ConnectionError):
        stage.sees(leaving)


def test_a_new_key_counts_at_the_next_knock_and_the_old_one_is_forgotten(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    host = stage.connect(42, 31, KEYS)
    changed = subsystem(31, [nvme_host(41), nvme_host(42, dhchap(3))], [lun(51, 1, 11), lun(52, 2, 12)])
    stage.serve(stage.desired(subsystems=(changed,)))
    assert stage.sees(host)
    with pytest.raises(Refuse):
        stage.connect(42, 31, KEYS)
    assert stage.sees(stage.connect(42, 31, (dhchap_key(3), None)))
    assert len(look(stage.machine).keys) == 1
    files = [name for name in stage.machine.listdir(RUN_DIR) if name.endswith(".key")]
    assert len(files) == 1
    assert stage.machine.files.mode(f"{RUN_DIR}/{files[0]}") == 0o600
    assert dhchap_key(3) not in str(stage.machine.faults.calls)


def test_a_volume_that_grew_is_shown_at_its_new_size(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    host = stage.connect(41, 31)
    stage.machine.run(["lvextend", "--size", f"{128 * MIB}b", f"{stage.lvm.group}/v11"])
    bigger = stage.volumes[0].model_copy(update={"size_bytes": 128 * MIB})
    stage.serve(stage.desired(volumes=(bigger, *stage.volumes[1:])))
    assert look(stage.machine).bdevs[bdev_name(id_of(11))].size_bytes == 128 * MIB
    assert host.events[-1] == "namespace changed"


def test_a_device_that_has_grown_before_the_document_says_so_is_left_alone(stage: SpdkStage) -> None:
    """Hosts have its new size already."""
    smaller = stage.volumes[0].model_copy(update={"size_bytes": 32 * MIB})
    stage.serve(stage.desired(volumes=(smaller, *stage.volumes[1:])))
    assert look(stage.machine).bdevs[bdev_name(id_of(11))].size_bytes == 64 * MIB


def test_portals_come_and_go(stage: SpdkStage) -> None:
    stage.serve(stage.desired(portals=(spdk_portal(21), spdk_portal(22, "2001:db8::1"))))
    assert len(look(stage.machine).discovery) == 2
    report = stage.serve(stage.desired(portals=(spdk_portal(22, "2001:db8::1"), spdk_portal(23, "198.51.100.7"))))
    assert [portal.state for portal in report.portals] == [OPEN, BLOCKED]
    assert "listen on 198.51.100.7 port 4420" in (report.portals[1].reason or "")
    with pytest.raises(ConnectionError):
        stage.connect(43, 32)
    stage.machine.addresses.add("198.51.100.7")
    assert {
        portal.state for portal in stage.serve(stage.desired(portals=(spdk_portal(23, "198.51.100.7"),))).portals
    } == {OPEN}


def test_what_others_made_there_is_shown_and_never_touched(stage: SpdkStage) -> None:
    theirs = "nqn.2020-01.com.example:theirs"
    stage.serve(stage.desired())
    stage.ask("nvmf_create_subsystem", nqn=theirs, serial_number="1", model_number="x")
    assert stage.serve(stage.desired(subsystems=(), volumes=(), portals=())).foreign == (theirs,)
    refused: dict[str, str] = {}
    withdraw(stage.machine, refused)
    assert refused == {}
    assert set(stage.machine.spdk.subsystems) == {DISCOVERY, theirs}


def test_without_a_ledger_nothing_is_removed(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    host = stage.connect(41, 31)
    stage.serve(stage.desired(subsystems=(), volumes=()), keep_strays=True)
    assert stage.sees(host)


def test_a_changed_namespace_is_made_anew(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    stage.ask("nvmf_subsystem_remove_ns", nqn=nqn(32), nsid=1)
    stage.ask("bdev_aio_delete", name=bdev_name(id_of(12)))
    stage.serve(stage.desired())
    assert stage.sees(stage.connect(41, 31)) == {1: "v11", 2: "v12"}
    assert stage.sees(stage.connect(43, 32)) == {1: "v13"}


def test_who_is_connected_is_told_by_portal(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    assert observe_sessions(stage.machine) == ((), None)
    stage.connect(43, 32)
    sessions, unseen = observe_sessions(stage.machine)
    assert [(one.target, one.initiator, one.portal) for one in sessions] == [(nqn(32), nqn_of(43), WHERE)]
    assert unseen is None
    stage.machine.spdk.is_hanging = True
    sessions, unseen = observe_sessions(stage.machine)
    assert sessions == ()
    assert unseen is not None


def test_withdrawing_takes_everything_of_ours_out(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    assert is_served(stage.machine)
    refused: dict[str, str] = {}
    withdraw(stage.machine, refused)
    assert refused == {}
    assert not is_served(stage.machine)
    assert served_devices(stage.machine) == {}


def test_a_key_whose_file_cannot_be_removed_is_told_and_ends_nothing_early(stage: SpdkStage) -> None:
    stage.serve(stage.desired())
    stage.machine.faults.break_calls(lambda one: one.name == "unlink" and one.detail.endswith(".key"))
    refused: dict[str, str] = {}
    withdraw(stage.machine, refused)
    assert len(refused) == 2
    assert all("cannot be removed" in why for why in refused.values())
    assert not is_served(stage.machine)


def test_without_the_program_the_reason_says_what_to_build(stage: SpdkStage) -> None:
    process.stop(stage.machine)
    stage.machine.tools.remove("nvmf_tgt")
    with pytest.raises(Unavailable, match="build SPDK"):
        process.start(stage.machine)


def test_a_program_that_does_not_start_is_told(stage: SpdkStage) -> None:
    process.stop(stage.machine)
    stage.machine.tools.add("systemctl", lambda _argv: (0, "", ""))
    with pytest.raises(ToolFailed, match=f"journalctl -u {UNIT}"):
        process.start(stage.machine)
