"""Creates, grows and removes the thin pool of a volume group.

A full pool answers writes to new chunks with an error immediately (`lv_when_full` is error). Queueing them, LVM's
default, delays commands for a minute: hosts then abort them, and reset sessions that also serve other volumes.
"""

import re
from collections.abc import Sequence

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.sizes import format_size
from lunette.domain.steps import ThinPoolCreate, ThinPoolGrow, ThinPoolRemove
from lunette.providers.volumes.lvm import parse
from lunette.providers.volumes.lvm.own import TIMEOUT_S, check_space, device_bytes, own_group
from lunette.providers.volumes.lvm.plan import TAG, pool_device_path, pool_tag
from lunette.system.system_port import System

_SPARE_TAG = "lunette.spare"
"""On the volume that becomes the metadata: the name under which LVM creates the spare, before it exists."""


def create(system: System, step: ThinPoolCreate) -> str | None:
    """Create the pool; None if the group has one of Lunette, from any step.

    From two volumes with Lunette's tags: if lvcreate creates a pool alone and is killed, it leaves a volume `lvol0`
    without any tag, whose owner is unknown. lvconvert creates such a volume for the spare: its name is recorded before.
    """
    group = own_group(system, step.group)
    parts = _parts(group, step)
    known = None if parts else (_known(group, step.name) or _known(group, _metadata(step.name)))
    if known is None:
        _remove(system, group, parts)
        check_space(group, f"thin pool {step.name}", step.data_bytes + 2 * step.metadata_bytes)
        _make(system, step, _next_name(group))
    elif known.active:
        return None
    system.run(["lvchange", "--activate", "y", "--", f"{step.group}/{step.name}"], timeout_s=TIMEOUT_S)
    return f"thin pool {step.name} of {format_size(step.data_bytes)} was created in {step.group}"


def undo_create(system: System, step: ThinPoolCreate) -> str | None:
    """Remove the pool, or the parts of it, if this step created it and nothing is in it; None otherwise."""
    group = own_group(system, step.group)
    if parts := _parts(group, step):
        _remove(system, group, parts)
        return f"the remains of thin pool {step.name} were removed from {step.group}"
    known = group.volume(step.name)
    if known is None or pool_tag(step.pool_id) not in known.tags:
        return None
    return take_away(system, group, known)


def grow(system: System, step: ThinPoolGrow) -> str | None:
    """Grow data and metadata to these sizes; None if they have them. LVM lets the spare grow with the metadata."""
    group = own_group(system, step.group)
    known = _known(group, step.name)
    if known is None:
        raise NotFound(f"{step.group} no longer has a thin pool: it was removed with its last volume")
    metadata = max(0, step.metadata_bytes - known.metadata_bytes)
    data = max(0, step.data_bytes - known.size_bytes)
    path = f"{step.group}/{step.name}"
    if not (metadata or data):
        if not _is_stale(system, group, known):
            return None
        system.run(["lvchange", "--refresh", "--", path], timeout_s=TIMEOUT_S)
        return f"the kernel now uses {format_size(step.data_bytes)} of thin pool {step.name}"
    check_space(group, f"thin pool {step.name}", 2 * metadata + data)
    sizes = ["--poolmetadatasize", f"{step.metadata_bytes}b"] if metadata else []
    sizes += ["--size", f"{step.data_bytes}b"] if data else []
    system.run(["lvextend", *sizes, "--", path], timeout_s=TIMEOUT_S)
    return f"thin pool {step.name} has {format_size(step.data_bytes)}"


def remove(system: System, step: ThinPoolRemove) -> str | None:
    """Remove the pool; None if it is gone, or in use again."""
    group = own_group(system, step.group)
    known = _known(group, step.name)
    return take_away(system, group, known) if known else None


