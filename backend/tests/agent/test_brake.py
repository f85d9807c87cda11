"""The brake: nothing that is served ever leaves without its release."""

from hypothesis import given
from hypothesis import strategies as st

from backend.tests.agent.exports import (
    CHAP,
    array,
    exports,
    fc_initiator,
    fc_port,
    id_of,
    initiator,
    lun,
    nvme_host,
    portal,
    subsystem,
    target,
    volume,
)
from lunette.agent.brake import Verdict, merge
from lunette.domain.exports import ExportSet, Release, ReleaseKind
from lunette.domain.fc import FcMode

SERVED = exports(
    arrays=(array(1),),
    volumes=(volume(11, 1), volume(12, 1)),
    portals=(portal(21),),
    targets=(target(31, [initiator(41), initiator(42)], [lun(51, 1, 11), lun(52, 2, 12)]),),
)


def things(document: ExportSet) -> set[tuple[ReleaseKind, str]]:
    """Everything a document serves, as a release would name it."""
    found = {(ReleaseKind.ARRAY, a.array_id) for a in document.arrays}
    found |= {(ReleaseKind.VOLUME, v.volume_id) for v in document.volumes}
    found |= {(ReleaseKind.PORTAL, p.portal_id) for p in document.portals}
    found |= {(ReleaseKind.FC_PORT, p.port_id) for p in document.fc_ports}
    for found_target in document.targets:
        found.add((ReleaseKind.TARGET, found_target.target_id))
        found |= {(ReleaseKind.INITIATOR, i.initiator_id) for i in found_target.initiators}
        found |= {(ReleaseKind.INITIATOR, i.initiator_id) for i in found_target.fc_initiators}
        found |= {(ReleaseKind.MAPPING, m.mapping_id) for m in found_target.luns}
    for found_subsystem in document.subsystems:
        found.add((ReleaseKind.SUBSYSTEM, found_subsystem.target_id))
        found |= {(ReleaseKind.INITIATOR, host.initiator_id) for host in found_subsystem.hosts}
        found |= {(ReleaseKind.MAPPING, m.mapping_id) for m in found_subsystem.luns}
    return found


def release(kind: ReleaseKind, number: int, generation: int = 2) -> Release:
    return Release(kind=kind, id=id_of(number), generation=generation)


@st.composite
def documents(draw: st.DrawFn) -> ExportSet:
    """Consistent documents that share their ids, so that two of them overlap."""
    arrays = draw(st.sets(st.integers(1, 2)))
    volumes = [volume(n, n % 2 + 1) for n in sorted(draw(st.sets(st.integers(11, 15)))) if n % 2 + 1 in arrays]
    numbers = [int(v.device[-12:], 16) for v in volumes]
    targets = []
    left = list(numbers)
    for number in sorted(draw(st.sets(st.integers(31, 33)))):
        mine = [left.pop() for _ in range(draw(st.integers(0, len(left))))]
        initiators = [
            initiator(number * 10 + n, CHAP if n == 2 else None) for n in sorted(draw(st.sets(st.integers(0, 2))))
        ]
        over_fc = tuple(fc_initiator(number * 10 + n - 256) for n in sorted(draw(st.sets(st.integers(7, 8)))))
        made = target(number, initiators, [lun(n + 40, n, n) for n in mine])
        targets.append(made.model_copy(update={"fc_initiators": over_fc}))
    subsystems = []
    for number in sorted(draw(st.sets(st.integers(31, 33)))):
        mine = [left.pop() for _ in range(draw(st.integers(0, len(left))))]
        hosts = [nvme_host(number * 10 + n) for n in sorted(draw(st.sets(st.integers(5, 6))))]
        subsystems.append(subsystem(number, hosts, [lun(n + 40, n, n) for n in mine]))
    portals = [portal(n, f"192.0.2.{n}") for n in sorted(draw(st.sets(st.integers(21, 23))))]
    released = tuple(
        Release(kind=kind, id=id_of(n), generation=2)
        for kind, low, high in (
            (ReleaseKind.ARRAY, 1, 2),
            (ReleaseKind.VOLUME, 11, 15),
            (ReleaseKind.PORTAL, 21, 23),
            (ReleaseKind.TARGET, 31, 33),
            (ReleaseKind.INITIATOR, 310, 336),
            (ReleaseKind.MAPPING, 51, 55),
            (ReleaseKind.SUBSYSTEM, 31, 33),
            (ReleaseKind.INITIATOR, 61, 82),
            (ReleaseKind.FC_PORT, 91, 92),
        )
        for n in sorted(draw(st.sets(st.integers(low, high))))
    )
    return exports(
        generation=2,
        arrays=tuple(map(array, sorted(arrays))),
        volumes=tuple(volumes),
        portals=tuple(portals),
        targets=tuple(targets),
        subsystems=tuple(subsystems),
        released=released,
        fc_ports=tuple(fc_port(n) for n in sorted(draw(st.sets(st.integers(91, 92))))),
    )


