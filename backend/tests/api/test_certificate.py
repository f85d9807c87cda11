"""The certificate is checked before it is taken, shown to who comes in next, and the one before can be had back."""

import datetime as dt
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from backend.tests.wiring import Api, AwayAgent, add_token, client_of, make_services
from lunette.api.app import make_app
from lunette.api.appliance import backup_extras
from lunette.api.appliance.certificate import ensure_certificate
from lunette.api.requests.services import ApiServices, Files
from lunette.domain.certificates import fingerprint
from lunette.domain.roles import Role
from lunette.store.resources import Meta

NOW = dt.datetime.now(dt.UTC)
DAY = dt.timedelta(days=1)


def pem(cert: x509.Certificate) -> str:
    return cert.public_bytes(serialization.Encoding.PEM).decode()


def pem_key(key: Any, passphrase: bytes = b"") -> str:
    how = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    return str(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, how), "ascii")


def signed(key: Any, *, since: dt.datetime = NOW - DAY, until: dt.datetime = NOW + DAY, use: Any = None) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).not_valid_before(since).not_valid_after(until)
    if use is not None:
        made = made.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
    return pem(made.sign(key, hashes.SHA256()))


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def pair(authority: trustme.CA) -> dict[str, str]:
    """From an authority, with the name the tests come by."""
    made = authority.issue_cert("testserver", "test")
    chain = "".join(blob.bytes().decode() for blob in made.cert_chain_pems)
    return {"certificate": chain, "private_key": made.private_key_pem.bytes().decode()}


@pytest.fixture
def standing(tmp_path: Path, sqlite_url: str) -> Iterator[tuple[Api, ApiServices, Files]]:
    """An API with a certificate of its own."""
    files = Files(tmp_path, tmp_path / "tls" / "cert.pem", tmp_path / "tls" / "key.pem", own=True)
    ensure_certificate(files.tls_cert, files.tls_key, "lunette", ())
    services = make_services(tmp_path, AwayAgent(), sqlite_url)
    services = ApiServices(**{**vars(services), "files": files})
    with client_of(make_app(services)) as http:
        yield Api(http, add_token(services.store, Role.ADMINISTRATOR)), services, files
    services.store.close()


def contents(files: Files) -> tuple[str, str]:
    return files.tls_cert.read_text(), files.tls_key.read_text()


def test_it_is_taken_after_its_plan_and_had_back(
    standing: tuple[Api, ApiServices, Files], pair: dict[str, str]
) -> None:
    api, _, files = standing
    first, old = api.get("/certificate"), contents(files)
    assert (first["fingerprint"], first["self_signed"], first["previous"]) == (fingerprint(old[0]), True, None)
    plan = api.post("/certificate:replace", pair, dry_run=True).json()
    assert plan["changes"][0]["detail"].startswith("for testserver, test, until ")
    assert [words.partition(" ")[0] for words in plan["warnings"]] == ["Clients"]
    assert contents(files) == old
    taken = api.post("/certificate:replace", pair).json()
    assert contents(files) == (pair["certificate"], pair["private_key"])
    assert files.tls_key.stat().st_mode & 0o777 == 0o600
    assert taken["fingerprint"] == fingerprint(pair["certificate"]) != first["fingerprint"]
    assert taken["previous"]["fingerprint"] == first["fingerprint"]
    assert api.get("/certificate") == taken
    back = api.post("/certificate:revert").json()
    assert (back["fingerprint"], back["previous"]["fingerprint"]) == (first["fingerprint"], taken["fingerprint"])
    assert contents(files) == old


def test_the_key_is_never_reported(
    standing: tuple[Api, ApiServices, Files], pair: dict[str, str], tmp_path: Path
) -> None:
    api, services, files = standing
    secret = "".join(pair["private_key"].splitlines()[1:3])
    answers = [api.post("/certificate:replace", pair, headers={"Idempotency-Key": "k1"}).text]
    answers += [api.call("GET", path).text for path in ("/certificate", "/events", "/events:export")]
    (event,) = api.items("/events", noun="certificate")
    detail = api.get(f"/events/{event['seq']}")
    assert (detail["changes"][0]["noun"], "certificate revert" in detail["undo"]["reason"]) == ("certificate", True)
    database = "".join(path.read_bytes().decode("latin1") for path in tmp_path.glob("*.db*"))
    plain = "".join([*answers, database]).replace("\\n", "").replace("\n", "")
    assert secret not in plain
    assert pair["private_key"].splitlines()[1] not in plain
    with services.store.read() as tx:
        assert tx.get(Meta, "restored_certificate") is None
    previous = files.tls_cert.parent / backup_extras.PREVIOUS
    assert previous.stat().st_mode & 0o777 == 0o600


