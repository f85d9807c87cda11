"""Converges Fibre Channel ports in target mode: which ports serve what, which hosts are admitted, and their modes."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from lunette.domain.exports import ExportFcPort, ExportSet, FcPortReport, ServingState
from lunette.domain.fc import FcMode
from lunette.providers.exports.configfs import attempt
from lunette.providers.exports.lio import fc_tree
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.lio.fc_tree import Place, WwpnAccess
from lunette.providers.exports.lio.lack import Lack, Lacks
from lunette.providers.exports.lio.tree import HBA, PREFIX, Node
from lunette.providers.fabrics import fc_host
from lunette.providers.fabrics.fc_host import BY_DRIVER, FABRICS, SCSI_HOSTS, FcFabric
from lunette.system.system_port import System

_LIBFCOE = "/sys/module/libfcoe/parameters"
_INTERFACE = re.compile(r"/net/([^/]+)/")


@dataclass(frozen=True)
class Ports:
    """The desired objects of a desired state's ports. `reasons` says by port ID what one waits for."""

    desired: ExportSet
    places: tuple[Place, ...]
    accesses: tuple[WwpnAccess, ...]
    reasons: dict[str, str]
    hosts: Mapping[str, str]
    """SCSI host by WWPN."""
    owned: tuple[str, ...]
    """Paths of the ports that Lunette may change."""
    shut: dict[str, str] = field(default_factory=dict)
    """What keeps a WWPN out, by the path of its ACL."""
    waiting: set[str] = field(default_factory=set)
    """IQNs of the targets that keep a WWPN out because volumes are missing."""

    def levels(self) -> tuple[tuple[Node, ...], ...]:
        return fc_tree.levels(self.places, self.desired.targets)

    def nodes(self) -> dict[str, Node]:
        found = [node for level in self.levels() for node in level]
        return {node.path: node for node in (*found, *(node for access in self.accesses for node in access.nodes))}


def look(files: LioConfigfs, desired: ExportSet, released_ports: frozenset[str]) -> Ports:
    """The desired state of each port, from the present HBAs and the content of configfs."""
    hosts = fc_host.hosts(files.system)
    reasons: dict[str, str] = {}
    places = []
    for port in desired.fc_ports:
        host = hosts.get(port.wwpn)
        if reason := _missing(files.system, port, host):
            reasons[port.port_id] = reason
        if port.mode is not FcMode.TARGET or (reason and host):
            continue
        fabric = BY_DRIVER[fc_host.driver_of(files.system, host)] if host else _standing(files, port.wwpn)
        if fabric is None:
            continue
        if others := _foreign_luns(files, f"{fabric.folder}/{port.wwpn}"):
            reasons[port.port_id] = (
                f"port {port.wwpn} already serves {others[0]}, which does not belong to Lunette: remove it there first"
            )
        else:
            places.append(_place(files, port, fabric, host, desired))
    standing = {
        path: files.points_to(f"{path}/lun") or ""
        for one in places
        for wwpn, numbers in fc_tree.collisions(desired.targets).items()
        for path in (f"{one.group}/acls/{wwpn}/lun_{number}" for number in numbers)
    }
    return Ports(
        desired=desired,
        places=tuple(places),
        accesses=tuple(fc_tree.accesses(places, desired.targets, standing)),
        reasons=reasons,
        hosts=hosts,
        owned=tuple(own_ports(files, released_ports | {port.wwpn for port in desired.fc_ports})),
    )


def _missing(system: System, port: ExportFcPort, host: str | None) -> str | None:
    """Why a port cannot reach its desired state; None for an unused one."""
    if host is None and port.mode is not FcMode.DISABLED:
        return f"Fibre Channel port {port.wwpn} is missing: reinstall its HBA, or delete the port from Lunette"
    if host is not None and port.mode is FcMode.TARGET:
        return fc_host.blocker(system, fc_host.driver_of(system, host))
    return None


def _place(files: LioConfigfs, port: ExportFcPort, fabric: FcFabric, host: str | None, desired: ExportSet) -> Place:
    standing = dict(_luns(files, f"{fabric.folder}/{port.wwpn}/tpgt_1"))
    return fc_tree.place(port, fabric, host, fc_tree.choose_numbers(standing, fc_tree.served(desired.targets)))


def _standing(files: LioConfigfs, wwpn: str) -> FcFabric | None:
    """The fabric whose directory a port has; its exports stay although its HBA is missing for a moment."""
    return next((fabric for fabric in FABRICS if files.exists(f"{fabric.folder}/{wwpn}")), None)


