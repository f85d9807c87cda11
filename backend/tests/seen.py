"""Snapshots of machines that do not exist, for tests of pure code."""

from typing import Any

from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedArray, ObservedMember, WriteHole
from lunette.domain.disks import ObservedDisk, Signature, Transport
from lunette.domain.fc import FcMode, ObservedFcPort, ObservedFcRemote
from lunette.domain.mappings import Protocol
from lunette.domain.observations import Observation
from lunette.domain.sizes import GIB
from lunette.domain.volumes import EXTENT_BYTES, ObservedGroup, ObservedThinPool, ObservedVolume
from lunette.providers.arrays.external import plan as external
from lunette.providers.arrays.lvm import plan as lvm_raid
from lunette.providers.arrays.md import plan as md
from lunette.providers.arrays.zfs import plan as zfs
from lunette.providers.exports.lio import plan as lio
from lunette.providers.exports.nvmet import plan as nvmet
from lunette.providers.fabrics.fc_host import BY_DRIVER
from lunette.providers.volumes.lvm import plan as lvm
from lunette.providers.volumes.zvol import plan as zvol

EXT4 = Signature(type="ext4", label="data", uuid="0000-01")
GPT = Signature(type="gpt", label=None, uuid=None)
MD_MEMBER = Signature(type="linux_raid_member", label="lunette:a1", uuid="0000-02")


def disk(number: int, **changes: Any) -> ObservedDisk:
    """A blank NVMe disk `nvme-D<number>` of 10 GiB, unless `changes` say otherwise."""
    facts: dict[str, Any] = {
        "id": f"nvme-D{number}",
        "device": f"/dev/nvme{number}n1",
        "kernel_name": f"nvme{number}n1",
        "model": "Disk",
        "serial": f"D{number}",
        "wwn": None,
        "firmware": None,
        "transport": Transport.NVME,
        "rotational": False,
        "size_bytes": 10 * GIB,
        "logical_block_bytes": 512,
        "physical_block_bytes": 512,
        "write_cache": False,
        "numa_node": None,
        "links": (f"nvme-D{number}", f"nvme-eui.{number}"),
        "partitions": 0,
        "signatures": (),
        "holders": (),
        "mounts": (),
        "is_swap": False,
        "used_by_system": False,
        "fabric": False,
        "array_uuid": None,
    }
    return ObservedDisk(**(facts | changes))


def pool(group: str, free_bytes: int, array_uuid: str | None = None) -> ObservedGroup:
    return ObservedGroup(
        array_uuid=array_uuid,
        group=group,
        ours=True,
        size_bytes=free_bytes,
        free_bytes=free_bytes,
        extent_bytes=EXTENT_BYTES,
    )


def thin(group: str, free_bytes: int, size_bytes: int = GIB, used: int = 0, metadata: int = 0) -> ObservedGroup:
    """A group with a thin pool; `used` and `metadata` are percent."""
    inside = ObservedThinPool(
        name="pool",
        size_bytes=size_bytes,
        used_bytes=-(-size_bytes * used // 100),
        metadata_bytes=8 * EXTENT_BYTES,
        metadata_used_bytes=-(-8 * EXTENT_BYTES * metadata // 100),
        volumes=1,
    )
    return pool(group, free_bytes).model_copy(update={"size_bytes": 64 * GIB, "thin": inside})


def array(uuid: str, members: tuple[str, ...], state: ArrayState = ArrayState.CLEAN, **changes: Any) -> ObservedArray:
    facts: dict[str, Any] = {
        "uuid": uuid,
        "engine": ArrayEngine.MD,
        "name": f"lunette:{uuid[:12]}",
        "ours": True,
        "marked": True,
        "device": "/dev/md127",
        "level": "raid5",
        "state": state,
        "size_bytes": 20 * GIB,
        "chunk_bytes": 65536,
        "write_hole": WriteHole.PPL,
        "members": tuple(ObservedMember(disk_id=m, device=None, state="in_sync") for m in members),
        "raid_disks": len(members),
        "progress": None,
        "mismatch_count": 0,
    }
    return ObservedArray(**(facts | changes))


def volume(volume_id: str | None, group: str, name: str, size_bytes: int = GIB) -> ObservedVolume:
    return ObservedVolume(
        volume_id=volume_id,
        group=group,
        name=name,
        device=f"/dev/{group}/{name}",
        size_bytes=size_bytes,
        active=True,
        open=False,
        sealed=True,
        block_bytes=512,
    )


def machine(**changes: Any) -> Observation:
    """Eight blank disks, nothing else, every engine available."""
    facts: dict[str, Any] = {
        "taken_at": 0.0,
        "hostname": "lunette",
        "kernel": "6.12",
        "disks": tuple(disk(n) for n in range(1, 9)),
        "arrays": (),
        "groups": (),
        "volumes": (),
        "addresses": ("10.0.2.15", "fe80::1", "127.0.0.1"),
        "engines": (
            md.capability(),
            zfs.capability(),
            external.capability(None, ("probe",)),
            lvm_raid.capability(),
            lvm.capability(),
            zvol.capability(),
            lio.capability(),
            nvmet.capability(None, {Protocol.NVME_RDMA: "no RDMA device found"}),
        ),
    }
    return Observation(**(facts | changes))


def fc_port(wwpn: str, mode: FcMode, *remotes: str, driver: str = "qla2xxx") -> ObservedFcPort:
    """A port with a link, and what is logged in to it."""
    return ObservedFcPort(
        wwpn=wwpn,
        wwnn=wwpn,
        host="host7",
        driver=driver,
        model=None,
        firmware=None,
        symbolic_name=None,
        state="Online",
        speed="32 Gbit",
        topology=None,
        mode=mode,
        modes=BY_DRIVER[driver].modes,
        reason=None,
        disks=0,
        remotes=tuple(
            ObservedFcRemote(wwpn=one, wwnn=one, roles=("FCP Initiator",), state="Online") for one in remotes
        ),
    )
