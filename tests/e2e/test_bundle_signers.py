"""Whose bundles RAUC takes with the keyring of the builder and the configuration of the agent, both as they are.

The program is that of the appliance, run inside its tree of Debian packages: nothing is booted, and nothing written.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.slots import FakeSlots
from lunette.domain.errors import ToolFailed
from lunette.providers.updates import rauc
from lunette.providers.updates.slots import find
from lunette_image import signing, update
from lunette_image.base import base_layer
from lunette_image.cache import Cache
from lunette_image.cli import IMAGE
from tests.machines.pace import within

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.iso, pytest.mark.timeout(1500)]

INSIDE = """\
mount --make-rprivate / && mount --bind "$1" "$0/mnt" && mount -t proc proc "$0/proc" && shift && exec chroot "$0" "$@"
"""
"""Runs a program in the tree, with a folder of the test at /mnt; the mounts are of this program alone."""
SOON_S = 10
AUTHORITY = """\
[ca]
default_ca = own
[own]
database = index
serial = serial
crlnumber = number
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[code]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = codeSigning
[mail]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = emailProtection
"""


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=within(60))


@dataclass(frozen=True)
class Authority:
    """A CA in a folder of its own."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()
        for name, text in (("index", ""), ("serial", "01\n"), ("number", "01\n"), ("conf", AUTHORITY)):
            (self.folder / name).write_text(text)
        usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
        words = ("-x509", "-days", "11000", *usage, "-keyout", "ca.key", "-out", "ca.pem")
        openssl(self.folder, "req", "-newkey", "rsa:2048", "-noenc", "-subj", "/CN=Example updates CA", *words)

    @property
    def certificate(self) -> Path:
        return self.folder / "ca.pem"

    def sign(self, name: str, *, usage: str = "code", lasts_s: int = 86400) -> tuple[Path, Path]:
        """Certificate and key of a signer."""
        request = ("-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl(self.folder, "req", "-newkey", "rsa:2048", "-noenc", "-subj", f"/CN={name}", *request)
        ends = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + lasts_s))
        words = ("-config", "conf", "-extensions", usage, "-enddate", ends, "-in", f"{name}.csr", "-out", f"{name}.pem")
        openssl(self.folder, "ca", "-batch", "-notext", *words)
        return self.folder / f"{name}.pem", self.folder / f"{name}.key"

    def revoke(self, *certificates: Path) -> Path:
        """The list of what was revoked."""
        for one in certificates:
            openssl(self.folder, "ca", "-config", "conf", "-revoke", str(one))
        openssl(self.folder, "ca", "-config", "conf", "-gencrl", "-crldays", "10000", "-out", "crl.pem")
        return self.folder / "crl.pem"


@dataclass(frozen=True)
class Rig:
    """RAUC of the appliance, with a folder of ours."""

    tree: Path
    folder: Path

    def trust(self, trusted: signing.Signer) -> None:
        """The keyring of an image that trusts these, and the configuration that the agent writes there."""
        trusted.add_to(self.folder / "image")
        system = FakeSystem()
        system.slots = FakeSlots(system, 1)
        system.files.seed(rauc.KEYRING, (self.folder / f"image{rauc.KEYRING}").read_bytes())
        slots = find(system)
        assert slots is not None
        rauc.configure(system, slots)
        text = (system.read_file(rauc.CONFIG) or b"").decode()
        assert f"path={rauc.KEYRING}\n" in text
        (self.folder / "system.conf").write_text(text.replace(rauc.KEYRING, f"/mnt/image{rauc.KEYRING}"))

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        words = ["unshare", "--mount", "sh", "-c", INSIDE, str(self.tree), str(self.folder), *argv]
        return subprocess.run(words, check=False, capture_output=True, text=True, timeout=within(120))

    def bundle(self, name: str, certificate: Path, key: Path) -> str:
        """A bundle that this key has signed, as RAUC finds it."""
        content = self.folder / f"{name}.content"
        content.mkdir()
        (content / "manifest.raucm").write_text(update.manifest("1.0"))
        (content / "system.tar").write_bytes(os.urandom(20_000))
        (self.folder / f"{name}.pem").write_bytes(certificate.read_bytes())
        (self.folder / f"{name}.key").write_bytes(key.read_bytes())
        own = (f"--cert=/mnt/{name}.pem", f"--key=/mnt/{name}.key")
        made = self.run("rauc", "bundle", *own, f"/mnt/{content.name}", f"/mnt/{name}.raucb")
        assert made.returncode == 0, made.stderr
        return f"/mnt/{name}.raucb"

    def refusal(self, bundle: str) -> str | None:
        """Why the bundle is refused, in the agent's words; None if it is taken."""
        reported = self.run("rauc", "-c", "/mnt/system.conf", "info", "--output-format=json", bundle)
        return rauc.explain(ToolFailed("rauc refused", log=reported.stderr)) if reported.returncode else None


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    folder = tmp_path / "rig"
    folder.mkdir()
    return Rig(base_layer(Cache(), IMAGE) / "root", folder)