def _luns(files: LioConfigfs, group: str) -> Iterator[tuple[int, str]]:
    """Number and volume of every LUN of Lunette in a port's group."""
    for name in files.names(f"{group}/lun"):
        behind = files.points_to(f"{group}/lun/{name}/volume") if name.startswith("lun_") else None
        if behind is not None and behind.startswith(f"{HBA}/{PREFIX}"):
            yield int(name[4:]), behind.removeprefix(f"{HBA}/{PREFIX}")


def _foreign_luns(files: LioConfigfs, path: str) -> list[str]:
    """Foreign LUNs of a port."""
    found = []
    for group in (f"{path}/{name}" for name in files.names(path) if name.startswith("tpgt_")):
        for lun in (f"{group}/lun/{name}" for name in files.names(f"{group}/lun") if name.startswith("lun_")):
            behind = [files.points_to(f"{lun}/{name}") for name in files.names(lun)]
            found += [one for one in behind if one is not None and not one.startswith(f"{HBA}/{PREFIX}")]
    return found


def _folders(files: LioConfigfs) -> Iterator[str]:
    for fabric in FABRICS:
        yield from (f"{fabric.folder}/{name}" for name in files.folders(fabric.folder) if ":" in name)


def own_ports(files: LioConfigfs, managed: Collection[str] = ()) -> Iterator[str]:
    """Ports that serve volumes of Lunette, or nothing and are managed; never one with foreign LUNs."""
    for path in _folders(files):
        ours = bool(dict(_luns(files, f"{path}/tpgt_1"))) or path.rpartition("/")[2] in managed
        if ours and not _foreign_luns(files, path):
            yield path


def foreign(files: LioConfigfs, owned: Sequence[str]) -> tuple[str, ...]:
    """Ports that other systems serve through: shown, never changed."""
    return tuple(path for path in _folders(files) if path not in owned)


def set_modes(files: LioConfigfs, ports: Ports) -> None:
    """Enable or disable the initiator half of a port, if its driver allows that at run time."""
    for port in ports.desired.fc_ports:
        host = ports.hosts.get(port.wwpn)
        if host is None or port.port_id in ports.reasons or fc_host.driver_of(files.system, host) != "qla2xxx":
            continue
        path, wanted = f"{SCSI_HOSTS}/{host}/qlini_mode", fc_host.INI_MODES[port.mode]
        if not files.system.exists(path):
            if port.mode is not FcMode.TARGET:
                ports.reasons[port.port_id] = _reboot(port.mode)
        elif fc_host.parse_ini_mode(fc_host.read_attribute(files.system, path)) != wanted and not _is_on(files, port):
            refused: dict[str, str] = {}
            attempt(refused, path, partial(files.write_sysfs, path, wanted))
            if refused or fc_host.parse_ini_mode(fc_host.read_attribute(files.system, path)) != wanted:
                ports.reasons[port.port_id] = _reboot(port.mode)


def _is_on(files: LioConfigfs, port: ExportFcPort) -> bool:
    """The driver accepts no other mode while its target half is enabled (TARGET_STILL_ACTIVE in qla_set_ini_mode)."""
    return files.read(f"qla2xxx/{port.wwpn}/tpgt_1/enable") == "1"


def _reboot(mode: FcMode) -> str:
    option = f"options qla2xxx qlini_mode={fc_host.INI_MODES[mode]}"
    return (
        f"its driver cannot change the mode of the port at runtime: a restart is required, with '{option}' in "
        "/etc/modprobe.d and in the initramfs"
    )


@dataclass(frozen=True)
class Patience:
    """How long hosts wait: the targets in `overdue` have waited long enough for their missing volumes."""

    lacks: Lacks
    overdue: frozenset[str]

    def keeps_out(self, access: WwpnAccess, lack: Lack) -> bool:
        """True if a target stays closed. A volume that also belongs to another owner is waited for as that one
        requires.
        """
        patient = {id_ for iqn, volumes in access.owners.items() if iqn not in self.overdue for id_ in volumes}
        return access.refusal is not None or lack.keeps_closed(patient)


def grant_access(
    files: LioConfigfs, ports: Ports, failed: dict[str, str], make: Callable[[Node], None], patience: Patience
) -> None:
    """Admits every host whose volumes all exist, or were waited for; logged-in hosts stay. Then the ports open."""
    new: dict[str, list[str]] = {}
    for access in ports.accesses:
        stood = files.exists(access.path)
        is_in = is_logged_in(files, access.path)
        lack = _make(access, patience, make, is_in=is_in)
        is_closed = patience.keeps_out(access, lack)
        if is_closed and not is_in:
            _take_away(files, access, failed)
            ports.waiting.update(iqn for iqn, volumes in access.owners.items() if {*volumes} & {*lack.volumes})
        reason = (access.refusal or lack.reason) if is_closed else None
        if reason is not None:
            ports.shut[access.path] = reason
        elif not stood:
            new.setdefault(access.port_id, []).append(access.wwpn)
    for one in ports.places:
        if one.group in failed:
            continue
        if one.has_switch and files.read(f"{one.group}/enable") != "1":
            attempt(failed, one.group, partial(files.write, f"{one.group}/enable", "1"))
        elif one.host is not None:
            _link_up(files, one.host)
            _call_in(files, one.host, new.get(one.port.port_id, ()))


