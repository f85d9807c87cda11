"""What a restored database may request while hosts use present exports. Pure.

The brake of the agent prevents the removal of exports. The danger of an older database is what it would add: a volume
given to the host that had it yesterday while another host writes to it today. Present exports take precedence; what
contradicts them is omitted from the restored database and reported.
"""

from collections.abc import Container, Iterable, Iterator, Mapping

from lunette.domain.backups import LeftOut, StillServed
from lunette.domain.base import Model
from lunette.domain.exports import ExportSet, ExportSubsystem, ExportTarget, ReleaseKind

ServedTarget = ExportTarget | ExportSubsystem


class Judgement(Model):
    """With a refusal, the database must not be restored here at all."""

    refusal: str | None
    still_served: tuple[StillServed, ...]
    left_out: tuple[LeftOut, ...]
    opens: tuple[str, ...]
    """Volumes that hosts will get and do not have now, in words."""


def judge(served: ExportSet | None, wanted: ExportSet, give_up: Iterable[str] = ()) -> Judgement:
    """Compares what a backup would export with the present exports. `wanted` is the desired state of its rows."""
    if served is None or served.is_empty:
        return Judgement(refusal=None, still_served=(), left_out=(), opens=())
    if served.appliance_id != wanted.appliance_id or served.database_id != wanted.database_id:
        refusal = (
            f"the backup is of appliance {wanted.appliance_id}, but appliance {served.appliance_id} has arrays or "
            "serves hosts: restore a backup of this appliance, or restore on an appliance that serves nothing"
        )
        return Judgement(refusal=refusal, still_served=(), left_out=(), opens=())
    staying = _without(served, frozenset(give_up))
    left_out = (*_mappings_in_the_way(staying, wanted), *_initiators_in_the_way(staying, wanted))
    return Judgement(
        refusal=None,
        still_served=still_served(staying, wanted),
        left_out=left_out,
        opens=tuple(_opens(served, wanted, {one.id for one in left_out})),
    )


def releases(served: ExportSet, wanted: ExportSet, give_up: Iterable[str]) -> tuple[tuple[ReleaseKind, str], ...]:
    """The releases needed to stop serving this, including volumes that are not needed then."""
    named = frozenset(give_up)
    given = tuple((one.kind, one.id) for one in still_served(served, wanted) if one.id in named)
    needed = {volume.volume_id for volume in wanted.volumes}
    needed |= {lun.volume_id for target in _targets(_without(served, named)) for lun in target.luns}
    idle = (volume.volume_id for volume in served.volumes if volume.volume_id not in needed)
    return (*given, *((ReleaseKind.VOLUME, id_) for id_ in idle if given))


def still_served(served: ExportSet | None, wanted: ExportSet) -> tuple[StillServed, ...]:
    """Exports that are served now and unknown to the backup, each once."""
    return tuple({one.id: one for one in _still_served(served, wanted)}.values()) if served else ()


def _targets(exports: ExportSet) -> tuple[ServedTarget, ...]:
    return (*exports.targets, *exports.subsystems)


def _initiators(target: ServedTarget) -> dict[str, tuple[str, str]]:
    """Names of the initiator and of its host, by ID."""
    if isinstance(target, ExportSubsystem):
        return {one.initiator_id: (one.nqn, one.host) for one in target.hosts}
    over_ip = {one.initiator_id: (one.iqn, one.host) for one in target.initiators}
    return over_ip | {one.initiator_id: (one.wwpn, one.host) for one in target.fc_initiators}


def _hosts(target: ServedTarget) -> str:
    return " and ".join(sorted({host for _, host in _initiators(target).values()})) or "nobody"


def _names(*sets: ExportSet) -> dict[str, str]:
    return {volume.volume_id: volume.name for exports in sets for volume in exports.volumes}


def _without(served: ExportSet, given_up: frozenset[str]) -> ExportSet:
    """What would still be served."""

    def thinned(target: ServedTarget) -> dict[str, object]:
        return {"luns": tuple(lun for lun in target.luns if lun.mapping_id not in given_up)}

    targets = tuple(
        target.model_copy(
            update={
                **thinned(target),
                "initiators": tuple(i for i in target.initiators if i.initiator_id not in given_up),
                "fc_initiators": tuple(i for i in target.fc_initiators if i.initiator_id not in given_up),
            }
        )
        for target in served.targets
        if target.target_id not in given_up
    )
    subsystems = tuple(
        target.model_copy(
            update={**thinned(target), "hosts": tuple(h for h in target.hosts if h.initiator_id not in given_up)}
        )
        for target in served.subsystems
        if target.target_id not in given_up
    )
    return served.model_copy(
        update={
            "targets": targets,
            "subsystems": subsystems,
            "portals": tuple(one for one in served.portals if one.portal_id not in given_up),
            "fc_ports": tuple(one for one in served.fc_ports if one.port_id not in given_up),
            "arrays": tuple(one for one in served.arrays if one.array_id not in given_up),
        }
    )


