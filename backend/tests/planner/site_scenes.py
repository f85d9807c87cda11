"""Strategies for two sites that are made one after the other: the second is drawn from the first's names too, gives its
arrays more disks and renames what it has in common with it.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from backend.tests.planner.sites import DISK_BYTES, DISKS, SNAPPED, facts, sites, some
from lunette.domain.arrays import ArrayEngine, Level
from lunette.domain.site import Site, SiteArray, SiteNoun
from lunette.planner.site.renames import RENAMABLE, Renames, by_new_names


@dataclass(frozen=True)
class Scene:
    """Two sites that are made one after the other on disks of these sizes, and snapshots that are taken between them:
    the volume of each by its name. `renamed` says what goes by another name in the second.
    """

    disks: tuple[int, ...]
    first: Site
    snapshots: Mapping[str, str]
    second: Site
    renamed: Renames

    def staying(self) -> dict[str, str]:
        """The snapshots whose volumes the second site holds too, each with the name of its volume there."""
        held = {volume.name for volume in self.second.volumes or ()}
        now = {name: self.renamed.new(SiteNoun.VOLUME, volume) for name, volume in self.snapshots.items()}
        return {name: volume for name, volume in now.items() if volume in held}

    def leaving(self) -> list[str]:
        """The names of all others."""
        return [name for name in self.snapshots if name not in self.staying()]

    def first_keys(self) -> set[str]:
        """Of everything in the first site, by the names that the second gives it."""
        return set(facts(by_new_names(self.first, self.renamed)))

    def now(self, keys: Iterable[str]) -> set[str]:
        """Keys of the first site by the names that the second gives them."""
        return set(map(self._now, keys))

    def _now(self, key: str) -> str:
        if not key.startswith(f"{SiteNoun.MAPPING}/"):
            return self.renamed.key(key)
        noun, volume, owner, name = key.split("/")
        volume = self.renamed.new(SiteNoun.VOLUME, volume)
        return f"{noun}/{volume}/{owner}/{self.renamed.new(SiteNoun(owner), name)}"


@st.composite
def scenes(draw: DrawFn) -> Scene:
    """Two sites, and snapshots of volumes of the first that can have some."""
    first = draw(sites())
    second = draw(sites(first) | sites())
    able = {f"{one.name}.{n}": one.name for one in first.volumes or () if one.name in SNAPPED for n in (1, 2)}
    taken = sorted(some(draw, list(able), most=3))
    sizes = draw(st.tuples(*[st.sampled_from(DISK_BYTES)] * len(DISKS)))
    second = _wider(draw, first, second, dict(zip(DISKS, sizes, strict=True)))
    second, found = _renamed(draw, first, second)
    snapshots = {name: able[name] for name in taken}
    return Scene(disks=sizes, first=first, snapshots=snapshots, second=second, renamed=found)


def _wider(draw: DrawFn, first: Site, second: Site, sizes: Mapping[str, int]) -> Site:
    """The second with more disks in the arrays that the first holds too, each as large as those it joins."""
    arrays = {array.name: array for array in _arrays(second)}
    standing = arrays.keys() & {array.name for array in _arrays(first)}
    taken = {disk for array in arrays.values() for ids in array.by_role().values() for disk in ids}
    for disk in [disk for disk in DISKS if disk not in taken]:
        places = [(name, role) for name in sorted(standing) for role in _joinable(arrays[name])]
        fitting = [(name, role) for name, role in places if sizes[disk] >= _least_bytes(arrays[name], role, sizes)]
        if (place := draw(st.sampled_from([None, *fitting]))) is not None:
            name, role = place
            lists: dict[str, Any] = {role: (*getattr(arrays[name], role), disk)}
            arrays[name] = arrays[name].model_copy(update=lists)
    return second.model_copy(update={"arrays": tuple(arrays.values())})


def _least_bytes(array: SiteArray, role: str, sizes: Mapping[str, int]) -> int:
    """What a disk must have to join: as much as the smallest of those it joins."""
    return min(sizes[disk] for disk in getattr(array, role) or array.disks)


def _arrays(site: Site) -> tuple[SiteArray, ...]:
    return site.arrays or ()


def _joinable(array: SiteArray) -> list[str]:
    """The lists of this array that can get longer. A pool does not grow, and a raid0 of md neither."""
    roles: tuple[str, ...] = ("spares", "log", "cache") if array.engine is ArrayEngine.ZFS else ("spares", "disks")
    if array.level is Level.RAID0 and array.engine is not ArrayEngine.ZFS:
        roles = ()
    return [role for role in roles if len(getattr(array, role)) < _most(role)]


def _most(role: str) -> float:
    """How many disks a list can have."""
    limits = (getattr(limit, "max_length", None) for limit in SiteArray.model_fields[role].metadata)
    return min((limit for limit in limits if limit is not None), default=math.inf)


def _renamed(draw: DrawFn, first: Site, second: Site) -> tuple[Site, Renames]:
    """The second with other names for some of what the first holds too."""
    names: dict[SiteNoun, dict[str, str]] = {}
    for noun in RENAMABLE:
        both = _names(first, noun) & _names(second, noun)
        names[noun] = {old: f"{old}-new" for old in sorted(some(draw, sorted(both), most=2))}
    found = Renames(names=names, idle=())
    renamed = by_new_names(second, found)
    former = {new: old for olds in names.values() for old, new in olds.items()}
    sections: dict[str, Any] = {}
    for noun in RENAMABLE:
        new_names = set(names[noun].values())
        sections[noun.section] = tuple(
            entry.model_copy(update={"renamed_from": former[name]}) if (name := _name(entry)) in new_names else entry
            for entry in renamed.entries(noun)
        )
    return Site.model_validate(renamed.model_copy(update=sections).model_dump(exclude_unset=True)), found


def _names(site: Site, noun: SiteNoun) -> set[str]:
    return {_name(entry) for entry in site.entries(noun)}


def _name(entry: object) -> str:
    name: str = getattr(entry, "name")  # noqa: B009 every renamable entry has one
    return name
