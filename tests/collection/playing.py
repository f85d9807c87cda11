"""Runs plays with the real ansible-playbook against the API with a fake machine behind it, over pinned TLS."""

import hashlib
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import httpx2
import trustme

from backend.tests.dev_server import PASSWORD
from backend.tests.wiring import Api
from tests.machines.sockets import free_port
from tests.run.command import ROOT

COLLECTION = ROOT / "ansible"
_BIN = Path(sys.executable).parent
_UP_WITHIN_S = 300
PATIENT = 120.0
"""Seconds that a request may take on a machine which does much else."""
_PLAY_WITHIN_S = 1200
_NOUNS = ("mappings", "snapshots", "volumes", "host-groups", "hosts", "portals", "arrays", "fc-ports")


@dataclass(frozen=True)
class Running:
    """An appliance that runs, as a play needs to know it."""

    url: str
    token: str
    fingerprint: str
    authority: Path

    def environment(self) -> dict[str, str]:
        return {"LUNETTE_URL": self.url, "LUNETTE_TOKEN": self.token, "LUNETTE_FINGERPRINT": self.fingerprint}


def issue(authority: trustme.CA, folder: Path, not_after: datetime | None = None) -> tuple[Path, Path]:
    """(key, certificate) for this machine, valid until `not_after`, with the authority in authority.pem in `folder`."""
    issued = authority.issue_cert("127.0.0.1", not_before=datetime(2020, 1, 1), not_after=not_after)  # noqa: DTZ001
    issued.private_key_pem.write_to_path(str(folder / "key.pem"))
    issued.cert_chain_pems[0].write_to_path(str(folder / "certificate.pem"))
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    return folder / "key.pem", folder / "certificate.pem"


@contextmanager
def appliance(folder: Path) -> Iterator[Running]:
    """Serves an appliance without arrays on a free port until the block ends."""
    key, certificate = issue(trustme.CA(), folder)
    port = free_port()
    argv = [sys.executable, "-m", "backend.tests.dev_server", "--empty", "--port", str(port)]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [*argv, "--certificate", str(certificate), "--key", str(key)], cwd=ROOT, stdout=log, stderr=log
        )
    try:
        shown = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.read_text())).hexdigest()
        url = f"https://127.0.0.1:{port}"
        yield Running(url, _first_token(url, server, folder / "server.log"), shown, folder / "authority.pem")
    finally:
        server.terminate()
        server.wait(PATIENT)


def _first_token(url: str, server: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + _UP_WITHIN_S
    with httpx2.Client(base_url=f"{url}/api/v1", verify=False, timeout=PATIENT) as http:
        while True:
            try:
                me = http.post("/login", json={"username": "admin", "password": PASSWORD})
                break
            except httpx2.TransportError:
                assert server.poll() is None, log.read_text()
                assert time.monotonic() < deadline, f"no answer within {_UP_WITHIN_S} s: {log.read_text()}"
                time.sleep(0.1)
        headers = {"X-CSRF-Token": me.json()["csrf_token"]}
        made = http.post("/tokens", json={"name": "plays", "role": "administrator"}, headers=headers)
        return str(made.json()["token"])


def take_away(api: Api) -> None:
    """All that plays made: the next test finds an empty appliance, whichever it is."""
    for noun in _NOUNS:
        for one in api.items(f"/{noun}"):
            if one.get("id") is not None:
                answer = api.delete(f"/{noun}/{one['id']}")
                assert answer.is_success, answer.text
                if answer.status_code == 202:
                    api.done(answer.json())


class Player:
    """Runs playbooks on this machine against one appliance."""

    def __init__(self, folder: Path, running: Running) -> None:
        self._folder, self.running = folder, running
        link = folder / "collections/ansible_collections/lunette/appliance"
        link.parent.mkdir(parents=True)
        link.symlink_to(COLLECTION)

    def run(self, book: Path, *flags: str, env: Mapping[str, str] | None = None) -> str:
        """What Ansible printed."""
        inventory = () if "-i" in flags else ("-i", "localhost,")
        ended = self._call("ansible-playbook", *inventory, *flags, str(book), env=env)
        return ended.stdout + ended.stderr

    def inventory(self, source: Path, env: Mapping[str, str] | None = None) -> str:
        """The hosts of an inventory as JSON; what went wrong where there are none."""
        ended = self._call("ansible-inventory", "-i", str(source), "--list", env=env)
        return ended.stderr if "WARNING" in ended.stderr else ended.stdout

    def documentation(self, kind: str, name: str) -> str:
        """The documentation of a plugin as JSON."""
        return self._call("ansible-doc", "--json", "-t", kind, name).stdout

    def _call(self, *argv: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(_BIN / argv[0]), *argv[1:]],
            env={**os.environ, **self._settings(), **self.running.environment(), **(env or {})},
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PLAY_WITHIN_S,
        )

    def _settings(self) -> dict[str, str]:
        return {
            "ANSIBLE_HOME": str(self._folder / "home"),
            "ANSIBLE_COLLECTIONS_PATH": str(self._folder / "collections"),
            "ANSIBLE_CONNECTION_PLUGINS": str(Path(__file__).parent / "connections"),
            "PYTHONPATH": str(ROOT),
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_PIPELINING": "true",
            "ANSIBLE_NOCOLOR": "true",
            "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
            "ANSIBLE_DEPRECATION_WARNINGS": "false",
        }
