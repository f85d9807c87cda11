"""A change is served as a difference: it touches only what it names, and ends in the tree that a whole run makes."""

import contextlib
import random
import re
import threading
from collections.abc import Sequence

import pytest

from backend.tests.agent.exports import (
    dhchap,
    exports,
    id_of,
    initiator,
    lun,
    nvme_host,
    nvme_portal,
    portal,
    subsystem,
    target,
    volume,
)
from backend.tests.providers.test_lio_converge import ExportRig
from lunette.domain.base import Model
from lunette.domain.errors import ToolFailed
from lunette.domain.export_change import ExportChange, LunChange, change_between
from lunette.domain.exports import (
    ConvergeReport,
    ExportSet,
    ExportSubsystem,
    ExportTarget,
    Release,
    ReleaseKind,
    ServingState,
)
from lunette.domain.mappings import Family
from lunette.providers.exports.lio.configfs import ROOT
from lunette.providers.exports.nvmet.configfs import ROOT as NVMET_ROOT

VOLUMES = tuple(range(11, 21))
SHARED = 9900
"""A host that may use several targets."""
Place = ExportTarget | ExportSubsystem
Mapped = dict[int, dict[int, int]]
"""Volumes by number, by target."""


class Site(ExportRig):
    """Ten volumes, and an agent that is sent one document after the other."""

    def __init__(self, family: Family = Family.SCSI) -> None:
        super().__init__()
        self.family, self.root = family, ROOT if family is Family.SCSI else NVMET_ROOT
        if family is Family.NVME:
            self.machine.run(["modprobe", "nvmet-tcp"])
        for number in VOLUMES[3:]:
            self.do(self.cut_number(number))
            place = {"group": self.lvm.group, "device": f"/dev/{self.lvm.group}/v{number}"}
            self.volumes.append(self.volumes[0].model_copy(update={**identity(number), **place}))
        self.portals: tuple[int, ...] = (21,)
        """Numbers 50 apart have the same address."""
        self.machine.addresses |= {f"192.0.2.{number}" for number in (21, 22, 23)}
        self.generation = 0
        self.kept: ExportSet | None = None

    def document(self, mapped: Mapped, hosts: dict[int, Sequence[int]]) -> ExportSet:
        """What is mapped; everything that is not in it any more is released."""
        self.generation += 1
        places = [self._place(number, hosts[number], luns) for number, luns in sorted(mapped.items()) if luns]
        found = exports(
            generation=self.generation,
            arrays=(self.array,),
            volumes=tuple(self.volumes),
            portals=tuple(
                (portal if self.family is Family.SCSI else nvme_portal)(number, f"192.0.2.{number % 50}")
                for number in self.portals
            ),
            targets=tuple(one for one in places if isinstance(one, ExportTarget)),
            subsystems=tuple(one for one in places if isinstance(one, ExportSubsystem)),
            released=tuple(self._released(places)),
        )
        self.kept = found
        return found

    def _place(self, number: int, hosts: Sequence[int], luns: dict[int, int]) -> Place:
        served = [lun(1000 * number + 100 * at + volume, at, volume) for at, volume in sorted(luns.items())]
        if self.family is Family.SCSI:
            return target(number, [initiator(host) for host in hosts], served)
        return subsystem(number, [nvme_host(host, dhchap(host % 200)) for host in hosts], served)

    def _released(self, places: Sequence[Place]) -> list[Release]:
        before: list[Place] = [*self.kept.targets, *self.kept.subsystems] if self.kept else []
        kind = ReleaseKind.TARGET if self.family is Family.SCSI else ReleaseKind.SUBSYSTEM
        now = {one.target_id for one in places}
        luns = {one.mapping_id for each in places for one in each.luns}
        hosts = {(each.target_id, one) for each in places for one in initiator_ids(each)}
        gone = [(kind, one.target_id) for one in before if one.target_id not in now]
        there = {id_of(number) for number in self.portals}
        gone += [
            (ReleaseKind.PORTAL, one.portal_id)
            for one in (self.kept.portals if self.kept else ())
            if one.portal_id not in there
        ]
        gone += [
            (ReleaseKind.MAPPING, one.mapping_id) for each in before for one in each.luns if one.mapping_id not in luns
        ]
        gone += [
            (ReleaseKind.INITIATOR, one)
            for each in before
            for one in initiator_ids(each)
            if (each.target_id, one) not in hosts
        ]
        return [Release(kind=kind, id=id_, generation=self.generation) for kind, id_ in gone]

    def calls(self, document: ExportSet) -> list[str]:
        """What the agent asks of configfs for this document."""
        before = len(self.machine.faults.calls)
        report = self.agent.converge(document)
        assert report.accepted
        served = (*report.targets, *report.subsystems)
        assert {one.state for one in served} <= {ServingState.OPEN}, served
        wanted: list[Place] = [*document.targets, *document.subsystems]
        assert {one.target_id for one in served} == {one.target_id for one in wanted}
        assert len(report.volumes) == len(document.volumes)
        return [call.detail for call in self.machine.faults.calls[before:] if self.root in call.detail]

    def look(self) -> None:
        """At everything, without the start of what is down."""
        assert self.agent._served is not None
        self.agent._serve(self.agent._served)

    def tree(self, path: str | None = None) -> dict[str, str]:
        """Every folder, link and attribute of configfs, but not an adapter without backstores: it stays."""
        found: dict[str, str] = {}
        path = path or self.root
        for name in self.machine.listdir(path):
            at = f"{path}/{name}"
            try:
                found[at] = self.machine.readlink(at)
                continue
            except OSError:
                pass
            if self.machine.is_dir(at):
                below = self.tree(at)
                if name != "iblock_700" or f"{at}/lunette-" in str(below):
                    found |= {at: "folder", **below}
            else:
                try:
                    found[at] = self.machine.read(at)
                except OSError:
                    found[at] = "unreadable"
        return found


