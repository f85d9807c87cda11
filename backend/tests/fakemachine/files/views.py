"""/dev, /sys/block and /proc as a tree of text, created again from the state whenever it changed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from backend.tests.fakemachine.block.devices import BAY, Blocks, Device, FakeDisk
from backend.tests.fakemachine.block.media import dashed
from backend.tests.fakemachine.lvm.groups import Lvm
from backend.tests.fakemachine.md.kernel import Md, Member, RunningArray
from backend.tests.fakemachine.network.rdma import RdmaCore
from backend.tests.fakemachine.network.traffic import Traffic
from backend.tests.fakemachine.zfs.pools import Zfs

ENCLOSURE = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/host0/target0:0:24/0:0:24:0/enclosure/0:0:24:0"


@dataclass(frozen=True)
class Link:
    """A symbolic link, relative or absolute."""

    target: str


Lazy = Callable[[], "Tree"]
"""A folder that is built when it is first read."""
Tree = dict[str, "Tree | Lazy | Link | str"]


def child(tree: Tree, name: str) -> "Tree | Link | str | None":
    """What a folder holds under a name."""
    found = tree.get(name)
    if found is None or isinstance(found, dict | Link | str):
        return found
    made = found()
    tree[name] = made
    return made


@dataclass(frozen=True)
class Node:
    """The machine's parts a view is made from."""

    blocks: Blocks
    md: Md
    lvm: Lvm
    zfs: Zfs
    modules: frozenset[str]
    hostname: str
    rdma: RdmaCore
    traffic: Traffic
    memory_bytes: int


def build(machine: Node, now: float) -> Tree:
    """The whole tree below /, without configfs and plain files."""
    root: Tree = {}
    for device in machine.blocks.devices().values():
        put(root, f"/dev/{device.kernel_name}", "")
        if device.kind != "part":
            whole = _sysfs_place(device)
            put(root, f"/sys/devices/{whole}", partial(_block, machine, device, now))
            put(root, f"/sys/block/{device.kernel_name}", Link(f"../devices/{whole}"))
        place = f"{whole}/{device.kernel_name}" if device.kind == "part" else whole  # a drive's partitions follow it
        for link in (f"class/block/{device.kernel_name}", f"dev/block/{machine.blocks.number(device.kernel_name)}"):
            put(root, f"/sys/{link}", Link(f"../../devices/{place}"))
    for link, target in machine.blocks.dev_links().items():
        put(root, link, Link(target))
    put(root, "/dev/mapper/control", "")
    for disk in (one for one in machine.blocks.disks if one.bay):
        put(root, f"{ENCLOSURE}/{disk.bay}/locate", f"{int(disk.is_located)}\n")
        put(root, f"{ENCLOSURE}/id", "0x500304801e97c7bf\n")
    put(root, "/proc/diskstats", machine.traffic.diskstats())
    put(root, "/proc/net/dev", machine.traffic.net())
    put(root, "/proc/mdstat", _mdstat(machine.md, now))
    put(root, "/proc/meminfo", f"MemTotal:  {machine.memory_bytes // 1024} kB\n")
    put(root, "/sys/devices/system/cpu/online", "0-7\n")
    mounts, mountinfo = _mounts(machine.blocks), _mountinfo(machine.blocks)
    files = {"mounts": mounts, "self/mounts": mounts, "1/mountinfo": mountinfo, "self/mountinfo": mountinfo}
    for path, text in (files | {"swaps": _swaps(machine.blocks)}).items():
        put(root, f"/proc/{path}", text)
    put(root, "/proc/sys/kernel/hostname", f"{machine.hostname}\n")
    put(root, "/proc/sys/kernel/osrelease", "6.12.0-fake-amd64\n")
    put(root, "/proc/devices", "Block devices:\n  9 md\n253 device-mapper\n259 blkext\n")
    if "zfs" in machine.modules:
        pools: Tree = {
            name: {"state": f"{pool.state()}\n", "iostats": machine.traffic.iostats(name)}
            for name, pool in machine.zfs.imported.items()
        }
        put(root, "/proc/spl/kstat/zfs", {"arcstats": "", **pools})
    for module in machine.modules:
        parameters: Tree = {**machine.zfs.parameters()} if module == "zfs" else {}
        put(root, f"/sys/module/{module}", {"refcnt": "0\n", "parameters": parameters})
    for rdma_device in machine.rdma.devices.values():
        for path, text in rdma_device.files().items():
            put(root, f"/sys/class/infiniband/{path}", text)
        put(root, f"/sys/class/net/{rdma_device.interface}/mtu", "1500\n")
    put(root, "/sys/kernel", {})
    return root


