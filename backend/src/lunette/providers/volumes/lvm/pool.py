"""Makes, grows and removes the thin pool of a volume group.

A full pool answers writes to new chunks with an error at once (`lv_when_full` is error). Queueing them, LVM's default,
holds commands back for a minute: hosts then abort them, and reset sessions that other volumes are served through.
"""

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.sizes import format_size
from lunette.domain.steps import ThinPoolCreate, ThinPoolGrow, ThinPoolRemove
from lunette.providers.volumes.lvm import parse
from lunette.providers.volumes.lvm.own import TIMEOUT_S, check_space, device_bytes, own_group
from lunette.providers.volumes.lvm.plan import TAG, pool_device_path, pool_tag
from lunette.system.doorway import System


def create(system: System, step: ThinPoolCreate) -> str | None:
    """Make the pool; None if the group has one of ours, whoever made it."""
    group = own_group(system, step.group)
    known = _known(group, step.name)
    if known is not None:
        return None
    check_space(group, f"thin pool {step.name}", step.data_bytes + 2 * step.metadata_bytes)
    tags = ["--addtag", TAG, "--addtag", pool_tag(step.pool_id)]
    sizes = ["--size", f"{step.data_bytes}b", "--poolmetadatasize", f"{step.metadata_bytes}b"]
    shape = ["--poolmetadataspare", "y", "--chunksize", f"{step.chunk_bytes}b", "--zero", "y"]
    # lvcreate takes no --errorwhenfull for a pool alone (2.03.31), but keeps in the pool what its configuration says.
    policy = ["--discards", "passdown", "--config", "activation/error_when_full=1"]
    command = ["lvcreate", "-y", "--type", "thin-pool", *tags, *sizes, *shape, *policy, "--name", step.name]
    system.run([*command, step.group], timeout_s=TIMEOUT_S)
    return f"thin pool {step.name} of {format_size(step.data_bytes)} is made in {step.group}"


def undo_create(system: System, step: ThinPoolCreate) -> str | None:
    """Remove the pool if this step made it and nothing is in it; None otherwise."""
    group = own_group(system, step.group)
    known = group.volume(step.name)
    if known is None or pool_tag(step.pool_id) not in known.tags:
        return None
    return take_away(system, group, known)


def grow(system: System, step: ThinPoolGrow) -> str | None:
    """Make data and metadata as large as said; None if they are. LVM lets the spare grow with the metadata."""
    group = own_group(system, step.group)
    known = _known(group, step.name)
    if known is None:
        raise NotFound(f"{step.group} has no thin pool now: it went with its last volume")
    metadata = max(0, step.metadata_bytes - known.metadata_bytes)
    data = max(0, step.data_bytes - known.size_bytes)
    path = f"{step.group}/{step.name}"
    if not (metadata or data):
        if not _is_stale(system, group, known):
            return None
        system.run(["lvchange", "--refresh", path], timeout_s=TIMEOUT_S)
        return f"the kernel knows of {format_size(step.data_bytes)} in thin pool {step.name}"
    check_space(group, f"thin pool {step.name}", 2 * metadata + data)
    sizes = ["--poolmetadatasize", f"{step.metadata_bytes}b"] if metadata else []
    sizes += ["--size", f"{step.data_bytes}b"] if data else []
    system.run(["lvextend", *sizes, path], timeout_s=TIMEOUT_S)
    return f"thin pool {step.name} has {format_size(step.data_bytes)}"


def remove(system: System, step: ThinPoolRemove) -> str | None:
    """Remove the pool; None if it is gone, or in use again."""
    group = own_group(system, step.group)
    known = _known(group, step.name)
    return take_away(system, group, known) if known else None


def take_away(system: System, group: parse.Group, pool: parse.Volume) -> str | None:
    """Remove a pool in which nothing is; None if something is. LVM itself looks once more."""
    if group.in_pool(pool.name):
        return None
    path = f"{group.name}/{pool.name}"
    system.run(["lvremove", "-y", "--select", "thin_count=0", path], timeout_s=TIMEOUT_S)
    return f"thin pool {pool.name} is gone from {group.name}"


def _is_stale(system: System, group: parse.Group, pool: parse.Volume) -> bool:
    """True if the kernel has another size for the pool than LVM: the tool was killed before it told."""
    sizes = {"-tpool": pool.size_bytes, "_tmeta": pool.metadata_bytes}
    paths = {pool_device_path(group.name, pool.name, part): size for part, size in sizes.items()}
    return any(system.exists(path) and device_bytes(system, path) != size for path, size in paths.items())


def _known(group: parse.Group, name: str) -> parse.Volume | None:
    known = group.volume(name)
    if known is not None and not (known.is_pool and TAG in known.tags):
        raise Conflict(f"{group.name}/{name} is no thin pool of ours: it is left alone")
    return known
