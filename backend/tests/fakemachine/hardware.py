"""What happens to the fake machine from outside: drives come and go, power is cut, hosts log in and write."""

import errno
from collections.abc import Callable, Sequence

from backend.tests.fakemachine.block.crypt import Crypt
from backend.tests.fakemachine.block.devices import Blocks, Device, FakeDisk
from backend.tests.fakemachine.block.media import Media
from backend.tests.fakemachine.files.configfs import refuse
from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.files.vfs import Vfs
from backend.tests.fakemachine.files.views import Node, Tree, build, put
from backend.tests.fakemachine.lio.core import TargetCore
from backend.tests.fakemachine.lio.fc import FakeFcPort, FcWorld
from backend.tests.fakemachine.lio.iscsi import FakeSession, IscsiFabric
from backend.tests.fakemachine.lvm.groups import DEVICES_FILE, Lvm, LvView
from backend.tests.fakemachine.md.kernel import Md, RunningArray
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.network.interfaces import Network
from backend.tests.fakemachine.network.rdma import FakeRdmaDevice, RdmaCore
from backend.tests.fakemachine.network.traffic import Io, Traffic
from backend.tests.fakemachine.network.wires import Wires
from backend.tests.fakemachine.nvme.nvmet import FakeController, NvmeTarget
from backend.tests.fakemachine.nvme.spdk import UNIT, SpdkTarget
from backend.tests.fakemachine.power import Power
from backend.tests.fakemachine.slots import FakeSlots
from backend.tests.fakemachine.tools import Tools
from backend.tests.fakemachine.zfs import tools as zfs_tools
from backend.tests.fakemachine.zfs.pools import Zfs
from backend.tests.fakemachine.zfs.tools import ZfsTools

GIB = 1024**3
MODULES = (
    "target_core_mod",
    "target_core_iblock",
    "iscsi_target_mod",
    "md_mod",
    "raid456",
    "raid1",
    "raid10",
    "raid0",
    "dm_mod",
    "dm_crypt",
    "dm_raid",
    "dm_integrity",
    "configfs",
    "nvmet",
    "nvmet_tcp",
    "nvmet_rdma",
    "ib_isert",
    "tcm_fc",
    "tcm_qla2xxx",
    "zfs",
)
_MD_WORDS = {
    "sync_action": ("idle", "check", "repair", "resync", "recover", "frozen"),
    "array_state": ("active",),
    "array_size": ("default",),
}
"""What may be written to these attributes of an array."""