def as_ledger(document: ExportSet) -> ExportSet:
    return document.model_copy(update={"generation": 1, "released": ()})


@given(documents(), documents())
def test_whatever_leaves_was_released_by_itself_or_with_its_target(served: ExportSet, wanted: ExportSet) -> None:
    ledger = as_ledger(served)
    effective = merge(ledger, wanted).effective
    released = {(r.kind, r.id) for r in wanted.released}
    inside = {
        thing
        for t in ledger.targets
        if (ReleaseKind.TARGET, t.target_id) in released
        for thing in things(exports(targets=(t,)))
    }
    inside |= {
        thing
        for s in ledger.subsystems
        if (ReleaseKind.SUBSYSTEM, s.target_id) in released
        for thing in things(exports(subsystems=(s,)))
    }
    assert things(ledger) - things(effective) <= released | inside


@given(documents(), documents())
def test_what_remains_unanswered_is_reported(served: ExportSet, wanted: ExportSet) -> None:
    verdict = merge(as_ledger(served), wanted)
    for kind, id_ in things(verdict.effective) - things(wanted):
        assert any(line.startswith(f"{kind.value} {id_} ") for line in verdict.unexplained)


@given(documents(), documents())
def test_what_is_served_stands_on_what_is_served(served: ExportSet, wanted: ExportSet) -> None:
    effective = merge(as_ledger(served), wanted).effective
    volumes = {v.volume_id: v for v in effective.volumes}
    arrays = {a.array_id for a in effective.arrays}
    assert {m.volume_id for t in effective.targets for m in t.luns} <= set(volumes)
    assert {m.volume_id for s in effective.subsystems for m in s.luns} <= set(volumes)
    assert {v.array_id for v in effective.volumes} <= arrays


@given(documents(), documents())
def test_a_number_and_a_name_are_served_once_in_a_target(served: ExportSet, wanted: ExportSet) -> None:
    for found in merge(as_ledger(served), wanted).effective.targets:
        assert len({m.lun for m in found.luns}) == len(found.luns)
        assert len({i.iqn for i in found.initiators}) == len(found.initiators)
    for one in merge(as_ledger(served), wanted).effective.subsystems:
        assert len({m.lun for m in one.luns}) == len(one.luns)
        assert len({h.nqn for h in one.hosts}) == len(one.hosts)


@given(documents(), documents())
def test_a_mapping_is_served_in_one_place(served: ExportSet, wanted: ExportSet) -> None:
    effective = merge(as_ledger(served), wanted).effective
    mappings = [m.mapping_id for t in effective.targets for m in t.luns]
    mappings += [m.mapping_id for s in effective.subsystems for m in s.luns]
    assert len(mappings) == len(set(mappings))


@given(documents(), documents())
def test_the_same_document_again_changes_nothing(served: ExportSet, wanted: ExportSet) -> None:
    once = merge(as_ledger(served), wanted).effective
    assert merge(once, wanted).effective == once


@given(documents())
def test_without_a_ledger_the_document_is_served_as_it_is(wanted: ExportSet) -> None:
    verdict = merge(None, wanted)
    assert things(verdict.effective) == things(wanted)
    assert verdict.unexplained == ()
    assert verdict.refusal is None