def take_away(system: System, group: parse.Group, pool: parse.Volume) -> str | None:
    """Remove an empty pool; None if it is not empty. LVM itself checks once more."""
    if group.in_pool(pool.name):
        return None
    path = f"{group.name}/{pool.name}"
    system.run(["lvremove", "-y", "--select", "thin_count=0", "--", path], timeout_s=TIMEOUT_S)
    return f"thin pool {pool.name} was removed from {group.name}"


def _is_stale(system: System, group: parse.Group, pool: parse.Volume) -> bool:
    """True if the kernel has another size for the pool than LVM: the tool was killed before it set it."""
    sizes = {"-tpool": pool.size_bytes, "_tmeta": pool.metadata_bytes}
    paths = {pool_device_path(group.name, pool.name, part): size for part, size in sizes.items()}
    return any(system.exists(path) and device_bytes(system, path) != size for path, size in paths.items())


def _metadata(name: str) -> str:
    """The volume that becomes the pool's metadata."""
    return f"{name}-metadata"


def _parts(group: parse.Group, step: ThinPoolCreate) -> list[parse.Volume]:
    """Parts that this step created and that were not combined yet: no host ever saw them."""
    found = [group.volume(name) for name in (_metadata(step.name), step.name)]
    parts = [one for one in found if one and not one.is_pool and {TAG, pool_tag(step.pool_id)} <= one.tags]
    return parts + [spare for part in parts if (spare := _cut_spare(group, part))]


def _cut_spare(group: parse.Group, metadata: parse.Volume) -> parse.Volume | None:
    """The volume that lvconvert was about to make the spare: with the recorded name, as large as the metadata, without
    any tag.
    """
    name = parse.tagged(metadata.tags, _SPARE_TAG)
    spare = group.volume(name) if name else None
    is_it = spare and not spare.tags and not spare.open and spare.size_bytes == metadata.size_bytes
    return spare if is_it else None


def _next_name(group: parse.Group) -> str:
    """LVM's name for the next unnamed volume (generate_lv_name in lv_manip.c of LVM 2.03)."""
    found = [re.match(r"lvol(\d+)", volume.name) for volume in group.volumes]
    return f"lvol{max((int(one[1]) for one in found if one), default=-1) + 1}"


def _remove(system: System, group: parse.Group, parts: Sequence[parse.Volume]) -> None:
    for part in parts:
        system.run(["lvremove", "-y", "--", f"{group.name}/{part.name}"], timeout_s=TIMEOUT_S)


def _make(system: System, step: ThinPoolCreate, spare: str) -> None:
    ours = ["--addtag", TAG, "--addtag", pool_tag(step.pool_id)]
    foretold = ["--addtag", f"{_SPARE_TAG}={spare}"]
    shapes = ((_metadata(step.name), step.metadata_bytes, ours + foretold), (step.name, step.data_bytes, ours))
    for name, size_bytes, tags in shapes:
        bare = ["--activate", "n", "--wipesignatures", "n", "--zero", "n"]
        sized = ["--type", "linear", *bare, *tags, "--name", name, "--size", f"{size_bytes}b", "--", step.group]
        system.run(["lvcreate", "-y", *sized], timeout_s=TIMEOUT_S)
    shape = ["--poolmetadata", _metadata(step.name), "--poolmetadataspare", "y", "--chunksize", f"{step.chunk_bytes}b"]
    # lvconvert has no --errorwhenfull (2.03.31), but stores in the pool what its configuration says.
    policy = ["--zero", "y", "--discards", "passdown", "--config", "activation/error_when_full=1"]
    path = f"{step.group}/{step.name}"
    system.run(["lvconvert", "-y", "--type", "thin-pool", *shape, *policy, "--", path], timeout_s=TIMEOUT_S)


def _known(group: parse.Group, name: str) -> parse.Volume | None:
    known = group.volume(name)
    if known is not None and not (known.is_pool and TAG in known.tags):
        raise Conflict(f"{group.name}/{name} is not a thin pool of this appliance and was not changed")
    return known
