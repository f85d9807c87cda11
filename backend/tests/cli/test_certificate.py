"""`lunette certificate`: from two files, with the key on no command line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from backend.tests.cli.appliance import Cli, appliance
from lunette.api.appliance.certificate import ensure_certificate
from lunette.api.requests.services import Files
from lunette.cli import exits


@pytest.fixture
def cli(tmp_path: Path, sqlite_url: str) -> Iterator[Cli]:
    """Of an appliance that has a certificate of its own."""
    files = Files(tmp_path, tmp_path / "tls" / "cert.pem", tmp_path / "tls" / "key.pem", own=True)
    ensure_certificate(files.tls_cert, files.tls_key, "lunette", ())
    with appliance(tmp_path, sqlite_url, files=files) as served:
        yield served


def test_it_is_replaced_by_two_files_and_had_back(cli: Cli, tmp_path: Path) -> None:
    first = json.loads(cli("certificate", "show", "--json").out)
    made = trustme.CA().issue_cert("rack4")
    made.cert_chain_pems[0].write_to_path(tmp_path / "new.pem")
    made.private_key_pem.write_to_path(tmp_path / "new.key")
    words = ("certificate", "replace", "--certificate", str(tmp_path / "new.pem"), "--key", str(tmp_path / "new.key"))
    plan = cli(*words, "--dry-run")
    assert (plan.code, "change certificate" in plan.out, "for rack4, until" in plan.out) == (exits.OK, True, True)
    taken = cli(*words)
    assert (taken.code, "must run `lunette login` again" in taken.err) == (exits.OK, True)
    assert first["fingerprint"] not in taken.out.partition("previous")[0]
    assert cli("certificate", "revert").code == exits.OK
    assert json.loads(cli("certificate", "show", "--json").out)["fingerprint"] == first["fingerprint"]
    recreated = cli("certificate", "self-sign", "--json")
    assert json.loads(recreated.out)["self_signed"] is True


def test_a_key_that_does_not_fit_is_refused(cli: Cli, tmp_path: Path) -> None:
    one, other = trustme.CA().issue_cert("a"), trustme.CA().issue_cert("b")
    one.cert_chain_pems[0].write_to_path(tmp_path / "new.pem")
    other.private_key_pem.write_to_path(tmp_path / "new.key")
    refused = cli(
        "certificate", "replace", "--certificate", str(tmp_path / "new.pem"), "--key", str(tmp_path / "new.key")
    )
    assert (refused.code, "does not belong to this certificate" in refused.err) == (exits.REFUSED, True)
