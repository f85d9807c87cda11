"""The real process: TLS, the first password, the way back in, and an orderly end."""

import hashlib
import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme
from cryptography import x509

from backend.tests.conftest import BOTH
from backend.tests.databases import PostgresServer
from lunette.api.appliance.certificate import ensure_certificate
from lunette.domain.certificates import fingerprint

START_S = 40.0
pytestmark = pytest.mark.timeout(120)


def held_port() -> socket.socket:
    """A loopback port that the kernel assigns to no program while this is open; one that names it may bind it."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


class Process:
    """lunette-api with folders of its own, without an agent."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self._held = held_port()
        self.port = self._held.getsockname()[1]
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(str(folder / f"notify{self.port}"))
        self.notify.settimeout(START_S)
        self.process = subprocess.Popen(
            [*self.command(), "--host=127.0.0.1", f"--port={self.port}", *options],
            env={"NOTIFY_SOCKET": str(folder / f"notify{self.port}"), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def command(self) -> list[str]:
        return [
            sys.executable,
            "-c",
            "import sys; from lunette.start import api; sys.exit(api())",
            f"--data={self.folder}/data",
            f"--runtime={self.folder}/run",
            f"--agent-socket={self.folder}/agent.sock",
        ]

    def wait(self) -> None:
        assert self.notify.recv(100) == b"READY=1"

    def client(self, **options: Any) -> httpx2.Client:
        pem = (self.folder / "data/tls/cert.pem").read_text()
        context = ssl.create_default_context(cadata=pem)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return httpx2.Client(base_url=f"https://localhost:{self.port}", verify=context, timeout=30.0, **options)

    def log_in(self, http: httpx2.Client, password: str) -> httpx2.Response:
        answer = http.post("/api/v1/login", json={"username": "admin", "password": password})
        if answer.is_success:
            http.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        return answer

    def stop(self) -> tuple[str, str, int]:
        """What it printed, what it logged, and its exit code, after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        out, log = self.process.communicate(timeout=30)
        self.close()
        return out, log, self.process.returncode

    def close(self) -> None:
        """Close its sockets, once it has ended."""
        self.notify.close()
        self._held.close()


@contextmanager
def started(folder: Path, *options: str) -> Iterator[Process]:
    """A process that serves, killed at the end unless it has stopped before."""
    process = Process(folder, *options)
    try:
        process.wait()
        yield process
    finally:
        if process.process.poll() is None:
            process.process.kill()
            process.process.communicate()
        process.close()


@pytest.fixture
def empty_database(postgresql_server: PostgresServer) -> Iterator[str]:
    """The URL of a PostgreSQL database as an administrator makes it."""
    url = postgresql_server.empty_database()
    yield url
    postgresql_server.drop(url)


@pytest.fixture
def process(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Process]:
    """On a SQLite file in its own folder, or on what `--database-url` names."""
    on_postgresql = getattr(request, "param", "sqlite") == "postgresql"
    options = [f"--database-url={request.getfixturevalue('empty_database')}"] if on_postgresql else []
    with started(tmp_path, *options) as process:
        yield process


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """One for all tests that leave it as it was: its first user has not logged in yet, or was reset."""
    with started(tmp_path_factory.mktemp("standing")) as process:
        yield process


def one_time(process: Process) -> str:
    return (process.folder / "run/one-time-password").read_text().strip()


@pytest.mark.parametrize("process", BOTH, indirect=True)
def test_a_first_start_to_the_first_login_and_an_orderly_end(process: Process, request: pytest.FixtureRequest) -> None:
    password = one_time(process)
    with process.client() as http:
        assert http.get("/api/v1/health").json() == {"status": "ok"}
        assert http.get("/api/v1/status").status_code == 401
        assert process.log_in(http, password).json()["password_change_required"] is True
        assert http.get("/api/v1/status").json()["type"] == "password-change-required"
        body = {"current_password": password, "new_password": "chosen by a person"}
        assert http.post("/api/v1/password", json=body).status_code == 204
        assert http.get("/api/v1/status").status_code == 200
        assert not (process.folder / "run/one-time-password").exists()
        ended = end_while_a_stream_is_open(process, http)
    out, log, code = ended
    assert code == 0
    assert password in out
    assert password not in log
    assert re.search(r"Web address +https://\S+:\d+", out)
    assert fingerprint((process.folder / "data/tls/cert.pem").read_text()) in out
    assert "Traceback" not in log
    assert "graceful shutdown exceeded" not in log  # uvicorn's word for a client that held it up
    assert (process.folder / "data/lunette.db").exists() == ("sqlite" in request.node.name)


def end_while_a_stream_is_open(process: Process, http: httpx2.Client) -> tuple[str, str, int]:
    """An idle client is there too: it has read its answer, keeps the connection for the next one, and hears nothing."""
    with idle_client(process), http.stream("GET", "/api/v1/events/stream") as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": connected"
        ended: list[tuple[str, str, int]] = []
        stopping = threading.Thread(target=lambda: ended.append(process.stop()))
        stopping.start()
        list(lines)
        stopping.join()
    return ended[0]


@contextmanager
def idle_client(process: Process) -> Iterator[None]:
    context = ssl.create_default_context(cadata=(process.folder / "data/tls/cert.pem").read_text())
    with (
        socket.create_connection(("127.0.0.1", process.port)) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as idle,
    ):
        idle.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert idle.recv(4096).startswith(b"HTTP/1.1 200")
        yield


def test_its_files_are_for_its_own_user_only(standing: Process) -> None:
    """Whatever the umask it was started with, as in a container."""
    files = [path for path in standing.folder.rglob("*") if path.is_file()]
    assert {"lunette.db", "secret.key", "cert.pem", "key.pem", "one-time-password"} <= {path.name for path in files}
    assert {path.name: oct(path.stat().st_mode & 0o077) for path in files if path.stat().st_mode & 0o077} == {}


def tls_spoken(process: Process, version: ssl.TLSVersion, ciphers: str) -> str | None:
    """The suite that server and client agree on; None if the server refuses. OpenSSL here may offer anything."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = version
    with socket.create_connection(("127.0.0.1", process.port), 30) as plain:
        try:
            with context.wrap_socket(plain, server_hostname="localhost") as peer:
                return (peer.cipher() or ("",))[0]
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):  # the server ended it; what fails here has other types
            return None


def test_only_authenticated_ciphers_and_tls_1_2_or_later_are_spoken(standing: Process) -> None:
    tls_1_2 = ssl.TLSVersion.TLSv1_2
    assert tls_spoken(standing, tls_1_2, "ECDHE-ECDSA-AES256-GCM-SHA384") == "ECDHE-ECDSA-AES256-GCM-SHA384"
    assert tls_spoken(standing, tls_1_2, "ECDHE-ECDSA-CHACHA20-POLY1305") == "ECDHE-ECDSA-CHACHA20-POLY1305"
    assert tls_spoken(standing, ssl.TLSVersion.TLSv1_3, "ALL") in {"TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"}
    for in_blocks in ("ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA"):
        assert tls_spoken(standing, tls_1_2, in_blocks) is None
    assert tls_spoken(standing, ssl.TLSVersion.TLSv1_1, "ALL") is None
    assert tls_spoken(standing, ssl.TLSVersion.TLSv1, "ALL") is None


def test_the_certificate_and_the_one_time_password_survive_a_restart_until_a_reboot(process: Process) -> None:
    password, before = one_time(process), fingerprint((process.folder / "data/tls/cert.pem").read_text())
    process.stop()
    again = Process(process.folder)
    again.wait()
    assert one_time(again) == password
    assert fingerprint((process.folder / "data/tls/cert.pem").read_text()) == before
    out, _, _ = again.stop()
    assert password in out
    (process.folder / "run/one-time-password").unlink()  # /run is empty after a reboot
    rebooted = Process(process.folder)
    rebooted.wait()
    fresh = one_time(rebooted)
    with rebooted.client() as http:
        assert fresh != password
        assert process_login(rebooted, http, password) == 401
        assert process_login(rebooted, http, fresh) == 200
    rebooted.stop()


def process_login(process: Process, http: httpx2.Client, password: str) -> int:
    return process.log_in(http, password).status_code


def test_an_administrator_at_the_console_regains_access(standing: Process) -> None:
    process = standing
    with process.client() as http:
        password = one_time(process)
        process.log_in(http, password)
        http.post("/api/v1/password", json={"current_password": password, "new_password": "a forgotten one"})
        reset = subprocess.run(
            [*process.command(), "--reset-password"], capture_output=True, text=True, check=True, timeout=60
        )
        fresh = one_time(process)
        assert fresh in reset.stdout
        assert http.get("/api/v1/me").status_code == 401
        assert process_login(process, http, "a forgotten one") == 401
        assert process.log_in(http, fresh).json()["password_change_required"] is True


def test_keys_and_passwords_are_readable_by_their_owner_only(standing: Process) -> None:
    for name in ("data/secret.key", "data/tls/key.pem", "run/one-time-password"):
        assert (standing.folder / name).stat().st_mode & 0o777 == 0o600, name


def test_plain_http_is_not_answered(standing: Process) -> None:
    with httpx2.Client() as http, pytest.raises(httpx2.TransportError):
        http.get(f"http://127.0.0.1:{standing.port}/api/v1/health")


def test_a_certificate_of_ones_own_is_used(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    for blob in issued.cert_chain_pems:
        blob.write_to_path(tmp_path / "cert.pem", append=True)
    process = Process(tmp_path, f"--tls-cert={tmp_path}/cert.pem", f"--tls-key={tmp_path}/key.pem")
    process.wait()
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with httpx2.Client(verify=context) as http:
        assert http.get(f"https://localhost:{process.port}/api/v1/health").status_code == 200
    process.stop()
    assert not (tmp_path / "data/tls").exists()


def test_a_start_that_cannot_be_says_why(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/secret.key").write_text("not a key")
    process = Process(tmp_path)
    _, log = process.process.communicate(timeout=START_S)
    process.close()
    assert process.process.returncode == 1
    assert "lunette-api cannot start" in log
    assert "secret.key" in log
    assert "Traceback" not in log


def test_the_made_certificate_names_the_machine(tmp_path: Path) -> None:
    cert, key = tmp_path / "tls/cert.pem", tmp_path / "tls/key.pem"
    ensure_certificate(cert, key, "lunette-1", ["192.0.2.10"])
    made = x509.load_pem_x509_certificate(cert.read_bytes())
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert set(names.get_values_for_type(x509.DNSName)) == {"lunette-1", "localhost"}
    addresses = {str(address) for address in names.get_values_for_type(x509.IPAddress)}
    assert addresses == {"127.0.0.1", "::1", "192.0.2.10"}
    before = cert.read_bytes()
    ensure_certificate(cert, key, "other", [])
    assert cert.read_bytes() == before


def test_the_process_speaks_only_problem_json_when_it_refuses(standing: Process) -> None:
    with standing.client() as http:
        big = http.post("/api/v1/login", content=b"x" * 10_000_000)
        assert (big.status_code, json.loads(big.content)["type"]) == (413, "too-large")
        chunks = http.post("/api/v1/login", content=(b"x" * 65536 for _ in range(160)))
        assert (chunks.status_code, json.loads(chunks.content)["type"]) == (411, "length-required")
        assert http.get("/api/v1/health").status_code == 200


def fingerprint_shown(port: int) -> str:
    """By a client that asks for no name, as one that comes by an address does."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port)) as raw, context.wrap_socket(raw) as tls:
        shown = tls.getpeercert(binary_form=True)
    assert shown is not None
    return ":".join(f"{byte:02X}" for byte in hashlib.sha256(shown).digest())


@pytest.mark.parametrize("kind", [pytest.param(trustme.KeyType.RSA, marks=pytest.mark.slow), trustme.KeyType.ECDSA])
def test_another_certificate_is_shown_at_once_and_open_connections_go_on(
    process: Process, kind: trustme.KeyType
) -> None:
    made = trustme.CA().issue_cert("localhost", key_type=kind)
    pair = {
        "certificate": made.cert_chain_pems[0].bytes().decode(),
        "private_key": made.private_key_pem.bytes().decode(),
    }
    with process.client() as http:
        process.log_in(http, one_time(process))
        body = {"current_password": one_time(process), "new_password": "chosen by a person"}
        assert http.post("/api/v1/password", json=body).status_code == 204
        with http.stream("GET", "/api/v1/events/stream") as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": connected"
            first = http.get("/api/v1/certificate").json()["fingerprint"]
            assert fingerprint_shown(process.port) == first
            taken = http.post("/api/v1/certificate:replace", json=pair)
            assert taken.status_code == 200, taken.text
            assert any("certificate.changed" in line for line in lines), "the open stream goes on"
        assert fingerprint_shown(process.port) == taken.json()["fingerprint"] != first
        assert http.post("/api/v1/certificate:revert").json()["fingerprint"] == first
        assert fingerprint_shown(process.port) == first
        http.post("/api/v1/certificate:revert")
    log = process.stop()[1]
    assert pair["private_key"].splitlines()[1] not in log
    again = Process(process.folder)
    again.wait()
    assert fingerprint_shown(again.port) == taken.json()["fingerprint"]
    again.stop()
