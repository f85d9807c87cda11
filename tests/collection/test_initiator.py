"""The role `initiator` asks for the host's kit and shows what it would do: in check mode, as the host here is the
machine that the tests run on. What it does is in test_initiator_applies.py, on a host in tests/e2e/test_playbook.py.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.tests.wiring import Api
from tests.collection.playing import Player

pytestmark = [pytest.mark.timeout(500), pytest.mark.usefixtures("mapped")]
CHAP = {"user": "kitdb", "secret": "kit-secret-of-db", "mutual_user": "us", "mutual_secret": "kit-secret-of-us"}
IQN = "iqn.2026-01.com.example:kitdb"


@pytest.fixture(scope="module")
def mapped(api: Api) -> Iterator[None]:
    """Host kitdb with a volume over two paths and CHAP, and host kitless without a volume."""
    disks = [disk["id"] for disk in api.items("/disks", transport="scsi", state="free")][:2]
    made = []
    for noun, body in (
        ("arrays", {"name": "kits", "level": "raid1", "disks": disks}),
        ("volumes", {"name": "kitvol", "array": "kits", "size_bytes": "64MiB"}),
        ("hosts", {"name": "kitdb", "os_type": "linux", "iqns": [IQN], "chap": CHAP}),
        ("hosts", {"name": "kitless", "os_type": "linux", "iqns": [f"{IQN}2"]}),
        ("portals", {"name": "kit-a", "address": "192.0.2.1"}),
        ("portals", {"name": "kit-b", "address": "2001:db8::1"}),
        ("mappings", {"volume": "kitvol", "host": "kitdb"}),
    ):
        answer = api.made(f"/{noun}", body)
        made.append((noun, answer["resource_ids"][0] if "resource_ids" in answer else answer["id"]))
    yield
    for noun, id_ in reversed(made):
        answer = api.delete(f"/{noun}/{id_}")
        assert answer.is_success, answer.text
        if answer.status_code == 202:
            api.done(answer.json())


def _check(player: Player, folder: Path, env: dict[str, str] | None = None, **values: Any) -> str:
    book = folder / "play.yml"
    role = {"role": "lunette.appliance.initiator", "initiator_host": "kitdb", "initiator_install": False, **values}
    book.write_text(json.dumps([{"hosts": "all", "connection": "local", "gather_facts": False, "roles": [role]}]))
    return player.run(book, "--check", "--diff", "-vvv", env=env)


def _refused(printed: str) -> str:
    """The words of a play that failed and changed nothing."""
    assert re.search(r"localhost .*changed=0 .*failed=1", printed), printed
    return " ".join(printed.replace("\\n", " ").split())


def test_a_host_without_volumes_is_refused_with_what_to_do(player: Player, tmp_path: Path) -> None:
    assert "No volume is mapped to host kitless" in _refused(_check(player, tmp_path, initiator_host="kitless"))


def test_a_host_the_appliance_does_not_know_is_refused(player: Player, tmp_path: Path) -> None:
    assert "nobody-knows" in _refused(_check(player, tmp_path, initiator_host="nobody-knows"))


@pytest.mark.slow
def test_the_files_of_the_kit_are_shown_and_no_secret(player: Player, tmp_path: Path) -> None:
    printed = _check(player, tmp_path)
    assert re.search(r"localhost .*changed=[1-9]\d* .*failed=0", printed), printed
    assert "+++ after: /etc/multipath/conf.d/lunette.conf" in printed
    assert "no_path_retry        queue" in printed
    assert "[2001:db8::1]:3260" in printed
    assert "/etc/lunette-host/iscsi-node.conf" not in re.findall(r"\+\+\+ after: (\S+)", printed)
    assert CHAP["secret"] not in printed
    assert CHAP["mutual_secret"] not in printed
    assert not Path("/etc/lunette-host/connect.sh").exists(), "the check wrote files"


def test_a_name_that_the_appliance_does_not_know_is_not_taken(player: Player, tmp_path: Path) -> None:
    reported = _refused(_check(player, tmp_path, initiator_iqn="iqn.2026-01.com.example:other"))
    assert f"knows kitdb as {IQN}, not as iqn.2026-01.com.example:other. Nothing was changed." in reported


def test_who_may_not_read_secrets_is_told_so(player: Player, api: Api, tmp_path: Path) -> None:
    token = api.made("/tokens", {"name": "kit-viewer", "role": "viewer"})["token"]
    reported = _refused(_check(player, tmp_path, env={"LUNETTE_TOKEN": token}))
    assert "A setup kit with secrets requires the role operator" in reported
