"""`lunette host kit` and `lunette host paths`, of a host with one volume over two portals, logged in on the first."""

import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from backend.tests.scene import ADDRESS
from lunette.cli import exits
from lunette.cli.commands.kit import unpack
from lunette.cli.errors import UsageError

IQN, SECRET = "iqn.2026-01.com.example:db", "secret-of-host"


@pytest.fixture
def lunette(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text(SECRET)
    with appliance(tmp_path, sqlite_url) as cli:
        disks = [disk["id"] for disk in json.loads(cli("disk", "list", "--json").out)][:2]
        for line in (
            f"array create tank --level raid1 --disk {disks[0]} --disk {disks[1]}",
            "volume create v --array tank --size 16MiB",
            f"host create db --iqn {IQN} --chap-user db --chap-secret-file secret",
            f"portal create a --address {ADDRESS} --port 3260",
            f"portal create b --address {ADDRESS} --port 3270",
            "mapping create --volume v --host db",
        ):
            ran = cli(*line.split())
            assert ran.code == exits.OK, ran.err
        cli.settle()
        target = json.loads(cli("host", "show", "db", "--json").out)["target_iqn"]
        cli.machine.login(IQN, target, f"{ADDRESS}:3260", ("db", SECRET))
        yield cli


def test_a_kit_is_shown_and_written(lunette: Cli, tmp_path: Path) -> None:
    shown = lunette("host", "kit", "db").out
    assert "# /etc/lunette-host/iscsi-portals (0644)" in shown
    assert "sh /etc/lunette-host/check.sh" in shown
    assert SECRET not in shown
    assert "--secrets includes them" in shown
    assert SECRET in lunette("host", "kit", "db", "--secrets").out
    assert json.loads(lunette("host", "kit", "db", "--json").out)["host"] == "db"
    assert lunette("host", "kit", "db", "--secrets", "--output", "kit.tar").code == exits.OK
    assert (tmp_path / "kit.tar").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "kit.tar") as tar:
        assert "lunette-db/apply.sh" in tar.getnames()
    assert lunette("host", "kit", "db", "--output", "kits").code == exits.OK
    settings = tmp_path / "kits/lunette-db/files/etc/lunette-host/iscsi-node.conf"
    assert "@LUNETTE-CHAP-SECRET@" in settings.read_text()
    assert settings.stat().st_mode & 0o777 == 0o600
    refused = lunette("host", "kit", "db", "--output", "secret")
    assert (refused.code, "Cannot write secret" in refused.err) == (exits.USAGE, True)


def test_paths_are_reported_in_words_and_a_missing_one_in_the_exit_code(lunette: Cli) -> None:
    reported = lunette("host", "paths", "db")
    assert reported.code == exits.NOT_WELL
    lines = reported.out.splitlines()
    assert lines[0] == f"Host db: expected 2 paths, seen 1: no connection to portal b ({ADDRESS}:3270)."
    assert lines[1:3] == [
        f"  ✓ logged in on portal a ({ADDRESS}:3260)",
        f"  ✗ no connection to portal b ({ADDRESS}:3270)",
    ]
    assert lines[3].startswith("  ✗ volume v: expected 2 paths, seen 1")
    assert json.loads(lunette("host", "paths", "db", "--json").out)["state"] == "down"


def packed(name: str, kind: bytes = tarfile.REGTYPE, content: bytes = b"") -> bytes:
    """An archive with one good file, and another thing of this name."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path, is_a in (("good", tarfile.REGTYPE), (name, kind)):
            entry = tarfile.TarInfo(path)
            entry.type, entry.mode, entry.linkname, entry.size = is_a, 0o4777, "elsewhere", len(content)
            tar.addfile(entry, io.BytesIO(content))
    return archive.getvalue()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../outside", tarfile.REGTYPE),
        ("kit/../../outside", tarfile.REGTYPE),
        ("/outside", tarfile.REGTYPE),
        ("link", tarfile.SYMTYPE),
        ("link", tarfile.LNKTYPE),
        ("device", tarfile.BLKTYPE),
    ],
)
def test_of_a_kit_that_reaches_beyond_its_folder_nothing_is_written(tmp_path: Path, name: str, kind: bytes) -> None:
    folder = tmp_path / "kits"
    folder.mkdir()
    with pytest.raises(UsageError, match="Nothing was written"):
        unpack(packed(name, kind), folder)
    assert [*folder.iterdir()] == []
    assert [*tmp_path.iterdir()] == [folder]


def test_a_file_of_a_kit_takes_the_place_of_a_link_and_is_never_setuid(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / "other").symlink_to(elsewhere)
    unpack(packed("other"), tmp_path)
    assert elsewhere.read_text() == "mine"
    assert not (tmp_path / "other").is_symlink()
    assert (tmp_path / "other").stat().st_mode & 0o7777 == 0o755


def test_a_kit_is_not_written_through_a_link_out_of_its_folder(tmp_path: Path) -> None:
    """In a shared folder, another user may have put the link there."""
    folder, elsewhere = tmp_path / "kits", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "kit").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="leads out of"):
        unpack(packed("kit/run"), folder)
    assert [*elsewhere.iterdir()] == []
    assert [*folder.iterdir()] == [folder / "kit"]


@pytest.mark.parametrize(
    "sent",
    [b"<html>", b"", packed("other", content=b"x" * 4096)[:2048], gzip.compress(packed("other"))[:-9]],
    ids=["page", "none", "cut", "cut and compressed"],
)
def test_nothing_of_an_incomplete_archive_is_written(tmp_path: Path, sent: bytes) -> None:
    with pytest.raises(UsageError, match="not a valid tar archive"):
        unpack(sent, tmp_path)
    assert [*tmp_path.iterdir()] == []
