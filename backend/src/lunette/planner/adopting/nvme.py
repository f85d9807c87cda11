"""Decides which subsystems of nvmet can be adopted unchanged, and why the others cannot (decision 0051). Pure.

A subsystem is adopted completely or not at all, and so is a port with everything it serves: the agent removes whatever
is not desired from objects of Lunette, so nothing in them may be unknown.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from uuid import UUID

from lunette.domain.adopting import Foreign, ForeignNamespace, ForeignSubsystem
from lunette.domain.dhchap import DhChap
from lunette.domain.names import check_nqn
from lunette.domain.observations import Observation
from lunette.domain.targetcli import Finding
from lunette.planner.adopting.beneath import Beneath
from lunette.planner.adopting.facts import Facts
from lunette.planner.adopting.nvme_ports import KeysRefused, NvmePorts, dhchap_of
from lunette.planner.targetcli.access import MAX_LUN, enumerated

Volume = tuple[str | None, str | None]
"""Volume group and logical volume."""
NO_ID = UUID(int=0)
_STAYS = "It stays unchanged with its subsystem."
_UNUSUAL = {
    "attr_pi_enable": "It offers protection information, which Lunette does not support: disconnect the hosts and "
    "copy its volumes.",
    "passthru": "It passes a whole drive through, and only logical volumes can be adopted: copy the drive into a "
    "volume.",
    "buffered_io": "It is served through the page cache (buffered_io), so a power failure would lose writes that were "
    "acknowledged to hosts. Disconnect the hosts and create it again without buffered_io.",
    "resv_enable": "It offers reservations (resv_enable), which Lunette does not support: disconnect the hosts and "
    "set resv_enable to 0.",
}


class NvmeJudge:
    """The verdict on all subsystems of other systems. `adopted` are the subsystems to adopt."""

    def __init__(
        self, foreign: Foreign, seen: Observation, facts: Facts, beneath: Beneath, chosen: tuple[str, ...]
    ) -> None:
        self.foreign, self._facts, self._beneath = foreign, facts, beneath
        self.targets = NvmePorts(foreign, seen, facts)
        self._words: dict[str, str] = {}
        """Refusals by path."""
        self._over_scsi: dict[Volume, str] = {
            (one.group, one.lv_name): one.reference for one in foreign.backstores if one.lv_name
        }
        self._note()
        for port in foreign.nvme_ports:
            if refusal := self.targets.refusal(port):
                self._refuse(_port_path(port.name), refusal)
        for one in foreign.subsystems:
            self._look_at(one)
        self._chosen = frozenset(chosen or (one.nqn for one in foreign.subsystems))
        self.adopted = self._choose()

    def findings(self) -> Iterator[Finding]:
        """One finding for each subsystem, namespace, host and port, under the name of its directory in nvmet."""
        taken = {one.nqn for one in self.adopted}
        for one in self.foreign.subsystems:
            yield from self._taken(one) if one.nqn in taken else self._staying(one)
        used = {name for one in self.adopted for name in one.ports}
        for port in self.foreign.nvme_ports:
            words = f"Portal on {port.where}."
            if port.name not in used:
                words = self._words.get(_port_path(port.name), "It serves no subsystem that is adopted.")
            yield Finding(path=_port_path(port.name), fits=port.name in used, words=words)

    def _note(self) -> None:
        """Collects identities, hosts and volumes of all subsystems."""
        self._identities: dict[Volume, set[tuple[str, str]]] = defaultdict(set)
        self._volumes: dict[str, set[Volume]] = defaultdict(set)
        """By UUID and by NGUID."""
        self._places: dict[tuple[str, bool], list[str]] = defaultdict(list)
        self._behind: dict[str, Counter[Volume]] = defaultdict(Counter)
        for one in self.foreign.subsystems:
            for space in one.namespaces:
                volume = (space.group, space.lv_name)
                self._identities[volume].add((space.uuid, space.nguid))
                for identity in (space.uuid, space.nguid):
                    self._volumes[identity].add(volume)
            for host in one.hosts:
                self._places[host, len(one.hosts) > 1].append(one.nqn)
                self._behind[host].update({(space.group, space.lv_name) for space in one.namespaces if space.lv_name})

    def _look_at(self, one: ForeignSubsystem) -> None:
        path = _path(one)
        if refusal := self._subsystem_refusal(one):
            self._refuse(path, refusal)
        served: dict[Volume, int] = {}
        for space in one.namespaces:
            at = f"{path}/namespaces/{space.number}"
            first = served.setdefault((space.group, space.lv_name), space.number)
            if refusal := self._namespace_refusal(space):
                self._refuse(at, refusal)
            elif first != space.number:
                self._refuse(
                    at,
                    f"It serves the same volume as namespace {first}, and a host can have a volume only once: "
                    "remove one of the two.",
                )
        for host in one.hosts:
            if refusal := self._host_refusal(host, grouped=len(one.hosts) > 1):
                self._refuse(f"{path}/allowed_hosts/{host}", refusal)

    def _subsystem_refusal(self, one: ForeignSubsystem) -> str | None:
        if one.nqn in self._facts.targets:
            return "A host or group of Lunette is already served under this name."
        if bad := _bad_name(one.nqn):
            return bad
        if one.any_host:
            return (
                "It admits any host, and Lunette admits only named hosts: write 0 to attr_allow_any_host and link its "
                "hosts immediately (connected hosts stay connected), then try again."
            )
        if one.unusual:
            return _UNUSUAL[one.unusual[0]]
        if one.odd_links:
            return (
                f"{one.odd_links[0]} has another name than its destination, which Lunette does not support: "
                "disconnect the hosts and create the link again under the name of its destination."
            )
        if not one.hosts:
            return "It admits no host: link its hosts in allowed_hosts, or delete the subsystem."
        if not one.namespaces:
            return "It has no namespace, so there is nothing to adopt: add a namespace, or delete the subsystem."
        if not one.ports:
            return "No port serves it, so no host can connect: link it in a port, or delete it."
        return None

    def _namespace_refusal(self, space: ForeignNamespace) -> str | None:
        if not space.enabled:
            return "It is not enabled, so hosts do not see it: enable it, or remove it."
        if space.number > MAX_LUN:
            return f"Lunette numbers namespaces from 1 to {MAX_LUN}: disconnect the hosts and give it a lower number."
        if space.ana_group != "1":
            return f"It is in ANA group {space.ana_group}, and Lunette only supports group 1: move it there."
        if space.unusual:
            return _UNUSUAL[space.unusual[0]]
        return self._device_refusal(space) or self._identity_refusal(space)

    def _device_refusal(self, space: ForeignNamespace) -> str | None:
        if refusal := self._beneath.device_refusal(space.device, space.group, space.lv_name):
            return refusal
        where = f"{space.group}/{space.lv_name}"
        if other := self._over_scsi.get((space.group, space.lv_name)):
            return (
                f"LIO also serves {where}, as {other}, and only one of the two can serve a volume: remove it from one."
            )
        if space.held:
            return f"{where} is also mounted or in use on this machine: unmount or release it first."
        return None

    def _identity_refusal(self, space: ForeignNamespace) -> str | None:
        if not space.uuid or UUID(space.uuid) == NO_ID:
            return "It has no UUID, and every volume of Lunette has one: disconnect the hosts and set a UUID."
        if len(self._identities[space.group, space.lv_name]) > 1:
            return (
                f"{space.group}/{space.lv_name} has a different UUID or NGUID in another subsystem, and a volume can "
                "have only one: remove it from one of the subsystems."
            )
        for kind, value, taken in (("UUID", space.uuid, self._facts.uuids), ("NGUID", space.nguid, self._facts.nguids)):
            if value in taken or UUID(value).hex in taken:
                return f"A volume of Lunette already has the {kind} {value}: hosts would treat the two as one."
            if UUID(value) != NO_ID and len(self._volumes[value]) > 1:
                return (
                    f"Another namespace has the same {kind} {value} for another volume: hosts would treat the two "
                    "as one."
                )
        return None

    def _host_refusal(self, host: str, *, grouped: bool) -> str | None:
        if owner := self._facts.initiators.get(host):
            return f"It is already an initiator of host {owner} in Lunette: delete it there, or here."
        if bad := _bad_name(host):
            return bad
        places = self._places[host, grouped]
        if len(places) > 1:
            what = "is in one group" if grouped else "has one subsystem of its own"
            return f"It has access to {enumerated(places)}. In Lunette a host {what}: move its volumes into one."
        if twice := [volume for volume, times in self._behind[host].items() if times > 1]:
            return (
                f"It has {twice[0][0]}/{twice[0][1]} through several subsystems. In Lunette a host accesses a volume "
                "in one way only: remove it from all but one."
            )
        try:
            self.dhchap(host)
        except KeysRefused as error:
            return str(error)
        return None

    def dhchap(self, host: str) -> DhChap | None:
        """The credentials that a host must present. Raises KeysRefused, without a key in the message."""
        return dhchap_of(next(one for one in self.foreign.nvme_hosts if one.nqn == host))

    def _choose(self) -> list[ForeignSubsystem]:
        """The subsystems that fit completely, and that share nothing with one that is not adopted."""
        good = [one for one in self.foreign.subsystems if one.nqn in self._chosen and not self._because(one)]
        while True:
            names = {one.nqn for one in good}
            staying = [one for one in self.foreign.subsystems if one.nqn not in names]
            held = {one.nqn: words for one in good if (words := _shared(one, staying))}
            if not held:
                return good
            for one in good:
                if one.nqn in held:
                    self._refuse(_path(one), held[one.nqn])
            good = [one for one in good if one.nqn not in held]

    def _because(self, one: ForeignSubsystem) -> tuple[str, str] | None:
        """Path and reason of the first misfit: the subsystem, something in it, or a port that serves it."""
        path = _path(one)
        at = [where for where in self._words if where == path or where.startswith(f"{path}/")]
        at += [_port_path(name) for name in one.ports if _port_path(name) in self._words]
        return (at[0], self._words[at[0]]) if at else None

    def _taken(self, one: ForeignSubsystem) -> Iterator[Finding]:
        path = _path(one)
        many = len(one.hosts) > 1
        yield _fits(
            path,
            f"The subsystem of {'a group of hosts' if many else 'a host'}, serial {one.kept.serial} stays unchanged.",
        )
        for space in one.namespaces:
            nguid = "no NGUID" if UUID(space.nguid) == NO_ID else f"NGUID {space.nguid}"
            words = f"Volume {space.group}/{space.lv_name}, as UUID {space.uuid} with {nguid}."
            yield _fits(f"{path}/namespaces/{space.number}", words)
        for host in one.hosts:
            asked = self.dhchap(host)
            proof = "no key" if asked is None else "its key both ways" if asked.mutual_secret else "its key"
            yield _fits(f"{path}/allowed_hosts/{host}", f"Host with {proof}.")

    def _staying(self, one: ForeignSubsystem) -> Iterator[Finding]:
        path, why = _path(one), self._because(one)
        reason = "It was not selected."
        if why is not None:
            reason = why[1] if why[0] == path else f"It is not adopted because of {why[0]}: {why[1]}"
        inside = [f"namespaces/{space.number}" for space in one.namespaces]
        inside += [f"allowed_hosts/{host}" for host in one.hosts]
        yield Finding(path=path, fits=False, words=reason)
        for name in inside:
            yield Finding(path=f"{path}/{name}", fits=False, words=self._words.get(f"{path}/{name}", _STAYS))

    def _refuse(self, path: str, words: str) -> None:
        self._words.setdefault(path, words)


def _shared(one: ForeignSubsystem, staying: Sequence[ForeignSubsystem]) -> str | None:
    """What it shares with a subsystem that is not adopted: a port, a host with its key, or a volume."""
    volumes = {(space.group, space.lv_name) for space in one.namespaces}
    for other in staying:
        ports, hosts = set(one.ports) & set(other.ports), set(one.hosts) & set(other.hosts)
        spaces = [space for space in other.namespaces if (space.group, space.lv_name) in volumes]
        if ports or hosts or spaces:
            what = f"Port {min(ports)}" if ports else f"Host {min(hosts)}" if hosts else f"Volume {spaces[0].lv_name}"
            return (
                f"{what} also belongs to {other.nqn}, which is not adopted: adopt both, or remove it from one of them "
                "first."
            )
    return None


def _bad_name(nqn: str) -> str | None:
    try:
        check_nqn(nqn)
    except ValueError as error:
        return (
            f"Lunette does not support the name {nqn}: {error}. Disconnect the hosts and create it again under a "
            "supported name."
        )
    return None


def _fits(path: str, words: str) -> Finding:
    return Finding(path=path, fits=True, words=words)


def _path(one: ForeignSubsystem) -> str:
    return f"/nvmet/subsystems/{one.nqn}"


def _port_path(name: str) -> str:
    return f"/nvmet/ports/{name}"
