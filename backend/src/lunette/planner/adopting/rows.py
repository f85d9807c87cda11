"""The rows of adopted objects. Names and numbers stay unchanged; new identities are chosen here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lunette.domain.adopting import ForeignGroup
from lunette.domain.arrays import ObservedArray
from lunette.domain.dhchap import DhChap
from lunette.domain.exports import AdoptedBackstore, AdoptedSubsystem
from lunette.domain.hosts import Chap, InitiatorKind
from lunette.domain.identity import IdentitySource, VolumeIdentity, naa_of
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.domain.steps import AdoptedVolume, AnyStep, GroupAdopt
from lunette.domain.targetcli import SavedStore, SavedTarget
from lunette.planner.adopting.judge import Judge
from lunette.planner.targetcli.access import credentials, host_name

NAME_MAX = 63


@dataclass(frozen=True)
class NewArray:
    id: str
    name: str
    engine_name: str
    group: str
    seen: ObservedArray


@dataclass(frozen=True)
class NewVolume:
    """A volume that was not served, or served over NVMe, has no backstore: over SCSI it looks like any other volume."""

    id: str
    name: str
    array_id: str
    group: str
    backing_name: str
    size_bytes: int
    identity: VolumeIdentity
    backstore: AdoptedBackstore | None
    without_nguid: bool = False
    """True if hosts saw no NGUID over NVMe."""


@dataclass(frozen=True)
class NewHost:
    id: str
    name: str
    initiator_id: str
    kind: InitiatorKind
    initiator: str
    chap: Chap | None
    dhchap: DhChap | None
    target_id: str
    """ID of the host's future target, if no target of its own is adopted."""
    target_iqn: str
    nqn: str


@dataclass(frozen=True)
class NewTarget:
    """An adopted target or subsystem of a host or host group, with the name it gets for the other family."""

    id: str
    iqn: str
    nqn: str
    tag: int
    host_id: str | None
    host_group_id: str | None
    subsystem: AdoptedSubsystem | None = None
    """None for a target."""


@dataclass(frozen=True)
class NewGroup:
    id: str
    name: str
    host_ids: tuple[str, ...]


@dataclass(frozen=True)
class NewMapping:
    id: str
    volume_id: str
    host_id: str | None
    host_group_id: str | None
    lun: int
    shared: bool
    family: Family = Family.SCSI


@dataclass(frozen=True)
class NewPortal:
    id: str
    name: str
    address: str
    port: int
    protocol: Protocol = Protocol.ISCSI
    engine: ExportEngine = ExportEngine.LIO
    folder: str | None = None
    """Directory of its port in nvmet."""


@dataclass
class Rows:
    """All new rows, in the order in which they can be written."""

    arrays: list[NewArray] = field(default_factory=list)
    volumes: list[NewVolume] = field(default_factory=list)
    hosts: list[NewHost] = field(default_factory=list)
    groups: list[NewGroup] = field(default_factory=list)
    targets: list[NewTarget] = field(default_factory=list)
    mappings: list[NewMapping] = field(default_factory=list)
    portals: list[NewPortal] = field(default_factory=list)
    steps: list[AnyStep] = field(default_factory=list)

    def ids(self) -> tuple[str, ...]:
        """IDs of all rows to delete if the job is undone."""
        every = (self.arrays, self.volumes, self.hosts, self.groups, self.mappings, self.portals)
        return tuple(row.id for rows in every for row in rows)


