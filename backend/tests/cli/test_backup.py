"""`lunette backup`, `restore`, `rebuild`, `support`: a private file, a look, a question, and the answer."""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.agent.core import Agent
from lunette.cli import exits
from lunette.domain.sealed_copies import SealOrder
from lunette.providers.volumes.lvm.observe import observe_groups


@pytest.fixture
def lunette(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "phrase").write_text("correct horse battery\n")
    (tmp_path / "wrong").write_text("another passphrase\n")
    with appliance(tmp_path, sqlite_url) as cli:
        cli.settle()
        yield cli


def test_a_backup_is_written_privately_and_restored_after_a_dry_run(lunette: Cli, tmp_path: Path) -> None:
    assert lunette("host", "create", "old", "--iqn", "iqn.2026-01.com.example:old").code == exits.OK
    made = lunette("backup", "state", "--passphrase-file", "phrase")
    assert (made.code, made.out) == (exits.OK, "")
    assert "Written to state" in made.err
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o600
    assert lunette("host", "delete", "old", "--yes").code == exits.OK
    assert lunette("host", "create", "new", "--iqn", "iqn.2026-01.com.example:new").code == exits.OK

    restore = ("restore", "state", "--passphrase-file")
    looked = lunette(*restore, "phrase", "--dry-run")
    assert looked.code == exits.OK
    assert "returns host old" in looked.out
    assert "forgotten host new" in looked.out
    found = json.loads(lunette(*restore, "phrase", "--dry-run", "--json").out)
    assert {(one["name"], one["change"]) for one in found["differences"]} == {("old", "returns"), ("new", "forgotten")}
    not_asked = lunette(*restore, "phrase")
    assert (not_asked.code, "use --yes" in not_asked.err) == (exits.USAGE, True)
    refused = lunette(*restore, "wrong", "--yes")
    assert "the passphrase does not match this backup" in refused.err
    assert refused.code not in (exits.OK, exits.USAGE)
    assert "new" in lunette("host", "list").out

    done = lunette(*restore, "phrase", "--yes")
    assert (done.code, "Restored" in done.err) == (exits.OK, True), done.err
    assert [host["name"] for host in json.loads(lunette("host", "list", "--json").out)] == ["old"]


def test_what_cannot_be_read_or_written_is_said(lunette: Cli, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for words, reported in (
        (("backup", "nowhere/state", "--passphrase-file", "phrase"), "Cannot write nowhere/state"),
        (("backup", "folder", "--passphrase-file", "phrase"), "Cannot write folder"),
        (("restore", "nothing", "--passphrase-file", "phrase", "--yes"), "Cannot read nothing"),
    ):
        ran = lunette(*words)
        assert (ran.code, reported in ran.err) == (exits.USAGE, True), ran.transcript
    assert not (tmp_path / "folder.new").exists()


def test_a_support_bundle_is_written_privately(lunette: Cli, tmp_path: Path) -> None:
    made = lunette("support", "bundle.tar.gz")
    assert (made.code, made.out, "no secrets" in made.err) == (exits.OK, "", True), made.err
    assert (tmp_path / "bundle.tar.gz").stat().st_mode & 0o777 == 0o600
    assert tarfile.is_tarfile(tmp_path / "bundle.tar.gz")


def test_a_forgotten_array_is_rebuilt_after_a_dry_run(lunette: Cli) -> None:
    assert "No array with a sealed copy is missing from the database" in lunette("rebuild").out
    assert lunette("backup", "state", "--passphrase-file", "phrase").code == exits.OK
    disks = [disk["id"] for disk in json.loads(lunette("disk", "list", "--json").out)][:3]
    chosen = [word for disk in disks for word in ("--disk", disk)]
    assert lunette("array", "create", "tank", "--level", "raid5", *chosen).code == exits.OK
    agent = Agent(lunette.machine)
    lunette.until(lambda: any(copy.content for copy in agent.read_copies()))
    assert lunette("restore", "state", "--passphrase-file", "phrase", "--yes").code == exits.OK
    assert json.loads(lunette("array", "list", "--json").out) == []

    [(copy, group)] = [
        (one, group.name) for one in agent.read_copies() for group in observe_groups(lunette.machine, {})
    ]
    assert copy.header is not None
    stripped = copy.header.model_copy(update={"seal": None})
    agent.seal_copy(SealOrder(group=group, header=stripped, content=copy.content))
    assert "no seal of this appliance" in lunette("rebuild", "--dry-run").out
    assert "use --adopt" in lunette("rebuild").err
    unsealed = lunette("rebuild", "--yes")
    assert (unsealed.code == exits.OK, "`adopt`" in unsealed.err) == (False, True), unsealed.err
    agent.seal_copy(SealOrder(group=group, header=copy.header, content=copy.content))

    looked = lunette("rebuild", "--dry-run")
    assert "Array tank is added" in looked.out
    seen = looked.out.rsplit("digest of the sealed copies: ", 1)[1].split()[0]
    stale = lunette("rebuild", "--yes", "--digest", "0" * 64)
    assert (stale.code == exits.OK, "Repeat the dry run" in stale.err) == (False, True), stale.err
    assert (looked.code, "rebuild array tank" in looked.out) == (exits.OK, True), looked.out + looked.err
    not_asked = lunette("rebuild")
    assert (not_asked.code, "use --yes" in not_asked.err) == (exits.USAGE, True)
    assert lunette("rebuild", "other", "--yes").code not in (exits.OK, exits.USAGE)
    assert json.loads(lunette("array", "list", "--json").out) == []
    done = lunette("rebuild", "--yes", "--digest", seen)
    assert (done.code, "Rebuilt" in done.err) == (exits.OK, True), done.err
    assert [one["name"] for one in json.loads(lunette("array", "list", "--json").out)] == ["tank"]
