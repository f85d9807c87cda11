"""Adopted objects of nvmet: which foreign-looking names belong to Lunette (decision 0051).

A subsystem retains its name permanently. A port stays in its directory until it is removed, at the latest by the next
boot; it is then created under one of Lunette's own numbers. Hosts see its address, never its number.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import filterfalse
from operator import attrgetter, methodcaller

from lunette.domain.exports import ExportPortal, ExportSet, NvmeLeftover
from lunette.domain.identity import SUBSYSTEM_AUTHORITY
from lunette.domain.unshared import keys
from lunette.providers.exports.nvmet import tree
from lunette.providers.exports.nvmet.configfs import NvmetConfigfs


@dataclass(frozen=True)
class Ours:
    """Subsystems by prefix or because they were adopted, and ports by the names of their directories."""

    prefix: str
    subsystems: frozenset[str] = frozenset()
    ports: frozenset[str] = frozenset()

    def has(self, nqn: str) -> bool:
        return not self.foreign((nqn,))

    def foreign(self, nqns: Iterable[str]) -> tuple[str, ...]:
        """Those of the subsystems that are not Lunette's."""
        others = filterfalse(methodcaller("startswith", self.prefix), nqns)
        return tuple(nqn for nqn in others if nqn not in self.subsystems)

    def has_port(self, name: str) -> bool:
        return tree.is_own_port(name) or name in self.ports

    def has_link(self, files: NvmetConfigfs, link: str) -> bool:
        """True if this link in a port leads to a subsystem of Lunette."""
        folder, _, nqn = (files.points_to(link) or "").partition("/")
        return folder == "subsystems" and self.has(nqn)

    def subsystem_paths(self, files: NvmetConfigfs) -> list[str]:
        return [f"subsystems/{name}" for name in files.names("subsystems") if self.has(name)]

    def port_paths(self, files: NvmetConfigfs) -> list[str]:
        return [f"ports/{name}" for name in files.names("ports") if self.has_port(name)]

    def places_of(self, files: NvmetConfigfs, subsystem: str) -> list[str]:
        """The links by which Lunette's ports serve a subsystem."""
        name = subsystem.rpartition("/")[2]
        return [f"{port}/{subsystem}" for port in self.port_paths(files) if name in files.names(f"{port}/subsystems")]


def of_appliance(files: NvmetConfigfs, desired: ExportSet) -> Ours:
    """What belongs to this appliance."""
    return _ours(files, desired, tree.subsystem_prefix(desired.appliance_id))


def of_any(files: NvmetConfigfs, served: ExportSet | None) -> Ours:
    """What belongs to Lunette under any appliance ID; `served` shows what was adopted."""
    prefix = f"{SUBSYSTEM_AUTHORITY}:"
    return Ours(prefix) if served is None else _ours(files, served, prefix)


def settled(files: NvmetConfigfs, desired: ExportSet) -> ExportSet:
    """The desired state with every adopted port where it is, or where it will be created."""
    if not any(keys("adopted", desired.portals)):
        return desired
    portals = (
        portal
        if portal.adopted is None or _stands(files, _left(portal))
        else portal.model_copy(update={"adopted": None})
        for portal in desired.portals
    )
    return desired.model_copy(update={"portals": tuple(portals)})


def left_over(served: ExportSet, wanted: ExportSet) -> tuple[NvmeLeftover, ...]:
    """Adopted objects that are no longer in `wanted`, and those that `served` had not removed yet."""
    staying = {one.path for one in _adopted(wanted)}
    found = {one.path: one for one in (*served.nvme_leftovers, *_adopted(served)) if one.path not in staying}
    return tuple(found[path] for path in sorted(found))


def standing(files: NvmetConfigfs, leftovers: tuple[NvmeLeftover, ...]) -> tuple[NvmeLeftover, ...]:
    """Those of them that still exist."""
    return tuple(one for one in leftovers if _stands(files, one))


def _ours(files: NvmetConfigfs, desired: ExportSet, prefix: str) -> Ours:
    """Subsystems count before they exist, ports only while they exist: other systems may use their numbers."""
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
    adopted = filter(attrgetter("adopted"), desired.subsystems)
    subsystems = (NvmeLeftover(path=f"subsystems/{one.nqn}") for one in adopted)
    return (*subsystems, *(_left(portal) for portal in desired.portals if portal.adopted))


def _left(portal: ExportPortal) -> NvmeLeftover:
    place = tree.place(portal)
    return NvmeLeftover(path=f"ports/{portal.adopted}", place=" ".join(place.values()))


def _stands(files: NvmetConfigfs, one: NvmeLeftover) -> bool:
    """True if it exists and is still the same object: subsystems are identified by name, ports also by address."""
    if not files.exists(one.path):
        return False
    if not one.place:
        return True
    names = ("addr_trtype", "addr_adrfam", "addr_traddr", "addr_trsvcid")
    return " ".join(files.read(f"{one.path}/{name}") for name in names) == one.place