class Maker:
    """Creates the rows of targets, and what subsystems have in common with them."""

    def __init__(self, judge: Judge, identities: IdentitySource) -> None:
        self.judge, self.ids, self.facts = judge, identities, judge.facts
        self.rows = Rows()
        self._arrays: dict[str, str] = {}
        """IDs of arrays by volume group."""
        self._volumes: dict[str, NewVolume] = {}
        self._hosts: dict[str, NewHost] = {}
        uses = [store.reference for target in judge.adopted for store in judge.stores_of(target)]
        self._shared = {reference for reference in uses if uses.count(reference) > 1}
        taken = (self.facts.volumes, self.facts.hosts, self.facts.host_groups, self.facts.portal_names)
        self._names = dict(zip(("volume", "host", "group", "portal"), map(set, taken), strict=True))
        self._names["array"] = {array.name for array in self.facts.arrays.values()}

    def take(self, target: SavedTarget) -> None:
        """Adds a target with everything in it."""
        group = self.judge.group_of(target)
        hosts = [
            self.host(InitiatorKind.IQN, acl.node_wwn, host_name(acl.node_wwn), chap=credentials(acl, group))
            for acl in group.node_acls
        ]
        host_id, host_group_id = self.owner(host_name(target.wwn), hosts)
        nqn = self.ids.subsystem_nqn(self.facts.appliance_id)
        self.rows.targets.append(NewTarget(self.ids.id(), target.wwn, nqn, group.tag, host_id, host_group_id))
        for lun in sorted(group.luns, key=lambda one: one.index):
            store = next(one for one in self.judge.stores_of(target) if one.reference == lun.storage_object)
            volume = self._volume(store)
            shared = store.reference in self._shared
            mapping = NewMapping(self.ids.id(), volume.id, host_id, host_group_id, lun.index, shared)
            self.rows.mappings.append(mapping)
        for portal in group.portals:
            address = portal.ip_address.strip("[]")
            known = {(one.address, one.port) for one in self.rows.portals}
            if not self.judge.known_portal(portal) and (address, portal.port) not in known:
                name = self.name("portal", f"iscsi-{address}-{portal.port}")
                self.rows.portals.append(NewPortal(self.ids.id(), name, address, portal.port))

    def mark(self) -> None:
        """One step for each volume group."""
        for name, array_id in self._arrays.items():
            group = self.judge.foreign.group(name)
            if group is not None:
                volumes = (one for one in self.rows.volumes if one.group == name)
                marks = tuple(AdoptedVolume(volume_id=one.id, backing_name=one.backing_name) for one in volumes)
                self.rows.steps.append(
                    GroupAdopt(
                        array_id=array_id,
                        array_uuid=group.arrays[0],
                        group=name,
                        group_uuid=group.uuid,
                        is_new=group.arrays[0] not in self.facts.arrays,
                        volumes=marks,
                    )
                )

    def host(
        self, kind: InitiatorKind, initiator: str, name: str, *, chap: Chap | None = None, dhchap: DhChap | None = None
    ) -> NewHost:
        """The host of an initiator, created on first use."""
        if initiator not in self._hosts:
            appliance_id = self.facts.appliance_id
            self._hosts[initiator] = NewHost(
                self.ids.id(),
                self.name("host", name),
                self.ids.id(),
                kind,
                initiator,
                chap,
                dhchap,
                self.ids.id(),
                self.ids.target_iqn(appliance_id),
                self.ids.subsystem_nqn(appliance_id),
            )
            self.rows.hosts.append(self._hosts[initiator])
        return self._hosts[initiator]

    def owner(self, name: str, hosts: Sequence[NewHost]) -> tuple[str | None, str | None]:
        """ID of the host, or of the group if there are several hosts."""
        if len(hosts) == 1:
            return hosts[0].id, None
        group = NewGroup(self.ids.id(), self.name("group", name), tuple(host.id for host in hosts))
        self.rows.groups.append(group)
        return None, group.id

    def _volume(self, store: SavedStore) -> NewVolume:
        if store.reference not in self._volumes:
            found = self.judge.foreign.backstore(store.reference)
            group = self.judge.foreign.group(found.group if found else None)
            volume = group.volume(found.lv_name or "") if group and found else None
            if found is None or group is None or volume is None:
                raise AssertionError(f"{store.reference} was judged to be a logical volume")
            serial = store.wwn or ""
            identity = self.ids.volume().model_copy(update={"serial": serial, "naa": naa_of(serial)})
            self._volumes[store.reference] = NewVolume(
                self.ids.id(),
                self.name("volume", store.name),
                self.array(group),
                group.name,
                volume.name,
                volume.size_bytes,
                identity,
                found.kept,
            )
            self.rows.volumes.append(self._volumes[store.reference])
        return self._volumes[store.reference]

    def array(self, group: ForeignGroup) -> str:
        """ID of the array below a volume group."""
        if group.name not in self._arrays:
            known = self.facts.arrays.get(group.arrays[0])
            if known is None:
                array = NewArray(
                    self.ids.id(),
                    self.name("array", array_name(group.engine_name)),
                    group.engine_name,
                    group.name,
                    self.judge.beneath.array(group),
                )
                self.rows.arrays.append(array)
            self._arrays[group.name] = known.id if known else self.rows.arrays[-1].id
        return self._arrays[group.name]

    def name(self, noun: str, wanted: str) -> str:
        """The name as Lunette allows it, with a number appended if it is taken."""
        return free_name(noun, wanted, self._names[noun])


def free_name(noun: str, wanted: str, taken: set[str]) -> str:
    """The name as Lunette allows it, with a number appended if it is taken. The name is then reserved."""
    plain = "".join(one if one.isascii() and (one.isalnum() or one in "-_.") else "-" for one in wanted)
    plain = plain.strip("-_.") or noun
    name = next(one for one in _numbered(plain) if one not in taken)
    taken.add(name)
    return name


def array_name(md_name: str) -> str:
    """The default name of an array: /dev/md/0 on the machine where it was created becomes md0."""
    name = md_name.rpartition(":")[2]
    return f"md{name}" if name.isdigit() else name


def _numbered(plain: str) -> Iterator[str]:
    yield plain[:NAME_MAX]
    number = 2
    while True:
        yield f"{plain[: NAME_MAX - 8]}-{number}"
        number += 1
