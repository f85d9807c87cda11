"""An appliance with a fake machine in this process, and modules that are called as Ansible calls them, but in it too.

ansible-playbook takes seconds of processor time for each task; a call here takes milliseconds and runs the same main
function with the same argument spec. What only the real thing does is in test_scene.py.
"""

import contextlib
import importlib
import io
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from ansible.module_utils.common import warnings
from ansible.module_utils.testing import patch_module_args

from backend.tests.dev_server import PASSWORD
from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import Api, add_token, add_user, make_services, serving
from lunette.agent.core import Agent
from lunette.domain.roles import Role
from tests.collection.imported import COLLECTION_NAME
from tests.collection.playing import PATIENT

GIB = 1024**3
REBUILD_S = 40
"""A rebuild is over by then, on the machine's clock."""
Options = dict[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True)
class Rig(ABC):
    """An appliance and its API, for tests that also look behind the modules."""

    api: Api
    connection: Options
    """What every task needs to reach it."""

    def run(self, module: str, options: Options, *, check: bool = False, diff: bool = False) -> Result:
        """The result of one task. Ansible would print it the same, and end the process."""
        arguments = {**self.connection, **options, "_ansible_check_mode": check, "_ansible_diff": diff}
        main = importlib.import_module(f"{COLLECTION_NAME}.plugins.modules.{module}").main
        printed = io.StringIO()
        warnings._global_warnings.clear()  # they are the process's, and a module's process ends
        with patch_module_args(arguments), contextlib.redirect_stdout(printed):
            try:
                main()
            except SystemExit:
                result = {"failed": False, **json.loads(printed.getvalue())}
                result["warnings"] = [one["event"]["msg"] for one in result.get("warnings", ())]
                return result
        raise AssertionError(f"{module} came back without a result")

    @abstractmethod
    def free_disks(self, count: int, transport: str = "nvme") -> list[str]:
        """Ids of disks that are in no array."""

    def settle(self) -> None:
        """Waits until no array is busy with the work that follows its creation. A fake machine has no such work."""

    @abstractmethod
    def rebuilt(self, array: str) -> None:
        """Waits until every rebuild of an array is over."""

    @abstractmethod
    def cut_while_written(self, array: str, disk: str) -> None:
        """An array loses a disk, then the machine its power while the array is written to; it is started again."""

    @abstractmethod
    def looks(self) -> None:
        """Makes the agent observe the machine, if it does not do so automatically."""

    def states(self, array: str) -> dict[str, str]:
        """How each member of an array fares."""
        return {member["disk_id"]: member["state"] for member in self.api.get(f"/arrays/{array}")["members"]}

    def is_whole(self, array: str) -> bool:
        """Whether no member is being rebuilt or lost."""
        return set(self.states(array).values()) <= {"in_sync", "spare"}


@dataclass(frozen=True)
class FakeRig(Rig):
    """The appliance is in this process, on a fake machine."""

    machine: FakeSystem
    agent: Agent

    def free_disks(self, count: int, transport: str = "nvme") -> list[str]:
        return [disk["id"] for disk in self.api.items("/disks", transport=transport, state="free")][:count]

    def rebuilt(self, array: str) -> None:
        self.api.until(self.agent.bring_up)
        self.machine.advance(REBUILD_S)
        self.api.until(lambda: self.is_whole(array))

    def cut_while_written(self, array: str, disk: str) -> None:
        self.machine.pull(next(one for one in self.machine.blocks.disks if disk in one.links()))
        self.machine.md.cut_while_written()
        self.machine.power_cut()

    def looks(self) -> None:
        self.agent.bring_up()

    def add_hba(self, wwpn: str) -> None:
        """A Fibre Channel port, with the module that makes a target of it."""
        if not self.machine.fc.ports:
            self.machine.add_fc_port(wwpn, "qla2xxx")
            self.agent.bring_up()

    def add_nvme_fc(self, address: str) -> None:
        """A Fibre Channel port that a driver registered as an NVMe target."""
        self.machine.fc.plug_nvme(address)
        self.machine.changed()
        self.agent.bring_up()


@contextmanager
def rig(folder: Path) -> Iterator[FakeRig]:
    """An appliance without arrays, until the block ends."""
    machine = FakeSystem()
    machine.add_disks(16)
    machine.add_disks(4, "scsi")
    machine.clock = time.time()
    machine.run(["modprobe", "nvmet-tcp"])
    agent = Agent(machine)
    machine.reported.append(agent.changes.happened)
    services = make_services(folder, agent)
    add_user(services.store, "admin", Role.ADMINISTRATOR, PASSWORD)
    token = add_token(services.store, Role.ADMINISTRATOR)
    with serving(services) as (url, _server), httpx2.Client(base_url=url, timeout=PATIENT) as http:
        yield FakeRig(Api(http, token), {"appliance_url": url, "appliance_token": token}, machine, agent)
