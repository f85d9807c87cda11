"""The product's own work for all exports grows as their number does, with each engine.

What is counted are the lines of the product that run, so that a loop inside a loop shows at a few dozen volumes, and on
every machine alike. Seconds are in `tests/benchmarks/exports.py`.
"""

import inspect
import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from backend.tests.agent.exports import id_of, initiator, lun, nvme_host, portal, subsystem, target, volume
from backend.tests.providers import test_lio_converge, test_nvmet_converge, test_spdk_converge
from lunette.agent.core import Agent
from lunette.agent.server import answer
from lunette.domain.agent_protocol import Amend, Envelope, Reply
from lunette.domain.export_change import change_between
from lunette.domain.exports import ConvergeReport, ExportSet, Release, ReleaseKind, ServingState
from lunette.domain.sizes import MIB
from lunette.domain.steps import VolumeCut
from lunette.domain.volumes import VolumeEngine
from lunette.providers.exports.lio import converge as lio
from lunette.providers.exports.nvmet import converge as nvmet
from lunette.providers.exports.spdk import converge as spdk

SMALL, LARGE = 24, 96
MOST = 1.0
"""The exponent. Part of the work is the same for any number; if each volume were compared with every other one, the
exponent would approach 2.
"""
Rig = test_lio_converge.ExportRig | test_nvmet_converge.ExportRig


def document(rig: Rig, count: int, behind: int = 2) -> ExportSet:
    """That many volumes, so many of them behind each target or subsystem, for a host of its own."""
    volumes, groups = [], []
    for number in range(100, 100 + count):
        name = f"v{number}"
        rig.do(
            VolumeCut(
                engine=VolumeEngine.LVM,
                volume_id=id_of(number),
                group=rig.lvm.group,
                backing_name=name,
                size_bytes=4 * MIB,
            )
        )
        place = {"group": rig.lvm.group, "device": f"/dev/{rig.lvm.group}/{name}", "size_bytes": 4 * MIB}
        volumes.append(volume(number).model_copy(update=place))
    over_scsi = isinstance(rig, test_lio_converge.ExportRig)
    for at in range(0, count, behind):
        luns = [lun(1000 + number, 1 + number - at, 100 + number) for number in range(at, at + behind)]
        groups.append(
            target(3000 + at, [initiator(5000 + at)], luns)
            if over_scsi
            else subsystem(3000 + at, [nvme_host(5000 + at)], luns)
        )
    return rig.desired(volumes=tuple(volumes), **{"targets" if over_scsi else "subsystems": tuple(groups)})


def lines(call: Callable[[], object]) -> int:
    """How many lines of the product ran."""
    count = 0

    def inside(_frame: FrameType, event: str, _given: object) -> Any:
        nonlocal count
        count += event == "line"
        return inside

    def entered(frame: FrameType, _event: str, _given: object) -> Any:
        return inside if "/src/lunette/" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


RIGS: dict[str, tuple[type[Rig], Callable[[Rig], object]]] = {
    "LIO": (test_lio_converge.ExportRig, lambda rig: lio.withdraw(rig.machine)),
    "nvmet": (test_nvmet_converge.ExportRig, lambda rig: nvmet.withdraw(rig.machine)),
    "SPDK": (test_spdk_converge.SpdkRig, lambda rig: spdk.withdraw(rig.machine, {})),
}


@pytest.mark.parametrize("engine", RIGS)
def test_the_work_for_all_exports_grows_as_their_number_does(engine: str) -> None:
    powers = {
        step: math.log(large / small) / math.log(LARGE / SMALL)
        for (step, small), large in zip(work(engine, SMALL).items(), work(engine, LARGE).values(), strict=True)
    }
    assert {step: power for step, power in powers.items() if power > MOST} == {}


