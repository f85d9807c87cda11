"""The rows of what is taken over: every name and number as it stands, every identity that is new chosen here."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lunette.domain.adopting import ForeignGroup
from lunette.domain.arrays import ObservedArray
from lunette.domain.exports import AdoptedBackstore
from lunette.domain.hosts import Chap
from lunette.domain.identity import IdentitySource, VolumeIdentity, naa_of
from lunette.domain.steps import AdoptedVolume, GroupAdopt
from lunette.domain.targetcli import SavedStore, SavedTarget
from lunette.planner.adopting.judge import Judge
from lunette.planner.targetcli.access import credentials, host_name

NAME_MAX = 63


@dataclass(frozen=True)
class NewArray:
    id: str
    name: str
    md_name: str
    group: str
    seen: ObservedArray


@dataclass(frozen=True)
class NewVolume:
    id: str
    name: str
    array_id: str
    group: str
    lv_name: str
    size_bytes: int
    identity: VolumeIdentity
    backstore: AdoptedBackstore


@dataclass(frozen=True)
class NewHost:
    id: str
    name: str
    initiator_id: str
    iqn: str
    chap: Chap | None
    target_id: str
    """Of the target it gets in the end, if none of its own is taken over."""
    target_iqn: str
    nqn: str


@dataclass(frozen=True)
class NewTarget:
    """A target that is taken over, for a host or for a group of hosts."""

    id: str
    iqn: str
    nqn: str
    tag: int
    host_id: str | None
    host_group_id: str | None


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


@dataclass(frozen=True)
class NewPortal:
    id: str
    name: str
    address: str
    port: int


@dataclass
class Rows:
    """In the order in which they can be written."""

    arrays: list[NewArray] = field(default_factory=list)
    volumes: list[NewVolume] = field(default_factory=list)
    hosts: list[NewHost] = field(default_factory=list)
    groups: list[NewGroup] = field(default_factory=list)
    targets: list[NewTarget] = field(default_factory=list)
    mappings: list[NewMapping] = field(default_factory=list)
    portals: list[NewPortal] = field(default_factory=list)
    steps: list[GroupAdopt] = field(default_factory=list)

    def ids(self) -> tuple[str, ...]:
        """Of everything that would be forgotten again if the job is taken back."""
        every = (self.arrays, self.volumes, self.hosts, self.groups, self.mappings, self.portals)
        return tuple(row.id for rows in every for row in rows)


def make_rows(judge: Judge, identities: IdentitySource) -> Rows:
    """Chooses everything that is new. Empty where nothing is taken over."""
    maker = _Maker(judge, identities)
    for target in judge.adopted:
        maker.take(target)
    maker.mark()
    return maker.rows


class _Maker:
    def __init__(self, judge: Judge, identities: IdentitySource) -> None:
        self._judge, self._ids, self._facts = judge, identities, judge.facts
        self.rows = Rows()
        self._arrays: dict[str, str] = {}
        """Array id by group."""
        self._volumes: dict[str, NewVolume] = {}
        self._hosts: dict[str, NewHost] = {}
        uses = [store.reference for target in judge.adopted for store in judge.stores_of(target)]
        self._shared = {reference for reference in uses if uses.count(reference) > 1}
        taken = (self._facts.volumes, self._facts.hosts, self._facts.host_groups, self._facts.portal_names)
        self._names = dict(zip(("volume", "host", "group", "portal"), map(set, taken), strict=True))
        self._names["array"] = {array.name for array in self._facts.arrays.values()}

    def take(self, target: SavedTarget) -> None:
        """One target with all that is in it."""
        group = self._judge.group_of(target)
        hosts = [self._host(acl.node_wwn, credentials(acl, group)) for acl in group.node_acls]
        owner = hosts[0] if len(hosts) == 1 else self._host_group(target, hosts)
        alone = isinstance(owner, NewHost)
        host_id, host_group_id = (owner.id, None) if alone else (None, owner.id)
        nqn = self._ids.subsystem_nqn(self._facts.appliance_id)
        self.rows.targets.append(NewTarget(self._ids.id(), target.wwn, nqn, group.tag, host_id, host_group_id))
        for lun in sorted(group.luns, key=lambda one: one.index):
            store = next(one for one in self._judge.stores_of(target) if one.reference == lun.storage_object)
            volume = self._volume(store)
            shared = store.reference in self._shared
            mapping = NewMapping(self._ids.id(), volume.id, host_id, host_group_id, lun.index, shared)
            self.rows.mappings.append(mapping)
        for portal in group.portals:
            address = portal.ip_address.strip("[]")
            known = {(one.address, one.port) for one in self.rows.portals}
            if not self._judge.known_portal(portal) and (address, portal.port) not in known:
                name = self._name("portal", f"iscsi-{address}-{portal.port}")
                self.rows.portals.append(NewPortal(self._ids.id(), name, address, portal.port))

    def mark(self) -> None:
        """One step for each volume group."""
        for name, array_id in self._arrays.items():
            group = self._judge.foreign.group(name)
            if group is not None:
                volumes = (one for one in self.rows.volumes if one.group == name)
                marks = tuple(AdoptedVolume(volume_id=one.id, lv_name=one.lv_name) for one in volumes)
                self.rows.steps.append(
                    GroupAdopt(
                        array_id=array_id, md_uuid=group.arrays[0], group=name, group_uuid=group.uuid,
                        is_new=group.arrays[0] not in self._facts.arrays, volumes=marks,
                    )
                )  # fmt: skip

    def _host(self, iqn: str, chap: Chap | None) -> NewHost:
        if iqn not in self._hosts:
            appliance_id = self._facts.appliance_id
            self._hosts[iqn] = NewHost(
                self._ids.id(), self._name("host", host_name(iqn)), self._ids.id(), iqn, chap, self._ids.id(),
                self._ids.target_iqn(appliance_id), self._ids.subsystem_nqn(appliance_id),
            )  # fmt: skip
            self.rows.hosts.append(self._hosts[iqn])
        return self._hosts[iqn]

    def _host_group(self, target: SavedTarget, hosts: Iterable[NewHost]) -> NewGroup:
        name = self._name("group", host_name(target.wwn))
        group = NewGroup(self._ids.id(), name, tuple(host.id for host in hosts))
        self.rows.groups.append(group)
        return group

    def _volume(self, store: SavedStore) -> NewVolume:
        if store.reference not in self._volumes:
            found = self._judge.foreign.backstore(store.reference)
            group = self._judge.foreign.group(found.group if found else None)
            volume = group.volume(found.lv_name or "") if group and found else None
            if found is None or group is None or volume is None:
                raise AssertionError(f"{store.reference} was judged to be a logical volume")
            serial = store.wwn or ""
            identity = self._ids.volume().model_copy(update={"serial": serial, "naa": naa_of(serial)})
            self._volumes[store.reference] = NewVolume(
                self._ids.id(), self._name("volume", store.name), self._array(group), group.name, volume.name,
                volume.size_bytes, identity, found.kept,
            )  # fmt: skip
            self.rows.volumes.append(self._volumes[store.reference])
        return self._volumes[store.reference]

    def _array(self, group: ForeignGroup) -> str:
        if group.name not in self._arrays:
            known = self._facts.arrays.get(group.arrays[0])
            if known is None:
                name = group.md_name.rpartition(":")[2]
                array = NewArray(
                    self._ids.id(), self._name("array", f"md{name}" if name.isdigit() else name), group.md_name,
                    group.name, self._judge.beneath.array(group),
                )  # fmt: skip
                self.rows.arrays.append(array)
            self._arrays[group.name] = known.id if known else self.rows.arrays[-1].id
        return self._arrays[group.name]

    def _name(self, noun: str, wanted: str) -> str:
        """The name, made one of ours, with a number behind it where it is taken."""
        plain = "".join(one if one.isascii() and (one.isalnum() or one in "-_.") else "-" for one in wanted)
        plain = plain.strip("-_.") or noun
        name = next(one for one in _numbered(plain) if one not in self._names[noun])
        self._names[noun].add(name)
        return name


def _numbered(plain: str) -> Iterator[str]:
    yield plain[:NAME_MAX]
    number = 2
    while True:
        yield f"{plain[: NAME_MAX - 8]}-{number}"
        number += 1
