"""`docker compose up` of this tree: it answers, only the agent reaches the machine, and its data outlive it."""

from __future__ import annotations

import json
import re
import socket
import ssl
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from lunette.client import Client, Endpoint
from lunette.domain.agent_protocol import PROTOCOL_VERSION
from tests.containers import images
from tests.containers.engine import Docker, NoEngine, engine
from tests.e2e.waiting import wait_until
from tests.lab.access import Access, PatientClient, first_login
from tests.machines.pace import within

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(3000)]

UID = 18443
BUILD_S = 2400
HEALTHY_S = 300
IQN = "iqn.2026-01.com.example:compose"
LESS_RIGHTS = "tests/containers/less-rights.yml"
"""For an engine that has not all rights itself and so can give no container all of them."""
_MADE_BY_DOCKER = ("/etc/target", "/lib/modules", "/run/lock/lvm", "/run/lvm", "/run/mdadm", "/run/udev")
"""Folders of the host that are mounted into the agent: Docker makes those that the host does not have."""
_ASK_AGENT = f"""
import json, socket, struct
link = socket.socket(socket.AF_UNIX); link.connect("/run/lunette/agent.sock")
body = json.dumps({{"version": {PROTOCOL_VERSION}, "request": {{"kind": "hello"}}}}).encode()
link.sendall(struct.pack(">I", len(body)) + body)
head = link.recv(4)
print(link.recv(65536).decode() if len(head) == 4 else "closed")
"""


class Stack:
    """One project of docker compose on a port of its own."""

    def __init__(self, docker: Docker, port: int) -> None:
        self.docker, self.url = docker, f"https://127.0.0.1:{port}"

    def up(self) -> None:
        """Starts it and waits until every service says that it is healthy."""
        self.docker.compose("up", "--detach", "--no-build", deadline_s=600)
        for service in ("database", "agent", "api"):
            self._await_health(service)

    def _await_health(self, service: str) -> None:
        wait_until(f"{service} is healthy", lambda: self.health(service) == "healthy", HEALTHY_S)

    def inspect(self, service: str) -> dict[str, Any]:
        """What the engine knows of the container of a service, stopped or not."""
        container = self.docker.compose("ps", "--quiet", service).strip()
        found: list[dict[str, Any]] = json.loads(self.docker.run("docker", "inspect", container).stdout)
        return found[0]

    def health(self, service: str) -> str:
        return str(self.inspect(service)["State"]["Health"]["Status"])

    def python(self, service: str, program: str, *options: str) -> str:
        """What Python says inside a container, with the rights that a process there has; errors included."""
        container = self.inspect(service)["Id"]
        argv = ("docker", "exec", *options, container, "/opt/lunette/bin/python3", "-c", program)
        ran = self.docker.run(*argv, check=False)
        return ran.stdout + ran.stderr

    def client(self, access: Access) -> Client:
        return PatientClient(access.endpoint, timeout_s=120)


@contextmanager
def host_folders() -> Iterator[None]:
    """Removes afterward the empty folders that Docker made on the host for mounts."""
    made = [Path(place) for place in _MADE_BY_DOCKER if not Path(place).exists()]
    try:
        yield
    finally:
        for place in made:
            with suppress(OSError):
                place.rmdir()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The stack, built from this tree and up."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    try:
        with engine(tmp_path_factory.mktemp("docker")) as docker, host_folders():
            own = {"COMPOSE_PROJECT_NAME": f"lunette-test-{port}", "LUNETTE_PORT": str(port), **images.ENVIRONMENT}
            docker.environment |= own
            made = Stack(docker, port)
            try:
                images.make(docker)
                if docker.run("docker", "run", "--rm", "--privileged", images.DEBIAN, "true", check=False).returncode:
                    docker.environment["COMPOSE_FILE"] = f"docker-compose.yml:{LESS_RIGHTS}"
                docker.compose("build", deadline_s=BUILD_S)
                made.up()
                yield made
            finally:
                docker.compose("down", "--volumes", "--rmi", "local", "--timeout", "60")
                images.remove(docker)
    except NoEngine as reason:
        pytest.skip(f"no Docker engine can be started here: {reason}")


@pytest.fixture(scope="module")
def access(stack: Stack) -> Access:
    """The first login, with the one-time password that the log of the API shows."""
    shown = re.findall(r"One-time password +(\S+)", stack.docker.compose("logs", "--no-color", "api"))
    return first_login(stack.url, shown[-1])


def test_no_password_is_written_where_others_can_read_it(stack: Stack) -> None:
    read = "print(open('/secrets/passfile').read())"
    password = stack.python("api", read).strip().rpartition(":")[2]
    assert re.fullmatch(r"[0-9a-f]{48}", password)
    reported = [json.dumps(stack.inspect(service)["Config"]) for service in ("api", "database", "agent")]
    reported.append(stack.docker.compose("config"))
    assert not any(password in text for text in reported)
    assert "Permission" in stack.python("api", "open('/secrets/password')")