def wrong(pair: dict[str, str], authority: trustme.CA) -> dict[str, tuple[dict[str, str], str, str]]:
    """What is refused, by name: the spec, the field, and words of the reason."""
    key, short = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 1024)
    own = {"private_key": pem_key(key)}
    root = authority.cert_pem.bytes().decode()
    return {
        "no pem": ({**pair, "certificate": "hello"}, "certificate", "no certificate in PEM"),
        "no key": ({**pair, "private_key": pair["certificate"]}, "private_key", "not a private key in PEM"),
        "another key": ({**pair, **own}, "private_key", "does not belong to this certificate"),
        "encrypted": ({**pair, "private_key": pem_key(key, b"secret")}, "private_key", "is encrypted"),
        "upside down": ({**pair, "certificate": root + pair["certificate"]}, "certificate", "put that certificate"),
        "foreign chain": ({**pair, "certificate": pair["certificate"] + signed(key)}, "certificate", "did not sign"),
        "expired": ({**own, "certificate": signed(key, until=NOW - DAY / 2)}, "certificate", "expired on"),
        "not yet": ({**own, "certificate": signed(key, since=NOW + DAY / 2)}, "certificate", "is not valid before"),
        "short": ({"private_key": pem_key(short), "certificate": signed(short)}, "private_key", "too short"),
        "for mail": (
            {**own, "certificate": signed(key, use=ExtendedKeyUsageOID.EMAIL_PROTECTION)},
            "certificate",
            "for servers",
        ),
    }


def test_what_no_server_could_show_changes_nothing(
    standing: tuple[Api, ApiServices, Files], pair: dict[str, str], authority: trustme.CA
) -> None:
    api, _, files = standing
    old = contents(files)
    for name, (spec, field, words) in wrong(pair, authority).items():
        refused = api.post("/certificate:replace", spec)
        assert refused.status_code == 422, name
        (problem,) = [one for one in refused.json()["errors"] if one["field"].endswith(field)]
        assert words in problem["message"], name
        assert spec["private_key"].splitlines()[1] not in refused.text, name
    too_long = api.post("/certificate:replace", {**pair, "private_key": pair["private_key"] * 400})
    assert (too_long.status_code, pair["private_key"].splitlines()[1] in too_long.text) == (422, False)
    assert api.post("/certificate:revert").status_code == 409
    assert (contents(files), api.items("/events", noun="certificate")) == (old, [])


def test_names_that_are_missing_are_a_warning(standing: tuple[Api, ApiServices, Files], authority: trustme.CA) -> None:
    api, _, _ = standing
    for names, warned in ((["other.example"], True), (["testserver", "test"], False)):
        made = authority.issue_cert(*names)
        spec = {
            "certificate": made.cert_chain_pems[0].bytes().decode(),
            "private_key": made.private_key_pem.bytes().decode(),
        }
        plan = api.post("/certificate:replace", spec, dry_run=True).json()
        assert any("does not name testserver" in words for words in plan["warnings"]) is warned


def test_the_one_in_use_is_not_a_change_and_a_new_one_is_self_signed(standing: tuple[Api, ApiServices, Files]) -> None:
    api, _, files = standing
    cert, key = contents(files)
    same = {"certificate": cert, "private_key": key}
    assert api.post("/certificate:replace", same, dry_run=True).json()["changes"] == []
    assert api.post("/certificate:replace", same).json()["previous"] is None
    made = api.post("/certificate:self-sign").json()
    assert made["self_signed"]
    assert made["previous"]["fingerprint"] != made["fingerprint"]


def test_a_certificate_stored_elsewhere_is_not_replaced(
    standing: tuple[Api, ApiServices, Files], pair: dict[str, str], tmp_path: Path
) -> None:
    _, services, files = standing
    services = ApiServices(**{**vars(services), "files": Files(tmp_path, files.tls_cert, files.tls_key, own=False)})
    # Not entered: the threads of these parts run already, and would be waited for twice.
    api = Api(client_of(make_app(services)), add_token(services.store, Role.ADMINISTRATOR))
    assert api.get("/certificate")["replaceable"] is False
    refused = api.post("/certificate:replace", pair)
    assert (refused.status_code, "settings of the service specify" in refused.text) == (409, True)


@pytest.mark.parametrize("written", [0, 1])
def test_a_power_cut_between_the_files_is_repaired_at_the_next_start(
    standing: tuple[Api, ApiServices, Files], pair: dict[str, str], monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    api, services, files = standing
    old = contents(files)
    real, done = Path.rename, list[Path]()

    def rename(path: Path, target: Path) -> Path:
        if target in (files.tls_cert, files.tls_key):
            if len(done) == written:
                raise OSError(5, "the power is gone")
            done.append(target)
        return real(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    assert api.post("/certificate:replace", pair).status_code == 503
    monkeypatch.undo()
    backup_extras.install_staged(services.store, files)
    assert contents(files) == (pair["certificate"], pair["private_key"])
    kept = backup_extras.previous_certificate(files)
    assert kept is not None
    assert (kept.cert, kept.key) == old


def test_only_administrators_replace_it(standing: tuple[Api, ApiServices, Files], pair: dict[str, str]) -> None:
    api, services, _ = standing
    operator = Api(api.http, add_token(services.store, Role.OPERATOR))
    assert operator.get("/certificate")["self_signed"]
    assert operator.post("/certificate:replace", pair).status_code == 403
    assert operator.post("/certificate:self-sign").status_code == 403


def shown_by(port: int) -> bytes:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port)) as raw, context.wrap_socket(raw) as tls:
        found = tls.getpeercert(binary_form=True)
    assert found is not None
    return found
