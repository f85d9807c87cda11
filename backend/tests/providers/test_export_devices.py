"""A device is checked before an engine opens it: the same checks, with the same reasons, for LIO, nvmet and SPDK."""

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from backend.tests.agent.exports import id_of
from backend.tests.providers import test_lio_converge as lio_tests
from backend.tests.providers import test_nvmet_converge as nvmet_tests
from backend.tests.providers import test_spdk_converge as spdk_tests
from lunette.domain.exports import ConvergeReport, ExportSet
from lunette.domain.sizes import MIB
from lunette.providers.exports.lio import converge as lio
from lunette.providers.exports.nvmet import converge as nvmet
from lunette.providers.exports.spdk import converge as spdk
from lunette.system.system_port import System

VOLUME_ID = id_of(11)
SIZE = 64 * MIB
HELD = {VOLUME_ID: "another engine serves it"}
MISSING = {VOLUME_ID: "its array is not started"}
Converge = Callable[..., ConvergeReport]


class Setup:
    """Volume 11, mapped over one engine and not served yet."""

    def __init__(
        self,
        rig: lio_tests.ExportRig | nvmet_tests.ExportRig,
        converge: Converge,
        served: Callable[[System, ExportSet], bool],
    ) -> None:
        self.rig, self.machine, self._converge, self._served = rig, rig.machine, converge, served
        self.volume = rig.volumes[0]

    def reason(self, size_bytes: int = SIZE, **given: Mapping[str, str]) -> str | None:
        """Why it is not served, when the desired state has this size."""
        volume = self.volume.model_copy(update={"size_bytes": size_bytes})
        wanted = self.rig.desired(volumes=(volume, *self.rig.volumes[1:]))
        report = self._converge(self.machine, wanted, **given)
        reason = next(one.reason for one in report.volumes if one.volume_id == VOLUME_ID)
        assert {one.reason for one in report.volumes if one.volume_id != VOLUME_ID} == {None}
        assert self._served(self.machine, wanted) is (reason is None)
        return reason

    def remove_device(self) -> None:
        self.machine.run(["lvchange", "-an", f"{self.volume.group}/v11"])


def _over_nvmet(system: System, wanted: ExportSet) -> bool:
    return wanted.volumes[0].identity.uuid in nvmet.exported_volumes(system)


def _by_id(exported: Callable[[System], frozenset[str]], system: System, _wanted: ExportSet) -> bool:
    return VOLUME_ID in exported(system)


@pytest.fixture(params=["lio", "nvmet", "spdk"])
def setup(request: pytest.FixtureRequest) -> Setup:
    match request.param:
        case "lio":
            return Setup(lio_tests.ExportRig(), lio.converge, partial(_by_id, lio.exported_volumes))
        case "nvmet":
            return Setup(nvmet_tests.ExportRig(), nvmet.converge, _over_nvmet)
        case _:
            return Setup(spdk_tests.SpdkRig(), spdk.converge, partial(_by_id, spdk.exported_volumes))


def test_a_device_of_its_size_is_served(setup: Setup) -> None:
    assert setup.reason() is None


def test_a_device_that_has_grown_before_the_desired_state_says_so_is_served(setup: Setup) -> None:
    assert setup.reason(SIZE // 2) is None


def test_a_device_that_is_too_small_is_refused(setup: Setup) -> None:
    device = setup.volume.device
    assert setup.reason(2 * SIZE) == f"{device} has {SIZE} bytes instead of {2 * SIZE}: not served"
    assert setup.reason() is None


def test_a_device_in_use_is_refused(setup: Setup) -> None:
    setup.machine.blocks.open_exclusively(setup.volume.device, "qemu")
    assert setup.reason() == f"{setup.volume.device} is in use by another program: free it first"


def test_a_device_that_vanishes_while_it_is_examined_blocks_its_own_volume_and_no_other(setup: Setup) -> None:
    device = setup.volume.device
    setup.machine.faults.break_calls(lambda one: (one.name, one.detail) == ("unheld_bytes", device))
    assert (setup.reason() or "").startswith(f"{device} cannot be examined: ")
    setup.machine.faults.break_calls(None)
    assert setup.reason() is None


def test_a_volume_that_another_engine_holds_is_refused_whatever_its_size(setup: Setup) -> None:
    assert setup.reason(2 * SIZE, held=HELD) == HELD[VOLUME_ID]


def test_a_missing_device_has_the_reason_of_its_array_also_while_it_is_held(setup: Setup) -> None:
    setup.remove_device()
    assert setup.reason(held=HELD) == f"its device {setup.volume.device} does not exist"
    assert setup.reason(held=HELD, reasons=MISSING) == MISSING[VOLUME_ID]


def test_a_device_that_is_open_already_is_not_checked_again(setup: Setup) -> None:
    assert setup.reason() is None
    assert setup.reason(held=HELD) is None
