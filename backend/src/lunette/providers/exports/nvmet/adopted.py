"""What others made in nvmet and Lunette took over: which names are ours though they do not tell (decision 0051).

A subsystem keeps its name for life. A port stays in the folder it was made in until that goes, at the latest with the
next boot; then it is made under a number of our own. Hosts are told of its address, never of its number.
"""

from dataclasses import dataclass

from lunette.domain.exports import ExportPortal, ExportSet, NvmeLeftover
from lunette.domain.identity import SUBSYSTEM_AUTHORITY
from lunette.providers.exports.nvmet import tree
from lunette.providers.exports.nvmet.configfs import Configfs


@dataclass(frozen=True)
class Ours:
    """Subsystems whose names begin so, or that were adopted, and ports by the names of their folders."""

    prefix: str
    subsystems: frozenset[str] = frozenset()
    ports: frozenset[str] = frozenset()

    def has(self, nqn: str) -> bool:
        return nqn.startswith(self.prefix) or nqn in self.subsystems

    def has_port(self, name: str) -> bool:
        return tree.is_own_port(name) or name in self.ports

    def has_link(self, files: Configfs, link: str) -> bool:
        """True if this link in a port leads to a subsystem of ours."""
        folder, _, nqn = (files.points_to(link) or "").partition("/")
        return folder == "subsystems" and self.has(nqn)

    def subsystem_paths(self, files: Configfs) -> list[str]:
        return [f"subsystems/{name}" for name in files.names("subsystems") if self.has(name)]

    def port_paths(self, files: Configfs) -> list[str]:
        return [f"ports/{name}" for name in files.names("ports") if self.has_port(name)]

    def places_of(self, files: Configfs, subsystem: str) -> list[str]:
        """The links by which our ports serve a subsystem."""
        name = subsystem.rpartition("/")[2]
        return [f"{port}/{subsystem}" for port in self.port_paths(files) if name in files.names(f"{port}/subsystems")]


def of_appliance(files: Configfs, desired: ExportSet) -> Ours:
    """What is ours as this appliance."""
    return _ours(files, desired, tree.subsystem_prefix(desired.appliance_id))


def of_any(files: Configfs, served: ExportSet | None) -> Ours:
    """What is ours under whatever appliance id; `served` tells what was adopted."""
    prefix = f"{SUBSYSTEM_AUTHORITY}:"
    return Ours(prefix) if served is None else _ours(files, served, prefix)


def settled(files: Configfs, desired: ExportSet) -> ExportSet:
    """The desired state with every adopted port where it stands, or where it is to be made."""
    if not any(portal.adopted for portal in desired.portals):
        return desired
    portals = (
        portal
        if portal.adopted is None or _stands(files, _left(portal))
        else portal.model_copy(update={"adopted": None})
        for portal in desired.portals
    )
    return desired.model_copy(update={"portals": tuple(portals)})


def left_over(served: ExportSet, wanted: ExportSet) -> tuple[NvmeLeftover, ...]:
    """What was adopted and is given up by `wanted`, with what `served` had not removed yet."""
    staying = {one.path for one in _adopted(wanted)}
    found = {one.path: one for one in (*served.nvme_leftovers, *_adopted(served)) if one.path not in staying}
    return tuple(found[path] for path in sorted(found))


def standing(files: Configfs, leftovers: tuple[NvmeLeftover, ...]) -> tuple[NvmeLeftover, ...]:
    """Those of them that are still there."""
    return tuple(one for one in leftovers if _stands(files, one))


def _ours(files: Configfs, desired: ExportSet, prefix: str) -> Ours:
    """Subsystems count before they stand, ports only while they do: their numbers are anybody's."""
    known = (*_adopted(desired), *desired.nvme_leftovers)
    ports = (one for one in known if one.path.startswith("ports/") and _stands(files, one))
    return Ours(
        prefix,
        frozenset(_name(one) for one in known if one.path.startswith("subsystems/")),
        frozenset(_name(one) for one in ports),
    )


def _name(one: NvmeLeftover) -> str:
    return one.path.partition("/")[2]


def _adopted(desired: ExportSet) -> tuple[NvmeLeftover, ...]:
    subsystems = (NvmeLeftover(path=f"subsystems/{one.nqn}") for one in desired.subsystems if one.adopted)
    return (*subsystems, *(_left(portal) for portal in desired.portals if portal.adopted))


def _left(portal: ExportPortal) -> NvmeLeftover:
    place = tree.place(portal)
    return NvmeLeftover(path=f"ports/{portal.adopted}", place=" ".join(place.values()))


def _stands(files: Configfs, one: NvmeLeftover) -> bool:
    """Whether it is there and still itself: subsystems are told by their names, ports by their addresses too."""
    if not files.exists(one.path):
        return False
    if not one.place:
        return True
    names = ("addr_trtype", "addr_adrfam", "addr_traddr", "addr_trsvcid")
    return " ".join(files.read(f"{one.path}/{name}") for name in names) == one.place