def refused(**changes: object) -> Verdict:
    return merge(SERVED.model_copy(update={"generation": 5}), exports(generation=6, **changes))


def test_an_older_document_changes_nothing() -> None:
    ledger = SERVED.model_copy(update={"generation": 5})
    verdict = merge(
        ledger, exports(generation=4, released=tuple(release(k, i) for k, i in ((ReleaseKind.TARGET, 31),)))
    )
    assert verdict.effective == ledger
    assert verdict.refusal is not None
    assert "older" in verdict.refusal


def test_a_document_of_another_database_changes_nothing() -> None:
    verdict = refused(database_id="other")
    assert verdict.effective.targets == SERVED.targets
    assert verdict.refusal is not None
    assert "database other" in verdict.refusal


def test_a_document_of_another_appliance_changes_nothing() -> None:
    verdict = refused(appliance_id="ffffffffffff")
    assert verdict.effective.targets == SERVED.targets
    assert verdict.refusal is not None


def test_an_empty_database_takes_nothing_away() -> None:
    verdict = refused()
    assert things(verdict.effective) == things(SERVED)
    assert len(verdict.unexplained) == len(things(SERVED))


def test_a_released_mapping_leaves_and_its_neighbour_stays() -> None:
    smaller = target(31, [initiator(41), initiator(42)], [lun(52, 2, 12)])
    wanted = SERVED.model_copy(
        update={"generation": 2, "targets": (smaller,), "released": (release(ReleaseKind.MAPPING, 51),)}
    )
    verdict = merge(SERVED, wanted)
    assert [m.lun for m in verdict.effective.targets[0].luns] == [2]
    assert verdict.unexplained == ()


def test_a_released_volume_stays_while_an_unreleased_mapping_needs_it() -> None:
    wanted = SERVED.model_copy(
        update={"generation": 2, "volumes": (volume(12, 1),), "released": (release(ReleaseKind.VOLUME, 11),)}
    )
    assert id_of(11) in {v.volume_id for v in merge(SERVED, wanted).effective.volumes}


def test_a_lun_number_never_changes_behind_a_host() -> None:
    moved = target(31, [initiator(41), initiator(42)], [lun(51, 7, 11), lun(52, 2, 12)])
    verdict = merge(SERVED, SERVED.model_copy(update={"generation": 2, "targets": (moved,)}))
    assert [m.lun for m in verdict.effective.targets[0].luns] == [1, 2]
    assert "permanent" in verdict.unexplained[0]


def test_an_identity_never_changes() -> None:
    swapped = volume(11, 1).model_copy(update={"identity": volume(13, 1).identity})
    wanted = SERVED.model_copy(update={"generation": 2, "volumes": (swapped, volume(12, 1))})
    verdict = merge(SERVED, wanted)
    assert verdict.effective.volumes[0].identity == volume(11, 1).identity
    assert verdict.unexplained


def test_names_and_secrets_change_freely() -> None:
    renamed = target(31, [initiator(41, CHAP), initiator(42)], [lun(51, 1, 11), lun(52, 2, 12)])
    wanted = SERVED.model_copy(
        update={
            "generation": 2,
            "targets": (renamed,),
            "volumes": (volume(11, 1).model_copy(update={"name": "new"}), volume(12, 1)),
        }
    )
    verdict = merge(SERVED, wanted)
    assert verdict.effective.targets[0].initiators[0].chap == CHAP
    assert verdict.effective.volumes[0].name == "new"
    assert verdict.unexplained == ()


def test_a_port_gets_the_requested_mode_and_retains_its_name() -> None:
    ledger = exports(fc_ports=(fc_port(91), fc_port(92)))
    changed = exports(generation=2, fc_ports=(fc_port(91, FcMode.INITIATOR),))
    verdict = merge(ledger, changed)
    assert [port.mode for port in verdict.effective.fc_ports] == [FcMode.INITIATOR, FcMode.TARGET]
    reported = f"fc_port {id_of(92)} is no longer in the configuration"
    assert any(line.startswith(reported) for line in verdict.unexplained)