def initiator_ids(place: Place) -> list[str]:
    hosts = place.initiators if isinstance(place, ExportTarget) else place.hosts
    return [one.initiator_id for one in hosts]


def identity(number: int) -> dict[str, object]:
    made = volume(number)
    return {"volume_id": made.volume_id, "name": made.name, "identity": made.identity}


def a_change(
    draw: random.Random, mapped: Mapped, hosts: dict[int, Sequence[int]]
) -> tuple[Mapped, dict[int, Sequence[int]]]:
    """One volume more or fewer, one under another number, or another host for a target."""
    mapped = {number: dict(luns) for number, luns in mapped.items()}
    hosts = dict(hosts)
    number = draw.choice(list(mapped))
    luns = mapped[number]
    match draw.choice(["map", "map", "unmap", "swap", "host", "move"]):
        case "map":
            luns[draw.randrange(1, 8)] = draw.choice(VOLUMES)
        case "unmap" if luns:
            del luns[draw.choice(list(luns))]
        case "swap" if len(luns) > 1:
            one, other = draw.sample(list(luns), 2)
            luns[one], luns[other] = luns[other], luns[one]
        case "host":
            all_hosts = [*range(100 * number, 100 * number + 3), SHARED]
            hosts[number] = tuple(sorted(draw.sample(all_hosts, draw.randrange(1, 4))))
        case "move" if luns:
            to = mapped[draw.choice(list(mapped))]
            at, volume = luns.popitem()
            to[at] = volume
        case _:
            pass
    return mapped, hosts


def portals_change(draw: random.Random, site: Site) -> None:
    """Sometimes one more, one fewer or another one."""
    if draw.random() < 0.4:
        site.portals = tuple(sorted(draw.sample((21, 22, 23), draw.randrange(1, 4))))