def _still_served(served: ExportSet, wanted: ExportSet) -> Iterator[StillServed]:
    names, known = _names(wanted, served), {(one.kind, one.id) for one in _things(wanted, _names(wanted))}
    yield from (one for one in _things(served, names) if (one.kind, one.id) not in known)


def _things(exports: ExportSet, names: Mapping[str, str]) -> Iterator[StillServed]:
    """Everything that can be released separately."""
    for array in exports.arrays:
        yield StillServed(kind=ReleaseKind.ARRAY, id=array.array_id, words=f"array {array.name}")
    for target in _targets(exports):
        name, kind = (
            (target.nqn, ReleaseKind.SUBSYSTEM)
            if isinstance(target, ExportSubsystem)
            else (target.iqn, ReleaseKind.TARGET)
        )
        yield StillServed(kind=kind, id=target.target_id, words=f"{name}, for {_hosts(target)}")
        for lun in target.luns:
            words = f"volume {names[lun.volume_id]} for {_hosts(target)}, as number {lun.lun}"
            yield StillServed(kind=ReleaseKind.MAPPING, id=lun.mapping_id, words=words)
        for id_, (initiator, host) in _initiators(target).items():
            yield StillServed(kind=ReleaseKind.INITIATOR, id=id_, words=f"{initiator} of {host} at {name}")
    for portal in exports.portals:
        words = f"{portal.protocol.value} at {portal.address}" + (f" port {portal.port}" if portal.port else "")
        yield StillServed(kind=ReleaseKind.PORTAL, id=portal.portal_id, words=words)
    for port in exports.fc_ports:
        yield StillServed(kind=ReleaseKind.FC_PORT, id=port.port_id, words=f"Fibre Channel port {port.wwpn}")


def _mappings_in_the_way(served: ExportSet, wanted: ExportSet) -> Iterator[LeftOut]:
    """Mappings whose volume is served by another mapping that is unknown to the backup, or whose LUN now has another
    volume.
    """
    names = _names(served, wanted)
    known = {lun.mapping_id for target in _targets(wanted) for lun in target.luns}
    standing = {lun.mapping_id for target in _targets(served) for lun in target.luns}
    users: dict[str, str] = {}
    numbers: Mapping[tuple[str, int], str] = {
        (target.target_id, lun.lun): names[lun.volume_id] for target in _targets(served) for lun in target.luns
    }
    for target in _targets(served):
        users |= {lun.volume_id: _hosts(target) for lun in target.luns if lun.mapping_id not in known}
    for target in _targets(wanted):
        for lun in target.luns:
            if lun.mapping_id in standing:
                continue
            what = f"volume {names[lun.volume_id]} for {_hosts(target)}"
            if lun.volume_id in users:
                words = f"{what}: it is now served to {users[lun.volume_id]}"
            elif (target.target_id, lun.lun) in numbers:
                words = f"{what}: number {lun.lun} is now used by volume {numbers[target.target_id, lun.lun]}"
            else:
                continue
            yield LeftOut(noun="mapping", id=lun.mapping_id, words=words)


def _initiators_in_the_way(served: ExportSet, wanted: ExportSet) -> Iterator[LeftOut]:
    """Initiators that have access elsewhere now: one machine would see the volumes of two hosts."""
    places = {name: (id_, host) for target in _targets(served) for id_, (name, host) in _initiators(target).items()}
    reported: set[str] = set()
    for target in _targets(wanted):
        for id_, (name, host) in _initiators(target).items():
            if name in places and places[name][0] != id_ and id_ not in reported:
                reported.add(id_)
                words = f"{name} of {host}: it now has access as {places[name][1]}"
                yield LeftOut(noun="initiator", id=id_, words=words)


def _opens(served: ExportSet, wanted: ExportSet, left_out: Container[str]) -> Iterator[str]:
    names = _names(served, wanted)
    standing = {lun.mapping_id for target in _targets(served) for lun in target.luns}
    for target in _targets(wanted):
        for lun in target.luns:
            if lun.mapping_id not in standing and lun.mapping_id not in left_out:
                yield f"volume {names[lun.volume_id]} for {_hosts(target)}"