@pytest.fixture
def ca(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "ca")


def image(tmp_path: Path, trust: Path, crl: Path | None = None) -> signing.Signer:
    return signing.signer(Cache(tmp_path / "cache"), None, None, trust, crl)


def test_a_revoked_signer_is_refused_and_another_of_the_same_ca_is_not(rig: Rig, ca: Authority, tmp_path: Path) -> None:
    good, stolen = ca.sign("good"), ca.sign("stolen")
    bundles = [rig.bundle("good", *good), rig.bundle("stolen", *stolen)]
    rig.trust(image(tmp_path, ca.certificate))
    assert [rig.refusal(one) for one in bundles] == [None, None]
    rig.trust(image(tmp_path, ca.certificate, ca.revoke(stolen[0])))
    taken, refused = [rig.refusal(one) for one in bundles]
    assert taken is None
    assert "certificate was revoked" in (refused or "")


def test_a_signer_that_has_expired_since_is_refused(rig: Rig, ca: Authority, tmp_path: Path) -> None:
    """It says itself when it signed: of a key that was stolen that says nothing."""
    rig.trust(image(tmp_path, ca.certificate, ca.revoke()))
    ends = time.time() + SOON_S
    bundle = rig.bundle("old", *ca.sign("old", lasts_s=SOON_S))
    while time.time() < ends:
        time.sleep(0.5)
    time.sleep(1.5)
    assert "certificate has expired" in (rig.refusal(bundle) or "")


def test_only_a_certificate_for_signing_code_signs_updates(rig: Rig, ca: Authority, tmp_path: Path) -> None:
    rig.trust(image(tmp_path, ca.certificate))
    bundle = rig.bundle("mail", *ca.sign("mail", usage="mail"))
    assert "not for signing code" in (rig.refusal(bundle) or "")


def test_a_key_is_rotated_by_an_image_that_trusts_another(rig: Rig, ca: Authority, tmp_path: Path) -> None:
    """The last bundle of the old signer brings an image that trusts the new ones alone."""
    development = signing.signer(Cache(tmp_path / "cache"), None, None)
    assert development.key is not None
    bundles = [
        rig.bundle("old", development.certificate, development.key),
        rig.bundle("new", *ca.sign("new")),
    ]
    rig.trust(development)
    assert rig.refusal(bundles[0]) is None
    assert "its signer is not trusted" in (rig.refusal(bundles[1]) or "")
    rig.trust(image(tmp_path, ca.certificate))
    assert "its signer is not trusted" in (rig.refusal(bundles[0]) or "")
    assert rig.refusal(bundles[1]) is None
    both = tmp_path / "both.pem"
    both.write_text(ca.certificate.read_text() + development.trusted.read_text())
    rig.trust(image(tmp_path, both))
    assert [rig.refusal(one) for one in bundles] == [None, None]


def test_an_appliance_that_does_not_ask_for_code_signing_yet_is_updated_with_its_development_key(
    rig: Rig, tmp_path: Path
) -> None:
    """Its system says nothing of a purpose, and RAUC then asks for e-mail."""
    folder = tmp_path / "cache/image/signing"
    folder.mkdir(parents=True)
    usage = ("-addext", "keyUsage=critical,digitalSignature,keyCertSign")
    words = ("req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "36500", "-subj", "/CN=before", *usage)
    openssl(folder, *words, "-keyout", "key.pem", "-out", "cert.pem")
    development = signing.signer(Cache(tmp_path / "cache"), None, None)
    assert development.key is not None
    bundle = rig.bundle("next", development.certificate, development.key)
    rig.trust(development)
    assert rig.refusal(bundle) is None
    config = rig.folder / "system.conf"
    before, _, _ = config.read_text().partition("check-purpose")
    slots = config.read_text()[config.read_text().index("[slot.") :]
    config.write_text(f"{before}use-bundle-signing-time=true\n{slots}")
    assert rig.refusal(bundle) is None