def work(engine: str, count: int) -> dict[str, int]:
    """How many lines ran for each step with this number of volumes."""
    made, withdraw = RIGS[engine]
    rig = made()
    desired = document(rig, count)
    reports: list[ConvergeReport] = []
    found = {step: lines(lambda: reports.append(rig.serve(desired))) for step in ("restore", "again")}
    found["withdraw"] = lines(lambda: withdraw(rig))
    served = [one for report in reports for one in (*report.targets, *report.subsystems)]
    assert {one.state for one in served} == {ServingState.OPEN}
    assert [report.changed > 0 for report in reports] == [True, False]
    return found


@pytest.mark.parametrize("same_host", [False, True], ids=["other hosts", "the same host"])
@pytest.mark.parametrize("engine", ["LIO", "nvmet"])
def test_one_more_mapping_and_one_fewer_are_the_same_work_whatever_else_is_served(
    engine: str, same_host: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Elsewhere the tests read what crosses the border once more; here it does cross, as bytes.
    monkeypatch.setattr(Agent, "converge", inspect.unwrap(Agent.converge))
    monkeypatch.setattr(Agent, "amend", inspect.unwrap(Agent.amend))
    small, large = (one_more_and_one_fewer(engine, count, same_host=same_host) for count in (SMALL, LARGE))
    assert small == large


def one_more_and_one_fewer(engine: str, count: int, *, same_host: bool) -> list[int]:
    """How many lines ran in the agent, from the bytes of the request to the answer, with this number of volumes."""
    rig = RIGS[engine][0]()
    larger = document(rig, count, count if same_host else 2)
    kind, groups = ("targets", larger.targets) if larger.targets else ("subsystems", larger.subsystems)
    first = groups[0].model_copy(update={"luns": groups[0].luns[:-1]})
    present = larger.model_copy(update={kind: (first, *groups[1:])})
    assert rig.agent.converge(present).accepted
    found = []
    for places in (groups, (first, *groups[1:])) * 2:
        generation = present.generation + 1
        released = Release(kind=ReleaseKind.MAPPING, id=groups[0].luns[-1].mapping_id, generation=generation)
        update = {kind: places, "generation": generation, "released": () if places is groups else (released,)}
        after = present.model_copy(update=update)
        found.append(amend(rig, present, after))
        present = after
    return found[2:]  # what is looked up once for a process is known then


def amend(rig: Rig, before: ExportSet, after: ExportSet) -> int:
    """How many lines ran for this change."""
    change = change_between(before, after)
    assert change is not None
    request = Amend(database_id=before.database_id, base=before.generation, change=change)
    payload = Envelope(request=request).model_dump_json().encode()
    replies: list[Reply] = []
    count = lines(lambda: replies.append(answer(rig.agent, payload)))
    (reply,) = replies
    assert reply.kind == "answer"
    assert reply.answer.report.accepted
    assert not reply.answer.is_whole
    return count


def test_one_more_portal_and_one_fewer_are_the_same_work_whatever_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Agent, "converge", inspect.unwrap(Agent.converge))
    monkeypatch.setattr(Agent, "amend", inspect.unwrap(Agent.amend))
    assert one_more_portal_and_one_fewer(SMALL) == one_more_portal_and_one_fewer(LARGE)


def one_more_portal_and_one_fewer(count: int) -> list[int]:
    """How many lines ran in the agent with this number of volumes behind two targets."""
    rig = test_lio_converge.ExportRig()
    rig.machine.addresses.add("192.0.2.2")
    present = document(rig, count, count // 2)
    first = present.portals
    assert rig.agent.converge(present).accepted
    found = []
    for portals in ((*first, portal(22, "192.0.2.2")), first) * 2:
        generation = present.generation + 1
        released = Release(kind=ReleaseKind.PORTAL, id=id_of(22), generation=generation)
        update = {"portals": portals, "generation": generation, "released": (released,) if portals is first else ()}
        after = present.model_copy(update=update)
        found.append(amend(rig, present, after))
        present = after
    return found[2:]