class Hardware:
    """State of the machine and the things tests do to it; the calls of the system port are in machine.py."""

    slots: FakeSlots | None = None
    """Where the system was installed on a disk."""

    def __init__(self) -> None:
        self.clock = 1_700_000_000.0
        self._to_come: list[tuple[float, Callable[[], None]]] = []
        self.memory_bytes = 16 * 2**30
        self.addresses = {"127.0.0.1", "192.0.2.1", "2001:db8::1"}
        self.hostname = "lunette-fake"
        self.blocks, self.files = Blocks(), Files()
        self.md = Md(self.blocks)
        self.lvm = Lvm(self.blocks, self.md, self.files)
        self.zfs = Zfs(self.blocks)
        self.traffic = Traffic(self.blocks)
        self.tools = Tools(self.blocks, self.md, self.lvm, self.half_way, lambda: self.clock)
        self.crypt = Crypt(self.blocks, self.files, self.half_way, self.tools)
        zfs_commands = ZfsTools(
            self.blocks, self.zfs, self.half_way, lambda: self.clock, lambda: "zfs" in self._modules, self._hostid
        )
        self.tools.add("modprobe", self._modprobe)
        self.available_modules = set(MODULES)
        self.boot_modules: set[str] = {"configfs"}
        """Loaded at every boot."""
        self.vfs = Vfs(self.files, self._view, self._write_sysfs)
        self._modules: set[str] = set()
        self.power = Power(self.later)
        self._views: list[Tree] = []
        self.target: TargetCore | None = None
        self.iscsi: IscsiFabric | None = None
        self.nvme: NvmeTarget | None = None
        self.rdma = RdmaCore(self.addresses, self._request_module)
        self.fc = FcWorld(self._core)
        self.network = net = Network(self.addresses, self.files, self.later, lambda: self.clock)
        self.wires = Wires(lambda: self.iscsi, net.firewall, self.later, self.changed)
        commands = {"rdma": self.rdma.resources, "systemctl": self._systemctl, **net.commands, **self.wires.commands}
        for name, run in {**dict.fromkeys(zfs_tools.COMMANDS, zfs_commands.run), **commands}.items():
            self.tools.add(name, run)
        self.spdk = SpdkTarget(self.blocks, self.files, self.addresses, self.later)
        self.files.seed(DEVICES_FILE, b"")
        self.watchers: list[Callable[[], None]] = []
        """Called after every change, to see what must hold at every moment."""
        self.reported: list[Callable[[], None]] = []
        """Called when a drive comes or goes, or a rebuild ends: what udev and /proc/mdstat tell those who watch."""
        self._load(self.boot_modules)

    def half_way(self) -> None:
        """Between two effects of one call."""

    def add_disk(self, disk: FakeDisk) -> FakeDisk:
        """Plug a new drive in."""
        self.blocks.disks.append(disk)
        self.changed()
        return disk

    def add_disks(self, count: int, transport: str = "nvme", size_bytes: int = 2 * GIB) -> list[FakeDisk]:
        """Plug blank drives of one kind in; serials count up from FAKE0001."""
        made = []
        for _ in range(count):
            number = len(self.blocks.disks) + 1
            name = f"nvme{number}n1" if transport == "nvme" else f"sd{'abcdefghijklmnopqrstuvwxyz'[number]}"
            wwn = f"eui.{number:016x}" if transport == "nvme" else f"0x5000c500{number:08x}"
            made.append(
                self.add_disk(
                    FakeDisk(name, f"FAKE{number:04d}", f"Fake {transport.upper()}", transport, wwn, Media(size_bytes))
                )
            )
        return made

    def plug_rdma(self, name: str = "rxe0", *addresses: str) -> None:
        """An RDMA device appears on eth0, with some of the machine's addresses."""
        self.rdma.plug(FakeRdmaDevice(name, "eth0", addresses or ("192.0.2.1", "2001:db8::1")))
        self.changed()

    def unplug_rdma(self, name: str = "rxe0") -> None:
        self.rdma.unplug(name)
        self.changed()

    def add_fc_port(self, wwpn: str, driver: str = "fcoe") -> FakeFcPort:
        """A port of an HBA, or of a software fabric, comes up."""
        port = FakeFcPort(wwpn, number=7 + len(self.fc.ports), driver=driver)
        self.fc.ports.append(port)
        self.changed()
        self._tell()
        return port

    def pull(self, disk: FakeDisk) -> None:
        """Take a drive out while the machine runs."""
        disk.is_present = False
        self.md.lose(disk, self.clock)
        self.zfs.lose(disk)
        self.changed()
        self._tell()

    def insert(self, disk: FakeDisk) -> None:
        """Put a drive back with its content; it joins no array automatically."""
        disk.is_present = True
        self.changed()
        self._tell()

    def _tell(self) -> None:
        for listen in self.reported:
            listen()

    def reboot(self) -> None:
        """Restart the machine in an orderly way for files; whatever ran is gone."""
        self._restart(power_cut=False)

    def power_cut(self) -> None:
        """Cut the power: files written without care are gone too."""
        self._restart(power_cut=True)
        self.reboot()

    def _restart(self, *, power_cut: bool) -> None:
        self.rdma.reboot()
        self.md.reboot()
        self.lvm.reboot()
        self.zfs.reboot()
        self.blocks.reboot()
        self.traffic.reboot()
        self.files.reboot(power_cut=power_cut)
        self._modules, self.target, self.iscsi, self.nvme = set(), None, None, None
        self.vfs.configfs.clear()
        self.fc.reboot()
        self.network.boot()
        self.spdk.reboot()
        self._load(self.boot_modules)
        self.advance(10.0)
        self.power.starts += 1
        if self.slots is not None:
            self.slots.boot()
        self.changed()

    def advance(self, seconds: float) -> None:
        """Let time go by."""
        self.clock += seconds
        due = [event for event in self._to_come if event[0] <= self.clock]
        self._to_come = [event for event in self._to_come if event[0] > self.clock]
        for _, happens in due:
            happens()
        if any(array.sync_action != "idle" for array in self.md.arrays.values()):
            self._views = []
            if self.md.tick(self.clock):
                self._tell()
        if self.zfs.tick(self.clock):
            self._views = []

    def later(self, seconds: float, happens: Callable[[], None]) -> None:
        """Let an external event happen once this much time has passed, even during a wait."""
        self._to_come.append((self.clock + seconds, happens))

    def changed(self) -> None:
        """Something changed: the views are built again when they are next read, and the watchers are called."""
        self._views = []
        for watch in self.watchers:
            watch()

    def _view(self) -> Tree:
        """The current view. A change during the build replaces the list, so an outdated view is not used for long."""
        views = self._views
        if not views:
            modules = frozenset(self._modules)
            node = Node(
                self.blocks,
                self.md,
                self.lvm,
                self.zfs,
                modules,
                self.hostname,
                self.rdma,
                self.traffic,
                self.memory_bytes,
            )
            tree = build(node, self.clock)
            slots = (self.slots.add_to,) if self.slots else ()
            for add in (self.power.add_to, self.fc.add_to, self.network.add_to, *slots):
                add(tree)
            if self.iscsi is not None:
                put(tree, "/proc/net/tcp", self.iscsi.sockets())
            views.append(tree)
        return views[0]

    def _load(self, names: set[str]) -> None:
        needs = {
            "iscsi_target_mod": {"target_core_mod"},
            "target_core_iblock": {"target_core_mod"},
            "nvmet_tcp": {"nvmet"},
            "nvmet_rdma": {"nvmet"},
            "ib_isert": {"iscsi_target_mod", "target_core_mod"},
        }
        for name in sorted(names):
            self._modules |= {name, *needs.get(name, set())}
        if "target_core_mod" in self._modules and self.target is None:
            iscsi = IscsiFabric(self._core, self.addresses, self.rdma, lambda: self.clock)
            fabrics = {"iscsi": iscsi.make} if "iscsi_target_mod" in self.available_modules else {}
            fabrics |= self.fc.fabrics(self.available_modules)
            self.iscsi = iscsi
            self.target = TargetCore(self.blocks, self.vfs.is_dir, fabrics)
            self.vfs.mount(self.target.root)
        if "nvmet" in self._modules and self.nvme is None:
            self.nvme = NvmeTarget(self.blocks, self.addresses, self.rdma, self.fc.nvme_targets)
            self.vfs.mount(self.nvme.root)
        self.changed()

    def _core(self) -> TargetCore:
        if self.target is None:
            raise refuse(errno.ENODEV)
        return self.target

    def _hostid(self) -> bytes:
        return self.files.read("/etc/hostid") if self.files.exists("/etc/hostid") else bytes(4)

    def _request_module(self, name: str) -> bool:
        """What the kernel does automatically when a transport is requested."""
        if name in self.available_modules:
            self._load({name})
        return name in self._modules

    def _modprobe(self, argv: Sequence[str]) -> Answer:
        names = {word.replace("-", "_") for word in argv[1:] if not word.startswith("-")}
        missing = sorted(names - self.available_modules)
        if missing:
            return 1, "", f"modprobe: FATAL: Module {missing[0]} not found in directory /lib/modules/6.12.0\n"
        if "--dry-run" not in argv:
            self._load(names)
        return 0, "", ""

    def die(self) -> None:
        """The agent's process ends."""

    def _systemctl(self, argv: Sequence[str]) -> Answer:
        if argv[-1] in self.power.VERBS:
            return self.power.stop(argv[-1], self.die)
        return self.spdk.systemctl(argv) if argv[-1] == UNIT else self.network.systemctl(argv)

    def install_spdk(self) -> None:
        """nvmf_tgt is built and installed on this machine; and no drive has a volatile write cache."""
        self.tools.add("nvmf_tgt", lambda _argv: (1, "", "the unit starts it"))
        for disk in self.blocks.disks:
            disk.has_write_cache = False
        self.changed()

    def _write_sysfs(self, path: str, text: str) -> None:
        if path == "/proc/sys/kernel/hostname":
            self.hostname = text.strip()
            return
        if self.fc.write(path, text) or self.blocks.write(path, text) or self.zfs.write(path, text):
            return
        parts = path.split("/")
        disk = next((d for d in self.blocks.disks if d.kernel_name == parts[3]), None) if len(parts) > 3 else None
        if disk and parts[4:] == ["queue", "scheduler"] and text.strip() in ("none", "mq-deadline"):
            disk.scheduler = text.strip()
            return
        array = self.md.arrays.get(parts[3]) if path.startswith("/sys/block/") else None
        if array is None or parts[4:5] != ["md"]:
            raise refuse(errno.EACCES, path)
        self._write_md(array, parts[5:], text.strip(), path)

    def _write_md(self, array: RunningArray, parts: list[str], word: str, path: str) -> None:
        if word not in _MD_WORDS.get(parts[0], (word,)):
            raise refuse(errno.EINVAL, path)
        if parts[0] == "sync_action":
            if word == "idle":
                array.is_frozen = False
                self.md.recover(array, self.clock)
            if array.sync_action == "idle" and word in ("check", "repair"):
                array.sync_action, array.sync_started = word, self.clock
            elif array.sync_action in ("check", "repair") and word == "idle":
                array.overrides["sync_min"] = str(int(array.progress(self.clock) * array.geometry.component_kib * 2))
                array.last_sync, array.sync_action = array.sync_action, "idle"
        elif parts[0] == "array_state":
            array.is_read_auto = False
            self.md.recover(array, self.clock)
        elif parts[0] == "array_size":
            self.md.show_size(array)
        elif parts[0].startswith("dev-"):
            member = next(m for m in array.bound() if m.disk.kernel_name == parts[0].removeprefix("dev-"))
            if parts[1] != "state" or word.removeprefix("-") not in ("want_replacement", "writemostly"):
                raise refuse(errno.EINVAL, path)
            member.mark(word)
            self.md.recover(array, self.clock)
        elif parts[0] in ("sync_speed_min", "sync_speed_max"):
            array.overrides.pop(parts[0], None)
            if word != "system":
                array.overrides[parts[0]] = f"{word} (local)"
        else:
            array.overrides[parts[0]] = word

    def zero_range(self, device: Device, offset: int, length: int) -> None:
        """Zero a range of a device that is there. Raises OSError(EIO) if an array below it has failed."""
        self._check_io(device)
        view = self.lvm.view_of(device.kernel_name) if device.kind == "lv" else None
        if view:
            self.lvm.zero(view, offset, length)
        elif device.media:
            device.media.zero(offset, length)

    def _check_io(self, device: Device) -> None:
        for name in self.blocks.beneath(device):
            array = self.md.arrays.get(name)
            if (array and array.has_failed()) or self.tools.raid.has_failed(name):
                raise refuse(errno.EIO, device.kernel_name)

    def write_data(self, path: str, offset: int, text: str) -> None:
        """Write to a device past every lock, as its user would: what a host or a file system leaves there."""
        data, position = self._place(path, offset)
        data[position] = text

    def read_data(self, path: str, offset: int) -> str | None:
        """What lies at a byte offset of a device; None for zeros."""
        data, position = self._place(path, offset)
        return data.get(position)

    def _place(self, path: str, offset: int) -> tuple[dict[int, str], int]:
        device = self.blocks.find(path)
        if device is None:
            raise refuse(errno.ENOENT, path)
        self._check_io(device)
        view: LvView | None = self.lvm.view_of(device.kernel_name) if device.kind == "lv" else None
        if view:
            return self.lvm.content(view, offset)
        if device.media is None:
            raise refuse(errno.EIO, path)
        return device.media.data, offset

    def login(
        self,
        initiator: str,
        target: str,
        portal: str,
        chap: tuple[str, str] | None = None,
        *,
        iser: bool = False,
        peer: str = "192.0.2.10",
    ) -> FakeSession:
        """An initiator logs in from the address `peer`. Raises ConnectionError or PermissionError."""
        if self.iscsi is None:
            raise ConnectionError("nobody listens")
        self._views = []
        return self.iscsi.login(initiator, target, portal, chap, iser=iser, peer=peer)

    def logout(self, session: FakeSession) -> None:
        """One session ends, as where a cable is cut."""
        if self.iscsi is not None:
            self.iscsi.sessions.remove(session)
        self._views = []

    def connect(
        self, host: str, subsystem: str, where: str, keys: tuple[str, str | None] | None = None, transport: str = "tcp"
    ) -> FakeController:
        """An NVMe host connects to `where` (address:port). Raises ConnectionError, or nvmet.Refuse."""
        if self.nvme is None:
            raise ConnectionError("nobody listens")
        return self.nvme.connect(host, subsystem, where, keys, transport)

    def carry(self, session: FakeSession, lun: int, io: Io, commands: int = 0) -> None:
        """A host reads and writes over iSCSI, and sends so many commands without data. Raises ConnectionError."""
        if self.iscsi is None:
            raise ConnectionError("nobody listens")
        device, counted = self.lun_device(session, lun), self.iscsi.mapped_lun(session, lun)
        counted.commands += io.reads + io.writes + commands
        counted.read_bytes += io.read_bytes
        counted.write_bytes += io.write_bytes
        self.traffic.carry(device, io)
        self.changed()

    def lun_device(self, session: FakeSession, lun: int) -> str:
        """The device path behind a LUN, for write_data and read_data. Raises ConnectionError if the session ended."""
        if self.iscsi is None or session not in self.iscsi.sessions or lun not in session.luns:
            raise ConnectionError("the session has ended, or has no such LUN")
        backstore = next(b for b in self._core().backstores.values() if b.name == session.luns[lun])
        return backstore.parameters["udev_path"]