def _sysfs_place(device: Device) -> str:
    """Where the device hangs in /sys/devices: the path tells a fabric from a local bus."""
    name = device.kernel_name
    match device.disk.transport if device.disk else "virtual":
        case "virtual":
            return f"virtual/block/{name}"
        case "nvme":
            return f"pci0000:00/0000:00:04.0/nvme/{name.rpartition('n')[0]}/{name}"
        case "iscsi":
            return f"platform/host2/session1/target2:0:0/2:0:0:1/block/{name}"
        case _:
            return f"pci0000:00/0000:00:05.0/host0/target0:0:0/0:0:0:0/block/{name}"


def put(root: Tree, path: str, value: "Tree | Lazy | Link | str") -> None:
    """Add a file, link or folder to a tree, with the folders on the way."""
    *folders, name = [part for part in path.split("/") if part]
    here = root
    for folder in folders:
        following = here.setdefault(folder, {})
        if not isinstance(following, dict):
            raise TypeError(f"{path}: {folder} is a file")
        here = following
    here[name] = value


def _block(machine: Node, device: Device, now: float) -> Tree:
    disk = device.disk
    queue: Tree = {
        "rotational": f"{int(disk.rotational) if disk else 0}\n",
        "logical_block_size": f"{_logical_block_bytes(machine, device)}\n",
        "physical_block_size": f"{disk.physical_block_bytes if disk else 512}\n",
        "write_cache": "write through\n" if disk and not disk.has_write_cache else "write back\n",
        "scheduler": "[mq-deadline] none\n" if disk and disk.scheduler == "mq-deadline" else "[none] mq-deadline\n",
        "discard_granularity": "512\n",
    }
    tree: Tree = {
        "size": f"{device.size_bytes // 512}\n",
        "ro": "0\n",
        "removable": "0\n",
        "dev": f"{machine.blocks.number(device.kernel_name)}\n",
        "queue": queue,
        "holders": {name: Link(f"/sys/block/{name}") for name in machine.blocks.above(device.kernel_name)},
        "slaves": {name: Link(f"/sys/class/block/{name}") for name in device.below},
        "hidden": "0\n",
    }
    if disk:
        tree["device"] = _hardware(disk)
        tree["mq"] = {str(queue): {} for queue in range(4 if disk.transport == "nvme" else 1)}
        tree["serial"] = f"{disk.serial}\n"
        for partition in disk.partitions:
            name = disk.partition_name(partition.number)
            above: Tree = {holder: Link(f"/sys/block/{holder}") for holder in machine.blocks.above(name)}
            size = partition.media.size_bytes // 512
            facts: Tree = {"partition": f"{partition.number}\n", "dev": f"{machine.blocks.number(name)}\n"}
            tree[name] = facts | {"size": f"{size}\n", "holders": above}
    array = machine.md.arrays.get(device.kernel_name)
    if array:
        tree["md"] = _md(array, now)
    view = machine.lvm.view_of(device.kernel_name) if device.kind == "lv" else None
    if view:
        mapped = next(link for link in device.links if "/mapper/" in link).split("/")[-1]
        uuid = f"LVM-{view.vg.uuid.replace('-', '')}{view.lv.uuid.replace('-', '')}"
        tree["dm"] = {"name": f"{mapped}\n", "uuid": f"{uuid}\n", "suspended": "0\n"}
    elif device.kind == "crypt":
        tree["dm"] = {"name": f"{device.links[0].rpartition('/')[2]}\n", "uuid": "CRYPT-LUKS2\n", "suspended": "0\n"}
    return tree