@pytest.mark.parametrize("family", Family)
@pytest.mark.parametrize("seed", range(12))
def test_differences_end_in_the_tree_that_a_whole_run_makes(seed: int, family: Family) -> None:
    draw = random.Random(seed)
    site = Site(family)
    mapped: Mapped = {31: {1: 11}, 32: {1: 12}, 33: {}}
    hosts: dict[int, Sequence[int]] = {31: (3100,), 32: (3200, 3201), 33: (3300,)}
    site.agent.converge(site.document(mapped, hosts))
    for _ in range(12):
        portals_change(draw, site)
        if draw.random() < 0.8:
            mapped, hosts = a_change(draw, mapped, hosts)
        site.calls(site.document(mapped, hosts))
    whole = Site(family)
    whole.generation, whole.portals = site.generation - 1, site.portals
    whole.agent.converge(whole.document(mapped, hosts))
    assert site.tree() == whole.tree()
    changed = site.agent.converge(site.kept or site.document(mapped, hosts)).changed
    assert changed == 0, "a whole run finds nothing to do"


@pytest.mark.parametrize("family", Family)
def test_a_host_that_loses_one_of_two_targets_is_still_let_in_by_the_other(family: Family) -> None:
    site, whole = Site(family), Site(family)
    hosts: dict[int, Sequence[int]] = {31: (SHARED,), 32: (SHARED, 3200)}
    both: Mapped = {31: {1: 11}, 32: {1: 12}}
    for mapped in (both, {32: {1: 12}}, both, {31: {1: 11}}):
        site.calls(site.document(mapped, hosts))
        whole.agent.converge(whole.document(mapped, hosts))
        whole.agent.bring_up()
        assert site.tree() == whole.tree()


@pytest.mark.parametrize("seed", range(8))
def test_a_look_at_everything_lets_a_document_in_and_gives_way_to_it(seed: int) -> None:
    """At a random point of each look another document arrives, served before the look continues or ends."""
    draw = random.Random(seed)
    site = Site()
    mapped: Mapped = {31: {1: 11, 2: 12}, 32: {1: 12, 5: 15}, 33: {}}
    hosts: dict[int, Sequence[int]] = {31: (3100,), 32: (3200, 3201), 33: (3300,)}
    site.agent.converge(site.document(mapped, hosts))
    for _ in range(12):
        portals_change(draw, site)
        mapped, hosts = a_change(draw, mapped, hosts)
        arriving = Arriving(site, site.document(mapped, hosts), draw.randrange(1, 25))
        assert site.agent.bring_up() is not arriving.arrived
        if not arriving.arrived:
            arriving.come()
    assert site.agent.bring_up()
    whole = Site()
    whole.generation, whole.portals = site.generation - 1, site.portals
    whole.agent.converge(whole.document(mapped, hosts))
    assert site.tree() == whole.tree()


@pytest.mark.parametrize("family", Family)
@pytest.mark.parametrize("seed", range(6))
def test_the_report_of_a_change_completes_the_one_before(seed: int, family: Family) -> None:
    """Also where a volume went away or returned in between, which only a look at everything has noticed."""
    draw = random.Random(seed)
    site = Site(family)
    mapped: Mapped = {31: {1: 11, 2: 12}, 32: {1: 12}, 33: {}}
    hosts: dict[int, Sequence[int]] = {31: (3100,), 32: (3200, 3201), 33: (3300,)}
    before = site.document(mapped, hosts)
    known = site.agent.converge(before)
    lost, sent = {11: False, 13: False}, []
    for _ in range(16):
        number = draw.choice(list(lost))
        with contextlib.suppress(ToolFailed):  # it is served
            site.machine.run(["lvchange", "-a", "y" if lost[number] else "n", f"{site.lvm.group}/v{number}"])
            lost[number] = not lost[number]
        site.look()
        portals_change(draw, site)
        mapped, hosts = a_change(draw, mapped, hosts)
        after = site.document(mapped, hosts)
        change = change_between(before, after)
        assert change is not None
        reply = site.agent.amend(before.database_id, before.generation, change)
        assert reply is not None
        known = reply.completed(known, after)
        assert entries(known) == entries(site.agent.converge(after))
        known, before = site.agent.converge(after), after
        sent.append(reply)
    assert not all(reply.is_whole for reply in sent)
    assert min(len(reply.report.volumes) for reply in sent) < len(VOLUMES)


