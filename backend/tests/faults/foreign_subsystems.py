"""NVMe subsystems that were created with nvmetcli before Lunette: over logical volumes on an md array."""

from collections.abc import Mapping, Sequence

from backend.tests.agent.exports import dhchap_key
from backend.tests.fakemachine import FakeDisk, FakeSystem
from backend.tests.fakemachine.faults import Call
from backend.tests.fakemachine.nvme.nvmet import FakeController
from backend.tests.faults.foreign_targets import make_group
from lunette.providers.exports.nvmet.configfs import ROOT

DB_NQN, WEB_NQN = (f"nqn.2020-01.com.example:{name}" for name in ("old-db", "old-web"))
DB, WEB1, WEB2 = (f"nqn.2014-08.com.example:{name}" for name in ("db", "web1", "web2"))
KEYS = (dhchap_key(1), dhchap_key(2))
WHERE = "192.0.2.1:4421"
UUIDS = {"disk0": "11111111-2222-4333-8444-555555555555", "disk1": "21111111-2222-4333-8444-555555555555"}
NGUID = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
SHOWN = {"attr_serial": "OLD-0001", "attr_model": "Old box", "attr_firmware": "7.1", "attr_cntlid_max": "65519"}


def port(machine: FakeSystem, name: str = "1", service: str = "4421", **other: str) -> str:
    """A port of nvmet, by default over TCP."""
    path = f"{ROOT}/ports/{name}"
    machine.mkdir(path)
    place = {"trtype": "tcp", "adrfam": "ipv4", "traddr": "192.0.2.1", "trsvcid": service}
    for what, value in (place | other).items():
        machine.write(f"{path}/addr_{what}", value)
    return path


def host(machine: FakeSystem, nqn: str, keys: tuple[str, str] | None = None) -> None:
    path = f"{ROOT}/hosts/{nqn}"
    if not machine.exists(path):
        machine.mkdir(path)
    for name, value in zip(("dhchap_key", "dhchap_ctrl_key"), keys or (), strict=False):
        machine.write(f"{path}/{name}", value)


def namespace(machine: FakeSystem, nqn: str, number: int, device: str, **identity: str) -> str:
    """Without an identity given, the kernel's: a UUID, and no NGUID."""
    path = f"{ROOT}/subsystems/{nqn}/namespaces/{number}"
    machine.mkdir(path)
    machine.write(f"{path}/device_path", device)
    number_of = f"{number:012x}"
    wanted = {"uuid": f"77777777-0000-4000-8000-{number_of}"} | identity
    for what, value in wanted.items():
        machine.write(f"{path}/device_{what}", value)
    machine.write(f"{path}/enable", "1")
    return path


def subsystem(machine: FakeSystem, nqn: str, hosts: Sequence[str], shown: Mapping[str, str] | None = None) -> str:
    path = f"{ROOT}/subsystems/{nqn}"
    machine.mkdir(path)
    for name, value in (shown or {}).items():
        machine.write(f"{path}/{name}", value)
    for one in hosts:
        host(machine, one)
        machine.symlink(f"{ROOT}/hosts/{one}", f"{path}/allowed_hosts/{one}")
    return path


def serve(machine: FakeSystem, nqn: str, at: str) -> None:
    machine.symlink(f"{ROOT}/subsystems/{nqn}", f"{at}/subsystems/{nqn}")


def two_subsystems(machine: FakeSystem, disks: Sequence[FakeDisk]) -> None:
    """A host with keys and two namespaces, of which one shows no NGUID; two hosts that share a third, at one port."""
    make_group(machine, disks, ("disk0", "disk1", "shared", "idle"))
    host(machine, DB, KEYS)
    machine.write(f"{ROOT}/hosts/{DB}/dhchap_hash", "hmac(sha384)")
    machine.write(f"{ROOT}/hosts/{DB}/dhchap_dhgroup", "ffdhe2048")
    subsystem(machine, DB_NQN, [DB], SHOWN)
    namespace(machine, DB_NQN, 3, "/dev/srv/disk0", uuid=UUIDS["disk0"], nguid=NGUID)
    namespace(machine, DB_NQN, 7, machine.realpath("/dev/srv/disk1"), uuid=UUIDS["disk1"])
    subsystem(machine, WEB_NQN, [WEB1, WEB2])
    namespace(machine, WEB_NQN, 1, "/dev/srv/shared")
    at = port(machine)
    serve(machine, DB_NQN, at)
    serve(machine, WEB_NQN, at)


class Watch:
    """Checks the connected hosts at every call to the machine, and records the first change that they notice."""

    def __init__(self, machine: FakeSystem, *controllers: FakeController) -> None:
        self._machine, self._controllers = machine, controllers
        self.noticed: list[str] = []
        self.looks = 0
        self._before = self._seen()
        machine.faults.break_calls(self.look)

    def look(self, call: Call) -> bool:
        """For `break_calls`: breaks nothing."""
        self.looks += 1
        if (now := self._seen()) != self._before and not self.noticed:
            self.noticed.append(f"before call {call.number}, {call.name} {call.detail}: {now}")
        return False

    def _seen(self) -> list[object]:
        target = self._machine.nvme
        assert target is not None
        return [
            (one.events, target.devices(one)) if one in target.controllers else "disconnected"
            for one in self._controllers
        ]

    def ended(self) -> list[str]:
        """What was noticed, now included."""
        self._machine.faults.break_calls(None)
        return self.noticed or ([] if self._seen() == self._before else [f"at the end: {self._seen()}"])


def connect(machine: FakeSystem, *, also_web: bool = True) -> list[FakeController]:
    """The hosts that are connected to them: with a key each way, and without one."""
    assert machine.nvme is not None
    found = [machine.nvme.connect(DB, DB_NQN, WHERE, KEYS)]
    return [*found, machine.nvme.connect(WEB2, WEB_NQN, WHERE, None)] if also_web else found


def picture(machine: FakeSystem) -> dict[str, str]:
    """Every file and link of nvmet that is not ours, with its content."""
    found: dict[str, str] = {}

    def walk(path: str) -> None:
        for name in machine.listdir(path):
            below = f"{path}/{name}"
            if "io.lunette" in name or name == "revalidate_size" or (path == f"{ROOT}/ports" and len(name) == 5):
                continue
            try:
                found[below] = machine.readlink(below)
            except OSError:
                if machine.is_dir(below):
                    walk(below)
                else:
                    found[below] = machine.read(below)

    walk(ROOT)
    return found
