"""SPDK's nvmf_tgt: a program that retains nothing after its end, and answers requests on a socket.

Rules of SPDK 26.09, as seen on a real one:
* an AIO bdev opens its file and does not claim it; its name must be unique (-17), its file must exist (-2); a namespace
  claims its bdev, and disappears without a message when that is deleted.
* nvmf refuses with invalid parameters (-32602), or with an internal error (-32603) for a subsystem that exists.
* a subsystem has room for as many namespaces as it was created for, by default 32; a listener needs an address of the
  machine, and a port that no other program has; only named hosts get access.
* a refusal never forbids a retry. A host that is removed is disconnected.
* a key is a file that is read when a host connects.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.tests.fakemachine.block.devices import Blocks
from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.nvme.nvmet import FakeController, Refuse
from lunette.domain.errors import ToolFailed, Unavailable
from lunette.system.system_port import RpcAnswer, RpcCall

UNIT, RUN_DIR = "lunette-spdk.service", "/run/lunette-spdk"
SOCKET = f"{RUN_DIR}/rpc.sock"
RESTART_S = 1.0
DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery"
Params = Mapping[str, Any]


def looks(one: RpcCall) -> bool:
    """True if a request changes nothing."""
    return "_get_" in one.method


class Wrong(Exception):
    """A request is refused, with the program's own words and number."""

    def __init__(self, code: int = -32602, words: str = "Invalid parameters") -> None:
        super().__init__(f"{words} ({code})")


Later = Callable[[float, Callable[[], None]], None]


@dataclass
class FakeSubsystem:
    nqn: str
    params: dict[str, Any]
    namespaces: dict[int, dict[str, Any]] = field(default_factory=dict)
    hosts: dict[str, dict[str, Any]] = field(default_factory=dict)
    listeners: list[dict[str, str]] = field(default_factory=list)