def test_luns_of_a_target_that_the_agent_does_not_have_are_asked_for_with_the_whole_document() -> None:
    site = Site()
    served = site.document({31: {1: 11}}, {31: (3100,)})
    assert site.agent.converge(served).accepted
    before = site.tree()
    change = ExportChange(
        generation=served.generation + 1, released=(), target_luns=(LunChange(target_id=id_of(39), gone_mappings=()),)
    )
    assert site.agent.amend(served.database_id, served.generation, change) is None
    assert site.tree() == before


def entries(report: ConvergeReport) -> dict[str, list[Model]]:
    """The lists of a report, each in an order that does not depend on how it was made."""
    lists: dict[str, Sequence[Model]] = {
        "targets": report.targets,
        "subsystems": report.subsystems,
        "volumes": report.volumes,
        "portals": report.portals,
    }
    return {name: sorted(found, key=str) for name, found in lists.items()}


class Arriving:
    """A document that arrives when the agent breathes for the nth time, or never."""

    def __init__(self, site: Site, document: ExportSet, at: int) -> None:
        self.arrived = False
        self._site, self._document, self._left = site, document, at
        self._turn = site.agent._exports
        self._let_others = self._turn.let_others
        self._turn.let_others = self.let_others  # type: ignore[method-assign]

    def come(self) -> None:
        self._turn.let_others = self._let_others  # type: ignore[method-assign]
        self._site.agent.converge(self._document)

    def let_others(self) -> bool:
        self._left -= 1
        if self._left != 0:
            return self._let_others()
        self._turn.let_others = self._let_others  # type: ignore[method-assign]
        self.arrived = True
        thread = threading.Thread(target=self._site.agent.converge, args=(self._document,))
        thread.start()
        while not self._turn._waiting:
            pass
        let = self._let_others()
        thread.join()
        return let


@pytest.mark.parametrize("family", Family)
def test_one_more_mapping_asks_the_same_of_the_kernel_however_many_there_are(family: Family) -> None:
    counts = []
    for many in (1, 6):
        site = Site(family)
        mapped: Mapped = {
            31: {at + 1: VOLUMES[at] for at in range(many)},
            32: {at + 1: VOLUMES[at] for at in range(many)},
        }
        hosts: dict[int, Sequence[int]] = {31: (3100, 3101), 32: (3200,)}
        site.agent.converge(site.document(mapped, hosts))
        mapped[31][9] = VOLUMES[8]
        calls = site.calls(site.document(mapped, hosts))
        assert not [call for call in calls if f".{32:08x}/" in call], "nothing of another target is looked at"
        counts.append(len(calls))
        del mapped[31][9]
        counts.append(len(site.calls(site.document(mapped, hosts))))
    assert counts[:2] == counts[2:]


def listening(site: Site) -> set[str]:
    """The addresses on which something is served."""
    tree = site.tree()
    if site.family is Family.SCSI:
        return {re.sub(r".*/np/(.*):3260", r"\1", path) for path in tree if path.endswith(":3260")}
    linked = {path.partition("/subsystems/")[0] for path in tree if re.search("/ports/.*/subsystems/.", path)}
    return {tree[f"{path}/addr_traddr"].strip() for path in linked}


@pytest.mark.parametrize("family", Family)
def test_one_more_portal_asks_nothing_about_volumes_and_hosts(family: Family) -> None:
    counts = []
    for many in (1, 6):
        site = Site(family)
        mapped: Mapped = {31: {at + 1: VOLUMES[at] for at in range(many)}, 32: {1: 20}}
        hosts: dict[int, Sequence[int]] = {31: (3100, 3101), 32: (3200,)}
        site.agent.converge(site.document(mapped, hosts))
        for portals in ((21, 22), (22,)):
            site.portals = portals
            calls = site.calls(site.document(mapped, hosts))
            assert not [call for call in calls if re.search("/(acls|lun|core|namespaces|allowed_hosts|hosts)/", call)]
            counts.append(len(calls))
        assert listening(site) == {"192.0.2.22"}
        assert site.agent.converge(site.kept or site.document(mapped, hosts)).changed == 0
    assert counts[:2] == counts[2:]


