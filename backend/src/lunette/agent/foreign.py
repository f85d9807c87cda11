"""Exports that LIO and nvmet serve for other systems, with the volume groups and arrays below them."""

from lunette.domain.adopting import Foreign, ForeignBackstore, ForeignGroup
from lunette.domain.exports import ExportSet
from lunette.domain.identity import TARGET_AUTHORITY
from lunette.domain.targetcli import SavedConfig
from lunette.providers.arrays.md.observe import kernel_arrays, md_name_of
from lunette.providers.exports.lio import adopted, stale
from lunette.providers.exports.lio import foreign as lio
from lunette.providers.exports.lio.configfs import ROOT, LioConfigfs
from lunette.providers.exports.nvmet import foreign as nvmet
from lunette.providers.volumes.lvm import observe as lvm
from lunette.providers.volumes.lvm import parse
from lunette.providers.volumes.lvm.foreign import described
from lunette.providers.volumes.lvm.plan import device_path
from lunette.system.system_port import System


def observe(system: System, served: ExportSet | None) -> Foreign:
    """All foreign exports, with the secrets of their hosts."""
    saved, stores = _over_scsi(system, served)
    groups = _groups(system) if stores or nvmet.names(system, served) else ()
    places = {
        system.realpath(device_path(group.name, volume.name)): (group.name, volume.name)
        for group in groups
        for volume in group.volumes
    }
    subsystems, ports, hosts = nvmet.observe(system, served, places)
    return Foreign(
        saved=saved,
        backstores=tuple(_backstore(system, store, places) for store in stores),
        groups=groups,
        subsystems=subsystems,
        nvme_ports=ports,
        nvme_hosts=hosts,
    )


def _over_scsi(system: System, served: ExportSet | None) -> tuple[SavedConfig, tuple[lio.ForeignStore, ...]]:
    """Foreign exports of LIO; none if there is no LIO."""
    if not system.is_dir(f"{ROOT}/iscsi"):
        return SavedConfig(), ()
    files = LioConfigfs(system)
    ours = {f"iscsi/{name}" for name in stale.own_targets(files, f"{TARGET_AUTHORITY}:")}
    return lio.observe(files, ours | (adopted.paths(adopted.settled(files, served)) if served else frozenset()))


def _backstore(system: System, store: lio.ForeignStore, places: dict[str, tuple[str, str]]) -> ForeignBackstore:
    group, name = places.get(system.realpath(store.device), (None, None)) if store.device else (None, None)
    return ForeignBackstore(
        reference=store.reference, company_id=store.company_id, group=group, lv_name=name, kept=store.kept
    )


def _groups(system: System) -> tuple[ForeignGroup, ...]:
    if system.find_tool("vgs") is None or not system.exists("/dev/mapper/control"):
        return ()
    command = ["pvs", "--reportformat", "json_std", "-o", "pv_name,vg_name,vg_tags"]
    listed = system.run(command, timeout_s=120, ok=(0, lvm.SKIPPED))
    devices: dict[str, list[str]] = {}
    for found in parse.physical_volumes(listed.stdout):
        devices.setdefault(found.group, []).append(system.realpath(found.device).rpartition("/")[2])
    arrays = {array.kernel_name: array.uuid for array in kernel_arrays(system)}
    return tuple(_group(system, group, devices.get(group.name, []), arrays) for group in lvm.observe_groups(system, {}))


def _group(system: System, group: parse.Group, devices: list[str], arrays: dict[str, str]) -> ForeignGroup:
    below = [name for name in devices if name in arrays]
    md_name = md_name_of(system, below[0]) if len(below) == 1 else ""
    return described(group.model_copy(update={"devices": len(devices)}), tuple(arrays[name] for name in below), md_name)