def test_the_stack_tells_the_disks_and_which_of_them_carries_the_running_system(stack: Stack, access: Access) -> None:
    """The agent sees the mounts of the host, not only its own: the host's system disk is not for the taking."""
    root = subprocess.run(["lsblk", "-J", "-o", "KNAME,TYPE,MOUNTPOINTS"], capture_output=True, text=True, check=True)
    drives = [one for one in json.loads(root.stdout)["blockdevices"] if one["type"] == "disk"]
    system = [drive["kname"] for drive in drives if '"/"' in json.dumps(drive)]
    with stack.client(access) as client:
        disks = {disk["observed"]["device"].rpartition("/")[2]: disk for disk in client.list("/disks")}
    assert set(system) <= set(disks) <= {drive["kname"] for drive in drives}
    for name in system:
        assert disks[name]["state"] == "system"
        assert not disks[name]["wipeable"]
        assert "mounted at /" in disks[name]["occupied_by"]


def test_an_engine_that_the_kernel_lacks_is_reported_with_the_reason(stack: Stack, access: Access) -> None:
    with stack.client(access) as client:
        engines = {engine["engine"]: engine for engine in client.list("/engines")}
    assert {"md", "lvm", "lio", "nvmet"} <= set(engines)
    has = {"md": Path("/proc/mdstat"), "lvm": Path("/dev/mapper/control"), "nvmet": Path("/sys/module/nvmet")}
    for name, trace in has.items():
        assert engines[name]["available"] == trace.exists(), engines[name]
    for one in engines.values():
        assert one["available"] or "module" in one["reason"] or "not installed" in one["reason"], one


def test_the_web_page_is_served(stack: Stack) -> None:
    anybody = ssl._create_unverified_context()

    def get(path: str) -> str:
        with urllib.request.urlopen(stack.url + path, context=anybody, timeout=within(60)) as answer:
            return str(answer.read().decode())

    (script,) = re.findall(r'<script type="module"[^>]* src="(/assets/[^"]+\.js)"', get("/"))
    assert len(get(script)) > 10_000


def test_the_api_runs_without_rights(stack: Stack) -> None:
    status = stack.python("api", "print(open('/proc/1/status').read())")
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert set(facts["Uid"].split()) == {str(UID)}
    assert {facts[name] for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert facts["NoNewPrivs"] == "1"
    host = stack.inspect("api")["HostConfig"]
    assert not host["Privileged"]
    assert not host["Devices"]


@pytest.mark.parametrize("user", [str(UID), "0"])
def test_the_api_container_opens_no_disk(stack: Stack, user: str) -> None:
    """Not even root in it can make the device node of a disk, let alone open one."""
    for drive in Path("/sys/block").iterdir():
        major, minor = map(int, (drive / "dev").read_text().split(":"))
        program = f"""
import os, stat
for reach in (lambda: None, lambda: os.mknod('/tmp/node', 0o600 | stat.S_IFBLK, os.makedev({major}, {minor}))):
    for place in ('/dev/{drive.name}', '/tmp/node'):
        try:
            reach(); os.open(place, os.O_RDONLY); print('op' + 'ened', place)
        except OSError as error:
            print('refused', error.strerror)
"""
        said = stack.python("api", program, "--user", user)
        assert said.count("refused") == 4, said
        assert "opened" not in said


@pytest.mark.parametrize("user", [str(UID), "0"])
def test_the_api_container_writes_neither_configfs_nor_its_own_files(stack: Stack, user: str) -> None:
    for place in ("/sys/kernel/config/target", "/sys/kernel/config/nvmet", "/sys/kernel/made", "/opt/lunette/made"):
        said = stack.python("api", f"import os; os.makedirs('{place}'); print('ma' + 'de')", "--user", user)
        assert "Error" in said
        assert "made\n" not in said.replace("/made", "")


def test_the_agent_answers_the_user_of_the_api_and_nobody_else(stack: Stack) -> None:
    assert '"ledger_generation"' in stack.python("api", _ASK_AGENT)
    # The group may open the socket; the peer's uid, as the kernel tells it, decides.
    said = stack.python("api", _ASK_AGENT, "--user", f"12345:{UID}")
    assert '"ledger_generation"' not in said
    assert "only root and the API" in said
    assert "Permission" in stack.python("api", _ASK_AGENT, "--user", "12345:12345")


def test_what_was_made_is_there_after_a_restart_and_after_all_containers_were_recreated(
    stack: Stack, access: Access
) -> None:
    with stack.client(access) as client:
        client.post("/hosts", {"name": "kept", "iqns": [IQN]})
    for again in (("restart",), ("down", "--timeout", "60")):
        stack.docker.compose(*again, deadline_s=600)
        stack.up()
        with stack.client(access) as client:
            assert [host["name"] for host in client.list("/hosts")] == ["kept"]
        with PatientClient(Endpoint(url=access.endpoint.url, fingerprint=access.endpoint.fingerprint)) as client:
            client.login("admin", access.password)


def test_the_agent_ends_by_itself_when_it_is_stopped(stack: Stack) -> None:
    """A step of a job is not cut: it is asked to end, not killed."""
    stack.docker.compose("stop", "agent", deadline_s=120)
    try:
        assert stack.inspect("agent")["State"]["ExitCode"] == 0
    finally:
        stack.up()