@pytest.mark.parametrize("family", Family)
def test_a_portal_is_named_in_the_report_of_the_change_that_makes_it_and_of_none_after_it_is_gone(
    family: Family,
) -> None:
    site = Site(family)
    mapped: Mapped = {31: {1: 11}}
    hosts: dict[int, Sequence[int]] = {31: (3100,)}
    before = site.document(mapped, hosts)
    known = site.agent.converge(before)
    for portals in ((21, 22), (22,), (22, 23), (21,)):
        site.portals = portals
        after = site.document(mapped, hosts)
        change = change_between(before, after)
        assert change is not None
        reply = site.agent.amend(before.database_id, before.generation, change)
        assert reply is not None
        assert not reply.is_whole
        known, before = reply.completed(known, after), after
        assert [one.portal_id for one in known.portals] == [id_of(number) for number in portals]
        assert {one.state for one in known.portals} == {ServingState.OPEN}


def test_a_portal_that_cannot_listen_is_reported_so_and_what_takes_its_address_is_tried() -> None:
    site = Site()
    mapped: Mapped = {31: {1: 11}}
    hosts: dict[int, Sequence[int]] = {31: (3100,)}
    site.agent.converge(site.document(mapped, hosts))
    site.machine.addresses.remove("192.0.2.22")
    site.portals = (21, 22)
    report = site.agent.converge(site.document(mapped, hosts))
    assert [one.state for one in report.portals] == [ServingState.OPEN, ServingState.BLOCKED]
    site.portals = (21, 72)
    report = site.agent.converge(site.document(mapped, hosts))
    assert [one.state for one in report.portals] == [ServingState.OPEN, ServingState.BLOCKED]
    site.machine.addresses.add("192.0.2.22")
    site.portals = (21, 22)
    report = site.agent.converge(site.document(mapped, hosts))
    assert [one.state for one in report.portals] == [ServingState.OPEN, ServingState.OPEN]
    assert [path for path in site.tree() if path.endswith("/np/192.0.2.22:3260")]


def test_a_target_that_was_not_whole_is_served_with_everything() -> None:
    site = Site()
    right = site.volumes[1]
    site.volumes[1] = right.model_copy(update={"size_bytes": 2 * right.size_bytes})
    mapped: Mapped = {31: {1: 11, 2: 12}}
    hosts: dict[int, Sequence[int]] = {31: (3100,)}
    report = site.agent.converge(site.document(mapped, hosts))
    assert report.targets[0].state is ServingState.BLOCKED
    mapped[31][3] = 13
    report = site.agent.converge(site.document(mapped, hosts))
    assert (report.targets[0].state, "bytes instead of" in str(report.targets[0].reason)) == (
        ServingState.BLOCKED,
        True,
    )
    site.volumes[1] = right
    assert site.agent.converge(site.document(mapped, hosts)).targets[0].state is ServingState.OPEN
    assert site.agent.bring_up()


def test_what_another_program_removed_is_found_by_the_next_whole_run() -> None:
    site = Site()
    mapped: Mapped = {31: {1: 11, 2: 12}}
    hosts: dict[int, Sequence[int]] = {31: (3100,)}
    site.agent.converge(site.document(mapped, hosts))
    path = next(path for path in site.tree() if path.endswith("acls/iqn.2026-01.com.example:h3100/lun_1"))
    site.machine.unlink(f"{path}/lun")
    site.machine.rmdir(path)
    mapped[31][3] = 13
    site.calls(site.document(mapped, hosts))
    assert path not in site.tree()
    site.agent.bring_up()
    assert path in site.tree()
