"""What hosts notice of a backstore is pinned, and nothing is written to one that is so already."""

import pytest

from backend.tests.agent.exports import id_of
from backend.tests.fakemachine.lio import core
from backend.tests.providers.test_lio_converge import ExportRig, states
from lunette.domain.exports import AdoptedBackstore, ServingState
from lunette.providers.exports.configfs import Attribute
from lunette.providers.exports.lio import tree
from lunette.providers.exports.lio.configfs import ROOT

PATH = f"core/iblock_700/lunette-{id_of(11)}"
ALWAYS = [pin.attribute for pin in tree.PINNED if not pin.if_discards]


@pytest.fixture
def rig() -> ExportRig:
    made = ExportRig()
    made.serve(made.desired())
    return made


def test_what_is_so_already_is_not_written_again(rig: ExportRig) -> None:
    """Not even the first time: nothing is written to a kernel with these defaults, even while a host is logged in."""
    rig.log_in("h43", rig.desired().targets[1].iqn)
    written = [line for line in rig.changes() if any(line.endswith(f"/{one.name}") for one in ALWAYS)]
    assert written == []
    assert rig.serve(rig.desired()).changed == 0


def test_of_new_backstores_only_the_first_is_read_and_each_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(core.ATTRIB_DEFAULTS, "emulate_caw", "0")
    rig = ExportRig()
    since = len(rig.machine.faults.calls)
    rig.serve(rig.desired())
    read = [call.detail for call in rig.machine.faults.calls[since:] if call.name == "read"]
    for attribute in ALWAYS:
        assert sum(path.endswith(f"/{attribute.name}") for path in read) == 1
    for number in (11, 12):
        assert rig.read(f"core/iblock_700/lunette-{id_of(number)}/attrib/emulate_caw") == "1"
    assert rig.serve(rig.desired()).changed == 0


def test_an_attribute_that_could_not_be_read_is_read_at_the_next_backstore() -> None:
    """Otherwise it would be written to all of them, and some kernels refuse a write that changes nothing."""
    rig = ExportRig()
    attribute = f"lunette-{id_of(11)}/attrib/emulate_caw"
    rig.machine.faults.break_calls(lambda call: call.name == "read" and call.detail.endswith(attribute))
    rig.serve(rig.desired())
    assert [line.endswith(attribute) for line in rig.changes() if "/emulate_caw" in line] == [True]


@pytest.mark.parametrize("attribute", ALWAYS, ids=lambda one: one.name.rpartition("/")[2])
def test_another_default_or_hand_is_corrected_with_the_host_logged_in(rig: ExportRig, attribute: Attribute) -> None:
    was = rig.read(f"{PATH}/{attribute.name}")
    assert was == (attribute.shown or attribute.value)
    rig.machine.write(f"{ROOT}/{PATH}/{attribute.name}", "1" if attribute.value != "1" else "0")
    assert rig.read(f"{PATH}/{attribute.name}") != was
    report = rig.serve(rig.desired())
    assert report.changed == 1
    assert set(states(report).values()) == {ServingState.OPEN}
    assert rig.read(f"{PATH}/{attribute.name}") == was
    assert rig.serve(rig.desired()).changed == 0


def test_an_adopted_backstore_shows_what_it_showed() -> None:
    rig = ExportRig()
    kept = AdoptedBackstore(
        path="core/iblock_0/old",
        vendor="LIO-ORG",
        product="IBLOCK",
        revision="4.0",
        attributes=(("emulate_3pc", "0"), ("emulate_caw", "0")),
    )
    adopted = rig.volumes[0].model_copy(update={"adopted": kept})
    desired = rig.desired(volumes=(adopted, *rig.volumes[1:]))
    rig.serve(desired)
    assert rig.read(f"{PATH}/attrib/emulate_3pc") == rig.read(f"{PATH}/attrib/emulate_caw") == "0"
    assert rig.serve(desired).changed == 0


def test_every_pin_says_why_and_none_is_there_twice() -> None:
    names = [pin.attribute.name for pin in tree.PINNED]
    assert len(set(names)) == len(names)
    assert all(pin.why.endswith(".") for pin in tree.PINNED)
