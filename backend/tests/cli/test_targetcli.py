"""`lunette export --format targetcli` of a host with CHAP and one volume, and `lunette inspect`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.cli.appliance import Cli, appliance
from lunette.cli import exits

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
            "mapping create --volume v --host db",
        ):
            ran = cli(*line.split())
            assert ran.code == exits.OK, ran.err
        yield cli


def test_it_is_written_whole_for_this_user_alone(lunette: Cli, tmp_path: Path) -> None:
    shown = lunette("export", "--format", "targetcli")
    assert json.loads(shown.out)["targets"][0]["fabric"] == "iscsi"
    assert SECRET not in shown.out
    assert "Left out: The CHAP secrets of db" in shown.err
    out = tmp_path / "saveconfig.json"
    out.write_text("what was there")
    out.chmod(0o644)
    reported = lunette("export", "--format", "targetcli", "--secrets", "--output", "saveconfig.json")
    assert (reported.code, SECRET in out.read_text()) == (exits.OK, True)
    assert out.stat().st_mode & 0o777 == 0o600
    assert "Left out: SCSI vendor and product" in reported.err
    link = tmp_path / "nowhere"
    link.symlink_to("/dev/null")
    assert lunette("export", "--format", "targetcli", "--output", "nowhere").code == exits.OK
    assert (link.is_symlink(), Path("/dev/null").is_char_device()) == (True, True)
    assert json.loads(out.read_text()).keys() == {"fabric_modules", "storage_objects", "targets"}


def test_a_site_document_has_no_secrets_to_fill_in_and_a_file_in_no_folder_is_refused(lunette: Cli) -> None:
    refused = lunette("export", "--secrets")
    assert (refused.code, "never contains secrets" in refused.err) == (exits.USAGE, True)
    nowhere = lunette("export", "--format", "targetcli", "--output", "no/such/file")
    assert (nowhere.code, "Cannot write no/such/file" in nowhere.err) == (exits.USAGE, True)


def test_a_configuration_is_inspected_object_by_object(lunette: Cli, tmp_path: Path) -> None:
    shape = Path(__file__).parents[1] / "planner/saveconfigs/chap-and-mutual-chap.json"
    reported = lunette("inspect", str(shape))
    assert reported.code == exits.NOT_WELL
    assert "✓ /backstores/block/web\n    Volume web: zvol rpool/web" in reported.out
    assert "Lunette can serve 20 objects and cannot serve 4. Nothing was changed." in reported.out
    assert "hunter2" not in reported.out
    fits = tmp_path / "fits.json"
    lunette("export", "--format", "targetcli", "--secrets", "--output", "own.json")
    own = json.loads((tmp_path / "own.json").read_text())
    fits.write_text(json.dumps(own))
    assert (lunette("inspect", "fits.json").code, lunette("inspect", "fits.json", "--json").code) == (
        exits.OK,
        exits.OK,
    )


def test_a_file_that_is_not_a_configuration_is_refused(lunette: Cli, tmp_path: Path) -> None:
    for content, words in (
        ("{", "is not valid JSON"),
        ("[]", "is not a saveconfig.json"),
        ('{"volumes": []}', "neither"),
    ):
        (tmp_path / "x.json").write_text(content)
        refused = lunette("inspect", "x.json")
        assert (refused.code, words in refused.err) == (exits.USAGE, True)
    (tmp_path / "x.json").write_text('{"targets": [{"fabric": "iscsi"}]}')
    refused = lunette("inspect", "x.json")
    assert (refused.code, "targets[0].wwn" in refused.err) == (exits.REFUSED, True)
