"""Adopted objects of LIO: where they are in configfs, and which foreign-looking names belong to Lunette.

A target retains its name permanently. A backstore stays where it is until it is removed, at the latest by the next
boot; it is then created in Lunette's own adapter.
"""

from collections.abc import Iterable, Iterator
from itertools import filterfalse
from operator import attrgetter, methodcaller

from lunette.domain.exports import AdoptedBackstore, ExportSet, ExportTarget, ExportVolume, Leftover
from lunette.domain.unshared import keys, unshared
from lunette.providers.exports.lio import tree
from lunette.providers.exports.lio.configfs import LioConfigfs


def settled(files: LioConfigfs, desired: ExportSet) -> ExportSet:
    """The desired state with every adopted backstore where it is, or where it will be created."""
    if not any(keys("adopted", desired.volumes)):
        return desired
    return desired.model_copy(update={"volumes": tuple(_settled(files, volume) for volume in desired.volumes)})


def paths(desired: ExportSet) -> frozenset[str]:
    """Adopted targets and backstores that belong to Lunette, or did, under foreign names."""
    prefix = tree.target_prefix(desired.appliance_id)
    stores = (kept.path for _, kept in _adopted(desired.volumes))
    return frozenset((*_targets(desired.targets, prefix), *stores, *keys("path", desired.leftovers)))


def left_over(served: ExportSet, wanted: ExportSet) -> tuple[Leftover, ...]:
    """Adopted objects that are no longer in `wanted`, and those that `served` had not removed yet."""
    prefix = tree.target_prefix(served.appliance_id)
    volumes, _ = unshared(served.volumes, wanted.volumes)
    going = [
        *served.leftovers,
        *(Leftover(path=path) for path in _targets(served.targets, prefix)),
        *(
            Leftover(path=kept.path, volume_id=volume.volume_id, serial=volume.identity.serial)
            for volume, kept in _adopted(volumes)
        ),
    ]
    if not going:
        return ()
    staying = paths(wanted.model_copy(update={"leftovers": ()}))
    found = {one.path: one for one in going if one.path not in staying}
    return tuple(found[path] for path in sorted(found))


def standing(files: LioConfigfs, leftovers: Iterable[Leftover]) -> tuple[Leftover, ...]:
    """Those of them that still exist."""
    return tuple(one for one in leftovers if _stands(files, one.path, one.serial))


def standing_volumes(files: LioConfigfs, served: ExportSet) -> frozenset[str]:
    """IDs of the volumes whose adopted backstores exist."""
    places = [(kept.path, one.identity.serial, one.volume_id) for one, kept in _adopted(served.volumes)]
    places += [(one.path, one.serial or "", one.volume_id) for one in served.leftovers if one.volume_id]
    return frozenset(volume_id for path, serial, volume_id in places if _stands(files, path, serial))


def iqns(served: ExportSet | None) -> frozenset[str]:
    """Names of the served targets: the names of adopted targets do not show that they belong to Lunette."""
    return frozenset(keys("iqn", served.targets)) if served else frozenset()


def is_same(files: LioConfigfs, device: str, other: str) -> bool:
    """True if two paths lead to one device."""
    return files.system.realpath(device) == files.system.realpath(other)


def _settled(files: LioConfigfs, volume: ExportVolume) -> ExportVolume:
    kept = volume.adopted
    if kept is None or _stands(files, kept.path, volume.identity.serial):
        return volume
    own = kept.model_copy(update={"path": tree.backstore_path(volume.volume_id)})
    return volume.model_copy(update={"adopted": own})


def _stands(files: LioConfigfs, path: str, serial: str | None) -> bool:
    """True if it exists and is still the same object: targets are identified by name, backstores by serial."""
    if not files.exists(path):
        return False
    return serial is None or files.read(f"{path}/wwn/vpd_unit_serial").rpartition(": ")[2] == serial


def _adopted(volumes: Iterable[ExportVolume]) -> Iterator[tuple[ExportVolume, AdoptedBackstore]]:
    """Those of the volumes that were adopted: mostly none, and they are not looked at one by one."""
    for volume in filter(attrgetter("adopted"), volumes):
        if volume.adopted is not None:
            yield volume, volume.adopted


def _targets(targets: Iterable[ExportTarget], prefix: str) -> list[str]:
    return [f"iscsi/{iqn}" for iqn in filterfalse(methodcaller("startswith", prefix), keys("iqn", targets))]