def _logical_block_bytes(machine: Node, device: Device) -> int:
    """A stacked device has the largest of those below it, as blk_stack_limits gives it."""
    if device.disk:
        return device.disk.logical_block_bytes
    below = (machine.blocks.disk(name) for name in machine.blocks.beneath(device))
    return max((disk.logical_block_bytes for disk in below if disk), default=512)


def _hardware(disk: FakeDisk) -> Tree:
    tree: Tree = {
        "model": f"{disk.model:<16}\n",
        "vendor": "FAKE    \n",
        "numa_node": f"{disk.numa_node}\n",
        "state": "live\n",
        "wwid": f"{disk.wwn}\n",
    }
    if disk.transport == "nvme":
        tree |= {"serial": f"{disk.serial:<20}\n", "firmware_rev": "1.0     \n", "transport": "pcie\n"}
        tree["device"] = {"numa_node": f"{disk.numa_node}\n"}
    else:
        cache = "write back" if disk.has_write_cache else "write through"
        tree |= {"rev": "1.0 \n", "timeout": f"{disk.command_timeout_s}\n"}
        tree["scsi_disk"] = {"0:0:0:0": {"cache_type": f"{cache}\n"}}
    if disk.bay:
        tree[f"{BAY}{disk.bay}"] = Link(f"{ENCLOSURE}/{disk.bay}")
    return tree


def _md(array: RunningArray, now: float) -> Tree:
    geometry = array.geometry
    done, total = int(array.progress(now) * geometry.component_kib * 2), geometry.component_kib * 2
    syncing = array.sync_action != "idle"
    tree: Tree = {
        "array_state": _state(array),
        "level": f"{geometry.level}\n",
        "raid_disks": _before(geometry.raid_disks, geometry.reshape_from),
        "metadata_version": "1.2\n",
        "uuid": f"{dashed(geometry.uuid)}\n",
        "chunk_size": f"{geometry.chunk_kib * 1024}\n",
        "component_size": f"{geometry.component_kib}\n",
        "array_size": "default\n",
        "layout": f"{geometry.layout}\n",
        "reshape_position": f"{done * (geometry.raid_disks - 1)}\n" if geometry.reshape_from else "none\n",
        "stripe_cache_size": "256\n",
        "group_thread_cnt": "0\n",
        "skip_copy": "0\n",
        "stripe_cache_active": "0\n",
        "suspend_hi": "0\n",
        "safe_mode_delay": "0.201\n",
    }
    if geometry.level != "raid0":
        speed = int(geometry.component_kib / 30)
        tree |= {
            "sync_speed_min": "1000 (system)\n",
            "sync_speed_max": "200000 (system)\n",
            "degraded": f"{array.degraded()}\n",
            "sync_action": f"{_action(array)}\n",
            "sync_completed": f"{done} / {total}\n" if syncing else "none\n",
            "sync_speed": f"{speed}\n" if syncing else "none\n",
            "resync_start": f"{done}\n" if _action(array) == "resync" else "none\n",
            "mismatch_cnt": "0\n",
            "sync_min": "0\n",
            "last_sync_action": f"{array.last_sync}\n",
            "consistency_policy": f"{geometry.policy}\n",
            "bitmap": {"location": "+8\n" if geometry.policy == "bitmap" else "none\n"},
        }
    return tree | _md_slots(array) | {name: f"{text}\n" for name, text in array.overrides.items()}


def _before(now: int, before: int | None) -> str:
    """What the kernel shows of a number that a reshape changes."""
    return f"{now} ({before})\n" if before else f"{now}\n"