def _make(access: WwpnAccess, patience: Patience, make: Callable[[Node], None], *, is_in: bool) -> Lack:
    """Makes the ACL of a host as complete as possible, if it may open or its host is logged in. Returns what is
    missing.
    """
    lack = patience.lacks.of(access.needs)
    if is_in or not patience.keeps_out(access, lack):
        for node in access.nodes:
            make(node)
        lack = patience.lacks.of((*access.needs, *(node.path for node in access.nodes)))
    return lack


def _take_away(files: LioConfigfs, access: WwpnAccess, failed: dict[str, str]) -> None:
    """Remove what exists of an ACL that stays closed."""
    if files.exists(access.path):
        for lun in [name for name in files.names(access.path) if name.startswith("lun_")]:
            attempt(failed, access.path, partial(files.remove_linked, f"{access.path}/{lun}"))
        attempt(failed, access.path, partial(files.rmdir, access.path))


def is_logged_in(files: LioConfigfs, acl: str) -> bool:
    """A mapped LUN names the port of its ACL's session, and cannot be read without one
    (target_stat_iport_port_ident_show in drivers/target/target_core_stat.c).
    """
    luns = [name for name in files.names(acl) if name.startswith("lun_")]
    return any(files.read(f"{acl}/{lun}/statistics/scsi_att_intr_port/port_ident") for lun in luns[:1])


def _link_up(files: LioConfigfs, host: str) -> None:
    """Restores the link of a port of a software fabric that `close` removed; an existing link stays."""
    interface = _interface(files.system, host)
    if interface and fc_host.read_attribute(files.system, f"{fc_host.HOSTS}/{host}/port_state") == "Linkdown":
        attempt({}, host, partial(files.write_sysfs, f"{_LIBFCOE}/enable", interface))


def _call_in(files: LioConfigfs, host: str, wwpns: Sequence[str]) -> None:
    """Makes all ports log in again: a host that logged in before it had an ACL found no target here, and does not retry
    automatically. Connected hosts are not disturbed if the new ones are not on the fabric.
    """
    waiting = {
        remote.wwpn
        for remote in fc_host.remotes(files.system, host)
        if remote.state == "Online" and remote.wwpn in wwpns
    }
    if waiting:
        attempt({}, host, partial(files.write_sysfs, f"{fc_host.HOSTS}/{host}/issue_lip", "1"))


def report(files: LioConfigfs, ports: Ports, failed: Mapping[str, str]) -> tuple[FcPortReport, ...]:
    """A port is open if it has its desired state; the reason then names the hosts it keeps out."""
    places = {one.port.port_id: one for one in ports.places}
    found = []
    for port in ports.desired.fc_ports:
        one, reason = places.get(port.port_id), ports.reasons.get(port.port_id)
        is_open = reason is None
        if one is not None:
            paths = [one.path, one.group]
            reason = reason or next((failed[path] for path in paths if path in failed), None)
            is_open = reason is None and (not one.has_switch or files.read(f"{one.group}/enable") == "1")
            below = [(path, why) for path, why in ports.shut.items() if path.startswith(f"{one.group}/")]
            reason = reason or next((f"{path.rpartition('/')[2]} waits: {why}" for path, why in below), None)
        state = ServingState.OPEN if is_open else ServingState.BLOCKED
        found.append(FcPortReport(port_id=port.port_id, state=state, reason=reason))
    return tuple(found)


def close(files: LioConfigfs, paths: Sequence[str]) -> dict[str, str]:
    """Removes the link of ports of a software fabric: their groups have no switch, and a logged-in host must not see
    its disks disappear one by one. Returns what was refused, by path.
    """
    failed: dict[str, str] = {}
    for host in _hosts_of(files.system, [path for path in paths if path.startswith("fc/")]):
        if interface := _interface(files.system, host):
            attempt(failed, host, partial(files.write_sysfs, f"{_LIBFCOE}/disable", interface))
    return failed


def _hosts_of(system: System, paths: Sequence[str]) -> Iterator[str]:
    hosts = fc_host.hosts(system)
    return (hosts[name] for name in (path.rpartition("/")[2] for path in paths) if name in hosts)


def _interface(system: System, host: str) -> str | None:
    """The network interface below a port of a software fabric."""
    found = _INTERFACE.search(f"{system.realpath(f'{fc_host.HOSTS}/{host}/device')}/")
    return found[1] if found else None
