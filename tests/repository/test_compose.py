"""docker-compose.yml names what exists, and gives rights to the agent alone; tests/e2e/test_compose.py runs it."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lunette.agent.ledger import STATE_DIR
from lunette.domain.agent_protocol import SOCKET_PATH
from lunette.providers.exports.lio.configfs import DB_ROOT
from tests.containers.engine import NoEngine, engine
from tests.run.command import ROOT
from tests.run.tiers import load

_TEXT = (ROOT / "docker-compose.yml").read_text()
_FOLDER = ROOT / "image/container"
_DOCKERFILE = (_FOLDER / "Dockerfile").read_text()
_STACK: dict[str, Any] = yaml.safe_load(_TEXT)
_SERVICES: dict[str, dict[str, Any]] = _STACK["services"]
_RIGHTS = ("privileged", "devices", "pid", "ipc", "network_mode", "userns_mode", "cap_add", "device_cgroup_rules")
_MAKE_SECRETS = _FOLDER / "make-secrets"


def _mounts(service: str) -> dict[str, str]:
    """What is mounted into a service: place in the container → volume or folder of the host."""
    return {mount.split(":")[1]: mount.split(":")[0] for mount in _SERVICES[service]["volumes"]}


def test_every_image_that_is_built_has_its_target() -> None:
    targets = set(re.findall(r"^FROM \S+ AS (\w+)$", _DOCKERFILE, re.MULTILINE))
    built = {name: service["build"] for name, service in _SERVICES.items() if "build" in service}
    assert set(built) == {"secrets", "agent", "api"}
    for name, build in built.items():
        assert build["target"] == name
        assert name in targets
        assert (ROOT / build["context"] / build["dockerfile"]).is_file()
        assert set(build["args"]) == set(re.findall(r"^ARG (\w+)=", _DOCKERFILE, re.MULTILINE))


def test_every_file_that_is_copied_exists_and_reaches_the_build() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", _DOCKERFILE, re.MULTILINE)
    sources = [source for line in copied for source in line.split()]
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert len(sources) > 8
    for source in sources:
        assert (ROOT / source).exists(), source
        assert any(source == one or source.startswith(f"{one}/") for one in let_in), source


def test_the_api_has_no_rights() -> None:
    api = _SERVICES["api"]
    assert [right for right in _RIGHTS if right in api] == []
    assert api["cap_drop"] == ["ALL"]
    assert api["security_opt"] == ["no-new-privileges:true"]
    assert api["read_only"] is True
    assert set(_mounts("api").values()) == {"api", "socket", "secrets"}
    assert re.search(r"^FROM .* AS api$(.(?!^FROM))*^USER lunette-api$", _DOCKERFILE, re.MULTILINE | re.DOTALL)


def test_only_the_agent_reaches_the_host() -> None:
    for name, service in _SERVICES.items():
        if name != "agent":
            assert not service.get("privileged"), name
            assert service["cap_drop"] == ["ALL"], name
            assert [source for source in _mounts(name).values() if source.startswith((".", "/"))] == [], name
    published = {name: service["ports"] for name, service in _SERVICES.items() if "ports" in service}
    assert list(published) == ["api"]
    assert all(port.startswith("${LUNETTE_ADDRESS:-127.0.0.1}:") for port in published["api"])
    assert _STACK["networks"]["database"] == {"internal": True}
    assert _SERVICES["database"]["networks"] == ["database"]


def test_the_agent_sees_the_host_as_on_a_server() -> None:
    agent, mounts = _SERVICES["agent"], _mounts("agent")
    assert (agent["network_mode"], agent["pid"], agent["ipc"]) == ("host", "host", "host")
    assert mounts[STATE_DIR] == "agent"
    assert mounts[str(Path(SOCKET_PATH).parent)] == _mounts("api")[str(Path(SOCKET_PATH).parent)] == "socket"
    # What the kernel and the host's own programs read there is the host's.
    assert {mounts[place] for place in mounts if place not in (STATE_DIR, str(Path(SOCKET_PATH).parent))} == {
        *("/dev", DB_ROOT, "/lib/modules", "/run/lock/lvm", "/run/lvm", "/run/mdadm", "/run/udev")
    }
    assert all(source == place for place, source in mounts.items() if source.startswith("/"))


def test_every_volume_is_named_and_used() -> None:
    used = {source for name in _SERVICES for source in _mounts(name).values() if not source.startswith("/")}
    assert used == set(_STACK["volumes"])


def test_every_lasting_service_is_watched() -> None:
    lasting = {name for name, service in _SERVICES.items() if service.get("restart") == "unless-stopped"}
    assert lasting == set(_SERVICES) - {"secrets"} == {n for n, s in _SERVICES.items() if "healthcheck" in s}


def test_one_uid_is_the_user_of_the_api_everywhere() -> None:
    uid = re.findall(r"^uid=(\d+)$", (_FOLDER / "add-user").read_text(), re.MULTILINE)
    assert len(uid) == 1
    for text in (_TEXT, _MAKE_SECRETS.read_text()):
        assert set(re.findall(r"\b1\d{4}\b", text)) == set(uid)


def test_no_container_can_use_up_the_host() -> None:
    assert {name for name, service in _SERVICES.items() if "pids_limit" not in service} == set()
    assert {name for name, service in _SERVICES.items() if "mem_limit" not in service} == {"agent"}
    assert all(0 < service["pids_limit"] <= 1024 for service in _SERVICES.values())
    assert {service["mem_limit"] for service in _SERVICES.values() if "mem_limit" in service} == {"64m", "1g"}


def test_every_image_from_a_registry_can_be_given_by_its_digest() -> None:
    build = _STACK["x-build"]["args"]
    names = [*build.values(), *(service["image"] for service in _SERVICES.values() if "image" in service)]
    assert len(names) == 3
    for name in names:
        assert re.fullmatch(r"\$\{LUNETTE_\w+_IMAGE:-[a-z]+:[\w.-]+\}", name), name


def test_no_password_is_in_the_file() -> None:
    assert set(re.findall(r"\w*PASSWORD\w*: \S+", _TEXT)) == {"POSTGRES_PASSWORD_FILE: /secrets/password"}
    assert re.findall(r"postgresql://\S+", _TEXT) == [
        "postgresql://lunette@database/lunette?passfile=/secrets/passfile"
    ]


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """A folder for secrets; next to it is the script, changed to use that folder."""
    folder = tmp_path / "secrets"
    folder.mkdir()
    script = _MAKE_SECRETS.read_text().replace("cd /secrets", f"cd {folder}").replace("chown 18443:18443", ": chown")
    (tmp_path / "make").write_text(script)
    return folder


def _make(folder: Path) -> str:
    return subprocess.run(
        ["sh", str(folder.parent / "make")], capture_output=True, text=True, check=True, timeout=30
    ).stdout


def test_a_password_is_created_once_and_never_shown(secrets: Path) -> None:
    said = _make(secrets)
    password = (secrets / "password").read_text()
    assert re.fullmatch(r"[0-9a-f]{48}", password)
    assert password not in said
    assert (secrets / "passfile").read_text() == f"database:5432:lunette:lunette:{password}\n"
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in secrets.iterdir()} == {
        "password": "0o600",
        "passfile": "0o600",
    }
    _make(secrets)
    assert (secrets / "password").read_text() == password


def test_what_a_power_cut_left_half_is_made_whole_and_a_whole_password_stays(secrets: Path) -> None:
    _make(secrets)
    password = (secrets / "password").read_text()
    (secrets / "passfile").unlink()
    (secrets / "passfile.new").write_text("datab")
    _make(secrets)
    assert (secrets / "passfile").read_text().endswith(f":{password}\n")
    (secrets / "password").unlink()
    (secrets / "password.new").write_text("12")
    (secrets / "passfile").unlink()
    _make(secrets)
    assert len((secrets / "password").read_text()) == 48


def test_without_an_engine_the_reason_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docker").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoEngine, match="dockerd is not installed"), engine(tmp_path):
        pass
    assert "no Docker engine can be started here" in load().allowed_skips