def _md_slots(array: RunningArray) -> Tree:
    tree: Tree = {}
    for slot, member in array.members.items():
        word = "faulty" if member.is_faulty else "in_sync" if member.superblock.in_sync else "spare"
        tree |= _md_disk(array, member, str(slot), f"{word},want_replacement" if member.is_wanted_out else word)
        tree[f"rd{slot}"] = Link(f"dev-{member.disk.kernel_name}")
    for slot, member in array.replacements.items():
        tree |= _md_disk(array, member, str(slot), "spare,replacement")
    for member in array.auxiliary:
        tree |= _md_disk(array, member, "none", "faulty" if member.is_faulty else "spare")
    return tree


def _md_disk(array: RunningArray, member: Member, slot: str, state: str) -> Tree:
    name = member.disk.kernel_name
    state += ",write_mostly" if member.superblock.write_mostly else ""
    return {
        f"dev-{name}": {
            "state": f"{state}\n",
            "slot": f"{slot}\n",
            "size": f"{array.geometry.component_kib}\n",
            "offset": f"{member.superblock.data_offset}\n",
            "errors": "0\n",
            "block": Link(f"/sys/block/{name}"),
        }
    }


def _action(array: RunningArray) -> str:
    if array.sync_action == "reshape" and array.is_cut_reshape:
        return "resync"
    return "frozen" if array.is_frozen and array.sync_action == "idle" else array.sync_action


def _state(array: RunningArray) -> str:
    if not array.is_active:
        return "inactive\n"
    if array.is_read_only:
        return "readonly\n"
    if array.is_read_auto:
        return "read-auto\n"
    return "broken\n" if array.has_failed() and array.geometry.level == "raid0" else "clean\n"


def _mdstat(md: Md, now: float) -> str:
    text = "Personalities : [raid0] [raid1] [raid4] [raid5] [raid6] [raid10]\n"
    for name, array in sorted(md.arrays.items(), reverse=True):
        geometry = array.geometry
        members = " ".join(
            f"{m.disk.kernel_name}[{slot}]{'(F)' if m.is_faulty else ''}" for slot, m in array.members.items()
        )
        state = "active" if array.is_active else "inactive"
        text += f"{name} : {state} {geometry.level} {members}\n      {geometry.size_kib()} blocks super 1.2"
        if geometry.level != "raid0":
            up = "".join(
                "U" if s in array.members and array.members[s].superblock.in_sync else "_"
                for s in range(geometry.raid_disks)
            )
            text += f" [{geometry.raid_disks}/{array.in_sync()}] [{up}]"
        if array.sync_action != "idle":
            share = array.progress(now) * 100
            word = {"recover": "recovery", "reshape": "reshape"}.get(array.sync_action, "resync")
            text += f"\n      [>...]  {word} = {share:.1f}% (1/2) finish=0.5min speed=100000K/sec"
        text += "\n\n"
    return f"{text}unused devices: <none>\n"


def _mountinfo(blocks: Blocks) -> str:
    mounted = (line.split() for line in _mounts(blocks).splitlines())
    return "".join(
        f"30 1 {blocks.number(device.removeprefix('/dev/'))} / {point} rw - {kind} {device} rw\n"
        for device, point, kind, *_ in mounted
    )


def _swaps(blocks: Blocks) -> str:
    used = (disk for disk in blocks.disks if disk.is_swap and disk.is_present)
    lines = [f"/dev/{disk.kernel_name}\tpartition\t{disk.media.size_bytes // 1024}\t0\t-2\n" for disk in used]
    return "".join(["Filename\tType\tSize\tUsed\tPriority\n", *lines])


def _mounts(blocks: Blocks) -> str:
    lines = []
    for disk in blocks.disks:
        if disk.mount and disk.is_present:
            lines.append(f"/dev/{disk.kernel_name} {disk.mount} ext4 rw 0 0")
        lines += [
            f"/dev/{disk.partition_name(p.number)} {p.mount} ext4 rw 0 0"
            for p in disk.partitions
            if p.mount and disk.is_present
        ]
    return "".join(f"{line}\n" for line in lines)