class SpdkTarget:
    """The program and its unit. `is_hanging`: it takes requests and answers none. `is_stuck`: it waits for a disk, and
    is not ended by a kill."""

    def __init__(self, blocks: Blocks, files: Files, addresses: set[str], later: Later) -> None:
        self._blocks, self._files, self._addresses, self._later = blocks, files, addresses, later
        self.is_running = self.is_hanging = self.is_stuck = self._is_wanted = False
        self.starts = 0
        self.controllers: list[FakeController] = []
        self._forget()

    def _forget(self) -> None:
        for name in list(getattr(self, "bdevs", {})):
            self._close(name)
        self.bdevs: dict[str, dict[str, Any]] = {}
        self.subsystems = {DISCOVERY: FakeSubsystem(DISCOVERY, {})}
        self.keys: dict[str, str] = {}
        self.transports: list[dict[str, Any]] = []
        self.controllers.clear()

    def reboot(self) -> None:
        self._is_wanted = self.is_running = self.is_hanging = False
        self._forget()

    def systemctl(self, argv: Sequence[str]) -> Answer:
        """start, stop and kill of its unit."""
        verb = argv[1]
        if verb == "start" and not self.is_running:
            self._is_wanted = True
            self._files.seed(f"{RUN_DIR}/.keep", b"")
            self._later(0.6, self._run)
        elif verb == "stop":
            self._is_wanted = self.is_running = self.is_hanging = False
            self._forget()
            for path in self._files.listdir(RUN_DIR):
                self._files.unlink(f"{RUN_DIR}/{path}")
        elif verb == "kill" and not self.is_stuck:
            self.die()
        return 0, "", ""

    def die(self) -> None:
        """It is killed, and its unit starts it again."""
        self.is_running = self.is_hanging = False
        self._forget()
        if self._is_wanted:
            self._later(RESTART_S, self._run)

    def _run(self) -> None:
        if self._is_wanted and not self.is_running:
            self.is_running, self.starts = True, self.starts + 1
            self._files.seed(SOCKET, b"")

    def call(self, socket: str, one: RpcCall) -> RpcAnswer:
        """One request. Raises Unavailable, ToolFailed."""
        if socket != SOCKET or not self.is_running:
            raise Unavailable(f"no program answers on {socket} (Connection refused): start it")
        if self.is_hanging:
            raise ToolFailed(f"the program behind {socket} did not answer within 30 s: see its journal")
        method: Callable[[Params], Any] | None = getattr(self, f"_{one.method}", None)
        if method is None:
            return RpcAnswer(error="Method not found (-32601)")
        try:
            return RpcAnswer(result=json.loads(json.dumps(method(one.params))))
        except Wrong as error:
            return RpcAnswer(error=str(error))

    def _spdk_get_version(self, _params: Params) -> Any:
        return {"version": "SPDK v26.09"}

    def _nvmf_get_transports(self, _params: Params) -> Any:
        return self.transports

    def _nvmf_create_transport(self, params: Params) -> Any:
        if self.transports:
            raise Wrong(-32603, "Transport type 'TCP' already exists")
        self.transports.append({"trtype": params["trtype"], "max_queue_depth": 128})
        return True

    def _bdev_get_bdevs(self, _params: Params) -> Any:
        return [
            {
                "name": name,
                "uuid": one["uuid"],
                "block_size": one["block_size"],
                "num_blocks": one["num_blocks"],
                "product_name": "AIO disk",
                "driver_specific": {"aio": {"filename": one["filename"]}},
            }
            for name, one in self.bdevs.items()
        ]

    def _bdev_aio_create(self, params: Params) -> Any:
        if params["name"] in self.bdevs:
            raise Wrong(-17, "File exists")
        device = self._blocks.find(params["filename"])
        if device is None:
            raise Wrong(-2, "No such file or directory")
        opened = self._blocks.open_shared(params["filename"], f"spdk:{params['name']}")
        self.bdevs[params["name"]] = {
            **params,
            "num_blocks": device.size_bytes // params["block_size"],
            "_open": opened,
        }
        return params["name"]

    def _bdev_aio_rescan(self, params: Params) -> Any:
        one = self._bdev(params)
        device = self._blocks.find(one["filename"])
        blocks = device.size_bytes // one["block_size"] if device else 0
        if blocks != one["num_blocks"]:
            one["num_blocks"] = blocks
            self._tell(params["name"], "namespace changed")
        return True

    def _bdev_aio_delete(self, params: Params) -> Any:
        self._bdev(params)
        for subsystem in self.subsystems.values():
            gone = [nsid for nsid, one in subsystem.namespaces.items() if one["bdev_name"] == params["name"]]
            for nsid in gone:
                del subsystem.namespaces[nsid]
        self._close(params["name"])
        del self.bdevs[params["name"]]
        return True

    def _bdev(self, params: Params) -> dict[str, Any]:
        if params["name"] not in self.bdevs:
            raise Wrong(-19, "No such device")
        return self.bdevs[params["name"]]

    def _close(self, name: str) -> None:
        self._blocks.close_shared(self.bdevs[name]["_open"], f"spdk:{name}")

    def _nvmf_get_subsystems(self, _params: Params) -> Any:
        return [self._reported(one) for one in self.subsystems.values()]

    def _reported(self, one: FakeSubsystem) -> dict[str, Any]:
        reported: dict[str, Any] = {
            "nqn": one.nqn,
            "subtype": "Discovery" if one.nqn == DISCOVERY else "NVMe",
            "listen_addresses": one.listeners,
            "allow_any_host": one.nqn == DISCOVERY,
            "hosts": [{"nqn": nqn, **keys} for nqn, keys in one.hosts.items()],
        }
        if one.nqn == DISCOVERY:
            return reported
        serial, model = one.params["serial_number"], one.params["model_number"]
        spaces = [{**space, "nguid": space["nguid"].upper()} for _, space in sorted(one.namespaces.items())]
        return reported | {"serial_number": serial, "model_number": model, "namespaces": spaces}

    def _nvmf_create_subsystem(self, params: Params) -> Any:
        if params["nqn"] in self.subsystems:
            raise Wrong(-32603, f"Unable to create subsystem {params['nqn']}")
        self.subsystems[params["nqn"]] = FakeSubsystem(params["nqn"], dict(params))
        return True

    def _nvmf_delete_subsystem(self, params: Params) -> Any:
        self._subsystem(params)
        del self.subsystems[params["nqn"]]
        self.controllers[:] = [one for one in self.controllers if one.subsystem != params["nqn"]]
        return True

    def _subsystem(self, params: Params) -> FakeSubsystem:
        if params["nqn"] not in self.subsystems:
            raise Wrong
        return self.subsystems[params["nqn"]]

    def _nvmf_subsystem_add_ns(self, params: Params) -> Any:
        subsystem, space = self._subsystem(params), params["namespace"]
        taken = any(one["bdev_name"] == space["bdev_name"] for each in self._all() for one in each.namespaces.values())
        room = subsystem.params.get("max_namespaces", 32)
        if (
            space["nsid"] in subsystem.namespaces
            or space["nsid"] > room
            or taken
            or space["bdev_name"] not in self.bdevs
        ):
            raise Wrong
        subsystem.namespaces[space["nsid"]] = dict(space)
        self._tell(space["bdev_name"], f"namespace {space['nsid']} changed")
        return space["nsid"]

    def _all(self) -> list[FakeSubsystem]:
        return list(self.subsystems.values())

    def _nvmf_subsystem_remove_ns(self, params: Params) -> Any:
        subsystem = self._subsystem(params)
        if params["nsid"] not in subsystem.namespaces:
            raise Wrong
        self._tell(subsystem.namespaces[params["nsid"]]["bdev_name"], f"namespace {params['nsid']} changed")
        del subsystem.namespaces[params["nsid"]]
        return True

    def _tell(self, bdev: str, event: str) -> None:
        served = {one.nqn for one in self._all() if any(ns["bdev_name"] == bdev for ns in one.namespaces.values())}
        for controller in self.controllers:
            if controller.subsystem in served:
                controller.events.append(event)

    def _nvmf_subsystem_add_listener(self, params: Params) -> Any:
        subsystem, place = self._subsystem(params), dict(params["listen_address"])
        if place in subsystem.listeners or place["traddr"] not in self._addresses or not self.transports:
            raise Wrong
        subsystem.listeners.append(place)
        return True

    def _nvmf_subsystem_remove_listener(self, params: Params) -> Any:
        subsystem, place = self._subsystem(params), dict(params["listen_address"])
        if place not in subsystem.listeners:
            raise Wrong
        subsystem.listeners.remove(place)
        where = f"{place['traddr']}:{place['trsvcid']}"
        self.controllers[:] = [c for c in self.controllers if (c.subsystem, c.port) != (subsystem.nqn, where)]
        return True

    def _nvmf_subsystem_add_host(self, params: Params) -> Any:
        subsystem = self._subsystem(params)
        if params["host"] in subsystem.hosts:
            raise Wrong(-32603, "Internal error")
        subsystem.hosts[params["host"]] = self._named(params)
        return True

    def _nvmf_subsystem_set_keys(self, params: Params) -> Any:
        subsystem = self._subsystem(params)
        if params["host"] not in subsystem.hosts:
            raise Wrong(-22, "Invalid argument")
        subsystem.hosts[params["host"]] = self._named(params)
        return True

    def _named(self, params: Params) -> dict[str, Any]:
        keys = {name: params[name] for name in ("dhchap_key", "dhchap_ctrlr_key") if name in params}
        is_half = "dhchap_ctrlr_key" in keys and "dhchap_key" not in keys
        if is_half or any(key not in self.keys for key in keys.values()):
            raise Wrong
        return keys

    def _nvmf_subsystem_remove_host(self, params: Params) -> Any:
        if self._subsystem(params).hosts.pop(params["host"], None) is None:
            raise Wrong(-32603, "Internal error")
        gone = (params["nqn"], params["host"])
        self.controllers[:] = [one for one in self.controllers if (one.subsystem, one.host) != gone]
        return True

    def _keyring_get_keys(self, _params: Params) -> Any:
        return [
            {"name": name, "module": "keyring_file", "removed": False, "path": path} for name, path in self.keys.items()
        ]

    def _keyring_file_add_key(self, params: Params) -> Any:
        if params["name"] in self.keys or not self._files.exists(params["path"]):
            raise Wrong
        self.keys[params["name"]] = params["path"]
        return True

    def _keyring_file_remove_key(self, params: Params) -> Any:
        if self.keys.pop(params["name"], None) is None:
            raise Wrong(-2, "No such file or directory")
        return True

    def _nvmf_subsystem_get_qpairs(self, params: Params) -> Any:
        subsystem = self._subsystem(params)
        return [
            {
                "cntlid": number,
                "qid": qid,
                "state": "enabled",
                "hostnqn": one.host,
                "listen_address": {"traddr": one.port.rpartition(":")[0], "trsvcid": one.port.rpartition(":")[2]},
                "peer_address": {"traddr": "192.0.2.10", "trsvcid": "50000"},
            }
            for number, one in enumerate(self.controllers, start=1)
            if one.subsystem == subsystem.nqn
            for qid in (0, 1)
        ]

    def connect(self, host: str, nqn: str, where: str, keys: tuple[str, str | None] | None) -> FakeController:
        """A host connects to `where`, as to nvmet. Raises ConnectionError where nothing listens, Refuse."""
        listening = {f"{one['traddr']}:{one['trsvcid']}" for each in self._all() for one in each.listeners}
        if not self.is_running or where not in listening:
            raise ConnectionError(f"nobody listens on {where}")
        subsystem = self.subsystems.get(nqn)
        if subsystem is None or host not in subsystem.hosts:
            raise Refuse("no such subsystem here, or this host is not allowed", retries=True)
        if where not in {f"{one['traddr']}:{one['trsvcid']}" for one in subsystem.listeners}:
            raise Refuse("this subsystem is not served here", retries=True)
        named = subsystem.hosts[host]
        asked = {kind: self._files.read(self.keys[name]).decode() for kind, name in named.items()}
        if asked and (keys is None or keys[0] != asked["dhchap_key"]):
            raise Refuse("authentication failed", retries=True)
        if keys is not None and keys[1] is not None and keys[1] != asked.get("dhchap_ctrlr_key"):
            raise Refuse("the host does not recognise the controller", retries=True)
        controller = FakeController(host, nqn, where)
        self.controllers.append(controller)
        return controller

    def devices(self, controller: FakeController) -> dict[int, str]:
        """Device path by namespace id, as the host sees them now. Raises ConnectionError if the connection ended."""
        if controller not in self.controllers:
            raise ConnectionError("the connection has ended")
        found = self.subsystems[controller.subsystem].namespaces
        return {nsid: str(self.bdevs[one["bdev_name"]]["filename"]) for nsid, one in found.items()}
