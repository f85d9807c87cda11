"""What the role `initiator` does with a kit, by one whose files are all below a folder of the test."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.collection.playing import Player, Running

pytestmark = [pytest.mark.timeout(500), pytest.mark.root, pytest.mark.slow]
SECRET = "kit-secret-of-db"
PARTS = ("files", "connect")


def _kit(folder: Path, text: str = "one") -> dict[str, Any]:
    """A list, a secret, and commands that note that they ran; its check wants what the first one makes."""
    files = [("list", text, "0644", False), ("secret", SECRET, "0600", True)]
    boot, check = folder / "boot", f"ls {folder}/connected"
    connect = f"echo connect >>{folder}/ran && [ ! -e {folder}/broken ] && touch {folder}/connected"
    return {
        "check": check,
        "files": [
            {"path": f"{folder}/{name}", "content": content, "mode": mode, "is_secret": secret}
            for name, content, mode, secret in files
        ],
        "commands": [
            {"run": connect, "unless": None, "purpose": "Connects."},
            {"run": f"echo boot >>{folder}/ran; touch {boot}", "unless": f"[ -e {boot} ]", "purpose": "Boots."},
            {"run": check, "unless": None, "purpose": "Checks."},
        ],
    }


class Host:
    """A folder that stands for a host."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._ran = folder / "host", folder / "host/ran"
        self.folder.mkdir()
        self._player = Player(folder, Running("", "", "", folder))
        self._book = folder / "play.yml"
        parts = [
            {"ansible.builtin.include_role": {"name": "lunette.appliance.initiator", "tasks_from": part}}
            for part in PARTS
        ]
        play = {"hosts": "all", "connection": "local", "gather_facts": False, "tasks": parts}
        self._book.write_text(json.dumps([play]))

    def apply(self, kit: dict[str, Any], *flags: str) -> tuple[int, int, list[str]]:
        """(tasks that changed something, tasks that failed, commands that ran)."""
        self._ran.write_text("")
        values = {"initiator_kit": kit, "initiator_folder": str(self.folder)}
        printed = self._player.run(self._book, "--diff", "-e", json.dumps(values), *flags)
        found = re.search(r"localhost .*changed=(\d+) .*failed=(\d+)", printed)
        assert found, printed
        assert SECRET not in printed
        return int(found[1]), int(found[2]), self._ran.read_text().split()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_a_command_that_fails_is_the_last_the_next_run_finishes_and_a_third_changes_nothing(host: Host) -> None:
    (host.folder / "broken").touch()
    assert host.apply(_kit(host.folder)) == (2, 1, ["connect"])
    (host.folder / "broken").unlink()
    assert host.apply(_kit(host.folder)) == (3, 0, ["connect", "boot"])
    assert (host.folder / "secret").stat().st_mode & 0o777 == 0o600
    assert host.apply(_kit(host.folder)) == (0, 0, [])


@pytest.mark.slow
def test_a_look_changes_nothing_and_lost_paths_are_made_again(host: Host) -> None:
    kit = _kit(host.folder)
    assert host.apply(kit, "--check") == (5, 0, []), "two files, two commands, and that it is applied"
    assert not (host.folder / "list").exists()
    assert host.apply(kit) == (5, 0, ["connect", "boot"])
    (host.folder / "connected").unlink()
    assert host.apply(kit) == (1, 0, ["connect"])
    assert host.apply(_kit(host.folder, "two")) == (3, 0, ["connect"]), "the list, the command, and that it is applied"
    assert (host.folder / "list").read_text() == "two"
