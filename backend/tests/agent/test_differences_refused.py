"""A difference that the kernel refuses in part, or that meets something unexpected, ends as everything served would."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import pytest

from backend.tests.agent.exports import CHAP, dhchap, exports, lun, nvme_host, nvme_portal, portal, subsystem
from backend.tests.agent.test_differences import Arriving, Mapped, Place, Site, listening
from backend.tests.fakemachine.faults import Call
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ConvergeReport, ExportPortal, ExportSet, ServingState
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.providers.exports.difference import between
from lunette.providers.exports.nvmet.part import trees
from lunette.providers.exports.nvmet.tree import PORTS

HOSTS: dict[int, Sequence[int]] = {31: (3100,), 32: (3200,)}


def served(family: Family, mapped: Mapped, hosts: dict[int, Sequence[int]] = HOSTS) -> Site:
    """A site that serves this, and has looked at everything."""
    site = Site(family)
    site.agent.converge(site.document(mapped, hosts))
    assert site.agent.bring_up()
    return site


def removals_fail(site: Site, *parts: str) -> None:
    """Whatever has one of these parts in its path is not removed and not disabled."""

    def broken(call: Call) -> bool:
        return call.name in {"rmdir", "unlink", "write"} and any(part in call.detail for part in parts)

    site.machine.faults.break_calls(broken)


def device(site: Site, end: str) -> str:
    return next(value for path, value in site.tree().items() if path.endswith(end)).strip()


@pytest.mark.parametrize("family", Family)
def test_what_could_not_be_removed_is_looked_at_again(family: Family) -> None:
    site = served(family, {31: {1: 11, 2: 12}})
    woken: list[bool] = []
    site.agent.wake = lambda: woken.append(True)
    removals_fail(site, "/lun_2", "/namespaces/2")
    site.agent.converge(site.document({31: {1: 11}}, HOSTS))
    assert woken
    site.machine.faults.disarm()
    assert site.agent.bring_up()
    assert not [path for path in site.tree() if path.endswith(("/lun_2", "/namespaces/2"))]


def test_a_number_whose_namespace_could_not_be_removed_serves_the_new_volume() -> None:
    site = served(Family.NVME, {31: {1: 11, 2: 12}})
    removals_fail(site, "/namespaces/2")
    site.agent.converge(site.document({31: {1: 11}}, HOSTS))
    site.machine.faults.disarm()
    report = site.agent.converge(site.document({31: {1: 11, 2: 13}}, HOSTS))
    assert report.subsystems[0].state is ServingState.OPEN
    assert device(site, "/namespaces/2/device_path").endswith("/v13")


def test_a_number_whose_lun_could_not_be_removed_serves_the_new_volume() -> None:
    site = served(Family.SCSI, {31: {1: 11, 2: 12}})
    removals_fail(site, "/lun_2")
    site.agent.converge(site.document({31: {1: 11}}, HOSTS))
    site.machine.faults.disarm()
    report = site.agent.converge(site.document({31: {1: 11, 2: 13}}, HOSTS))
    assert report.targets[0].state is ServingState.OPEN
    store = device(site, "/lun/lun_2/volume").rpartition("/")[2]
    assert device(site, f"{store}/udev_path").endswith("/v13")


def test_a_number_at_which_another_program_serves_a_volume_serves_the_mapped_one() -> None:
    site = served(Family.NVME, {31: {1: 11}})
    one = next(path for path in site.tree() if path.endswith("/namespaces/1"))
    two = f"{one[:-1]}2"
    site.machine.mkdir(two)
    site.machine.write(f"{two}/device_path", site.volumes[1].device)
    site.machine.write(f"{two}/enable", "1")
    site.agent.converge(site.document({31: {1: 11, 2: 13}}, HOSTS))
    assert device(site, "/namespaces/2/device_path").endswith("/v13")


def test_a_host_that_could_not_be_removed_is_not_admitted_to_the_next_volume() -> None:
    both: dict[int, Sequence[int]] = {31: (3100, 3101), 32: (3200,)}
    site = served(Family.NVME, {31: {1: 11}, 32: {1: 12}}, both)
    removals_fail(site, f"{31:08x}")
    site.agent.converge(site.document({32: {1: 12}}, both))
    site.machine.faults.disarm()
    site.agent.converge(site.document({31: {1: 13}, 32: {1: 12}}, {31: (3100,), 32: (3200,)}))
    assert len([path for path in site.tree() if f"{31:08x}/allowed_hosts/" in path]) == 1


@pytest.mark.parametrize("as_difference", [False, True])
def test_no_target_opens_without_the_login_of_discovery(*, as_difference: bool) -> None:
    def asking(site: Site, mapped: Mapped) -> ExportSet:
        return site.document(mapped, HOSTS).model_copy(update={"discovery": CHAP})

    site = Site()
    site.machine.faults.break_calls(lambda call: "discovery_auth" in call.detail and call.name == "write")
    site.agent.converge(asking(site, {31: {1: 11}}))
    if not as_difference:
        site.agent.looks.last = None
    report = site.agent.converge(asking(site, {31: {1: 11}, 32: {1: 12}}))
    assert {one.state for one in report.targets} == {ServingState.BLOCKED}


def removed_by_another(site: Site) -> str:
    """A mapped LUN that another program took away; its path."""
    path = next(path for path in site.tree() if path.endswith("h3100/lun_1"))
    site.machine.unlink(f"{path}/lun")
    site.machine.rmdir(path)
    return path


def over_both(site: Site, luns: dict[int, int]) -> ExportSet:
    """Volume 12 is served over NVMe, all others over SCSI."""
    found = site.document({31: luns}, HOSTS)
    place = subsystem(40, [nvme_host(4000, dhchap(7))], [lun(9001, 1, 12)])
    places: list[Place] = [*found.targets, place]
    mapped = {one.volume_id for each in places for one in each.luns}
    return found.model_copy(
        update={
            "subsystems": (place,),
            "portals": (portal(21), nvme_portal(22)),
            "volumes": tuple(volume for volume in site.volumes if volume.volume_id in mapped),
        }
    )


@pytest.mark.parametrize("as_difference", [False, True])
def test_a_repair_after_a_change_is_reported_where_both_families_are_served(*, as_difference: bool) -> None:
    site = Site()
    site.machine.run(["modprobe", "nvmet-tcp"])
    site.agent.converge(over_both(site, {1: 11}))
    if not as_difference:
        site.agent.looks.last = None
    document = over_both(site, {1: 11, 3: 13})
    site.agent.converge(document)
    removed_by_another(site)
    site.look()
    assert site.agent.converge(document).repaired


def interrupted(change: Mapped) -> list[tuple[Site, ConvergeReport]]:
    """The site after a look that gave way to this change, at each point at which it can, and the report of the change.
    Before the look another program let LUN 2 lead elsewhere.
    """
    found: list[tuple[Site, ConvergeReport]] = []
    for at in range(1, 30):
        site = served(Family.SCSI, {31: {1: 11, 2: 12}, 32: {1: 13}})
        tree = site.tree()
        mapped = next(path for path in tree if path.endswith("h3100/lun_2"))
        other = next(path for path in tree if path.endswith(f"{31:08x}/tpgt_1/lun/lun_1"))
        site.machine.unlink(f"{mapped}/lun")
        site.machine.symlink(other, f"{mapped}/lun")
        arriving = Arriving(site, site.document(change, HOSTS), at)
        site.agent.bring_up()
        if not arriving.arrived:
            return found
        assert site.agent._answered
        found.append((site, site.agent._answered))
    raise AssertionError("a look breathes more often than was tried")


def test_a_look_that_gave_way_left_no_hole_behind_an_open_target() -> None:
    reports = interrupted({31: {1: 11, 2: 12, 3: 14}, 32: {1: 13}})
    assert reports
    for site, report in reports:
        stands = any(path.endswith("h3100/lun_2") for path in site.tree())
        assert stands or report.targets[0].state is not ServingState.OPEN


def test_what_a_look_that_gave_way_corrected_is_reported() -> None:
    for site, _ in interrupted({31: {1: 11, 2: 12}, 32: {1: 13, 2: 14}}):
        assert site.agent.bring_up()
        assert site.kept
        assert site.agent.converge(site.kept).repaired


def test_a_failed_look_is_not_hidden_by_the_last_good_one() -> None:
    site = Site()
    document = site.document({31: {1: 11}}, HOSTS)
    site.agent.converge(document)
    assert site.agent.bring_up()
    site.agent.looks._took_s = 2.0
    site.machine.faults.break_calls(lambda call: site.root in call.detail)
    for _ in range(2):
        with pytest.raises(LunetteError):
            site.agent.bring_up()
        with pytest.raises(LunetteError):
            site.agent.converge(document)


@pytest.mark.parametrize("family", Family)
def test_a_portal_that_could_not_be_closed_is_closed_by_the_next_look(family: Family) -> None:
    site = Site(family)
    site.portals = (21, 22)
    site.agent.converge(site.document({31: {1: 11}}, HOSTS))
    assert site.agent.bring_up()
    site.portals = (21,)
    after = site.document({31: {1: 11}}, HOSTS)
    removals_fail(site, "/np/", "/ports/")
    assert site.agent.converge(after).accepted
    assert listening(site) == {"192.0.2.21", "192.0.2.22"}
    site.machine.faults.break_calls(lambda _call: False)
    site.look()
    assert listening(site) == {"192.0.2.21"}


WHOLE = {
    "iSER": (portal(23).model_copy(update={"protocol": Protocol.ISER}),),
    "NVMe/RDMA": (nvme_portal(23, protocol=Protocol.NVME_RDMA),),
    "SPDK": (nvme_portal(23).model_copy(update={"engine": ExportEngine.SPDK}),),
    "both families": (portal(23, "192.0.2.2"), nvme_portal(24, "192.0.2.2")),
}


@pytest.mark.parametrize("coming", WHOLE.values(), ids=WHOLE)
def test_a_portal_over_rdma_or_of_spdk_and_portals_of_both_families_are_served_with_everything(
    coming: tuple[ExportPortal, ...],
) -> None:
    present = exports(portals=(portal(21), nvme_portal(22)))
    larger = present.model_copy(update={"portals": (*present.portals, *coming)})
    assert between(present, larger) is None
    assert between(larger, present) is None


def test_a_port_that_would_get_the_directory_of_another_is_served_with_everything() -> None:
    first, second = (nvme_portal(number, f"192.0.2.{number}") for number in (21, 22))
    twin = first.model_copy(update={"portal_id": str(UUID(int=UUID(first.portal_id).int + 3 * PORTS)), "port": 4421})
    for before, after in (((first, twin), (twin,)), ((first,), (twin,)), ((twin,), (first, twin))):
        difference = between(exports(portals=before), exports(portals=after))
        assert difference is not None
        assert trees(difference) is None
    plain = between(exports(portals=(first,)), exports(portals=(second,)))
    assert plain is not None
    assert trees(plain) is not None
