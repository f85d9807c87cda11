"""Who signs updates, and whose signatures an image trusts: those of the options, or a development key of this cache.

The key is never in an image. Its trust is: certificates, each of a CA or of a signer, and with them the
lists of what these have revoked. Both must outlast years in which an appliance is off the network, because it
accepts no update after they have expired. The certificate of a signer that has expired, or is revoked, is refused.
"""

import datetime as dt
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .cache import Cache
from .problem import ImageProblem
from .progress import run, say
from .tree import write_file

FOLDER = "usr/lib/lunette/updates"
DAYS = 36500
DEVELOPMENT = "Lunette development key"
LASTS_DAYS = 3650
"""Minimum remaining validity of trusted certificates when an image is built: an appliance may be off the network for
years.
"""
PURPOSE = "extendedKeyUsage=codeSigning"
PURPOSE_BEFORE = "emailProtection"
"""Appliances that do not require code signing yet require this: it is RAUC's default."""
_NEW = ("openssl", "req", "-x509", "-newkey", "rsa:3072", "-noenc", "-sha256", "-days", str(DAYS))


@dataclass(frozen=True)
class Signer:
    """What an image trusts, and the certificate and key that sign a bundle, if one is to be signed."""

    certificate: Path
    key: Path | None
    trusted: Path
    """PEM, of one or more."""
    revoked: Path | None = None
    """The lists of revoked certificates, PEM: one for each trusted certificate."""
    development: bool = False

    @property
    def inputs(self) -> list[Path]:
        """The files that an image depends on."""
        return [self.trusted, *([self.revoked] if self.revoked else [])]

    def add_to(self, root: Path) -> None:
        """Makes the tree trust these certificates except for revoked ones, and name their owners."""
        pem = [*_blocks(self.trusted, "CERTIFICATE"), *(_blocks(self.revoked, "X509 CRL") if self.revoked else ())]
        write_file(root / FOLDER / "keyring.pem", "".join(pem))
        write_file(root / FOLDER / "trusts", f"{self.words()}\n")

    def words(self) -> str:
        """Name of the signer."""
        kind = "a development key, which everybody may have who built this image: " if self.development else ""
        return kind + "; ".join(_words(pem) for pem in _blocks(self.trusted, "CERTIFICATE"))


def signer(
    cache: Cache,
    certificate: Path | None,
    key: Path | None,
    trusted: Path | None = None,
    revoked: Path | None = None,
) -> Signer:
    """The signer of the options; without one the development key, created on first use.

    Raises ImageProblem for what an appliance would refuse, now or before ten years have passed.
    """
    for file in (certificate, key, trusted, revoked):
        if file is not None and not file.is_file():
            raise ImageProblem(f"{file} is not there: name the files of certificate and key in PEM form")
    if certificate is None and key is not None:
        raise ImageProblem("--key without --cert: the bundle carries its signer's certificate, so name that too")
    trusted = trusted or certificate
    if trusted is None:
        if revoked is not None:
            raise ImageProblem("--crl without --trust: name the certificates to which this revocation list belongs")
        return _development(cache)
    trusts = _blocks(trusted, "CERTIFICATE")
    _check_trusted(trusted, trusts)
    if revoked is not None:
        _check_revoked(revoked, trusts)
    if certificate is not None and key is not None:
        _check_signer(certificate)
    return Signer(
        (certificate or trusted).resolve(),
        key.resolve() if key else None,
        trusted.resolve(),
        revoked.resolve() if revoked else None,
    )


def _development(cache: Cache) -> Signer:
    """A CA that images trust, and a signer of it. The key of an earlier builder remains that CA."""
    folder = cache.folder / "signing"
    trusted, certificate = folder / "cert.pem", folder / "signer.pem"
    with cache.lock("signing"):
        if not trusted.is_file():
            say(f"updates: no --cert, so a development key is made in {folder}")
            _make(folder)
        if not certificate.is_file():
            _issue(folder)
    return Signer(certificate, folder / "signer.key", trusted=trusted, development=True)


def _make(folder: Path) -> None:
    draft = folder.with_name(f".{folder.name}-draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    argv = [*_NEW, "-subj", f"/CN={DEVELOPMENT}", "-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
    run([*argv, "-keyout", str(draft / "key.pem"), "-out", str(draft / "cert.pem")], timeout_s=120)
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)


def _issue(folder: Path) -> None:
    draft = folder / ".signer.pem"
    argv = [*_NEW, "-CA", str(folder / "cert.pem"), "-CAkey", str(folder / "key.pem")]
    argv += ["-subj", f"/CN={DEVELOPMENT}: signer", "-addext", "basicConstraints=critical,CA:FALSE"]
    argv += ["-addext", "keyUsage=critical,digitalSignature", "-addext", f"{PURPOSE},{PURPOSE_BEFORE}"]
    run([*argv, "-keyout", str(folder / "signer.key"), "-out", str(draft)], timeout_s=120)
    draft.rename(folder / "signer.pem")


def _check_trusted(file: Path, trusts: Sequence[str]) -> None:
    for pem in trusts:
        if not _lasts(pem, LASTS_DAYS):
            raise ImageProblem(
                f"{file}: {_words(pem)} expires within ten years, and an appliance that trusts it takes no update "
                "afterward. Trust a CA that is valid for longer, and sign with a certificate of that CA"
            )
        if "CA:TRUE" not in _extensions(pem) and not _signs_code(pem):
            raise ImageProblem(f"{file}: {_words(pem)} is neither a CA nor for signing code ({PURPOSE})")


def _check_signer(file: Path) -> None:
    pem = _blocks(file, "CERTIFICATE")[0]
    if not _lasts(pem, 0):
        raise ImageProblem(f"{file}: {_words(pem)} has expired, so every appliance would refuse the bundle: renew it")
    if not _signs_code(pem):
        raise ImageProblem(
            f"{file}: {_words(pem)} is not for signing code, so every appliance would refuse the bundle: make one with "
            f"{PURPOSE}"
        )


def _check_revoked(file: Path, trusts: Sequence[str]) -> None:
    """OpenSSL requires a valid revocation list of each trusted certificate; without it everything is refused."""
    lists = _blocks(file, "X509 CRL")
    for pem in trusts:
        own = [one for one in lists if _issued(pem, one)]
        if not own:
            raise ImageProblem(f"{file} has no list of {_words(pem)}, so an appliance would refuse all it signed")
        for one in own:
            ends = _ends(one)
            if ends is not None and ends < dt.datetime.now(dt.UTC) + dt.timedelta(days=LASTS_DAYS):
                raise ImageProblem(
                    f"{file}: the list of {_words(pem)} ends {ends:%Y-%m-%d}, and an appliance takes no update "
                    "afterward. Make one that is valid for ten years and more (openssl ca -gencrl -crldays)"
                )


def _blocks(file: Path, kind: str) -> list[str]:
    """The parts of a PEM file of this kind. Raises ImageProblem if there are none."""
    text = file.read_text(errors="replace")
    found = re.findall(rf"-----BEGIN {kind}-----\n.*?\n-----END {kind}-----\n?", text, re.DOTALL)
    if not found:
        raise ImageProblem(f"{file} contains no {kind} in PEM form")
    return [f"{one.strip()}\n" for one in found]


def _words(pem: str) -> str:
    said = _openssl("x509", "-noout", "-fingerprint", "-sha256", "-subject", pem=pem)
    lines = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
    name = lines.get("subject", "").strip() or "no name"
    fingerprint = next((value for word, value in lines.items() if "ingerprint" in word), "")
    return f"{name}, certificate SHA-256 {fingerprint.replace(':', '').lower()}"


def _lasts(pem: str, days: int) -> bool:
    argv = ["openssl", "x509", "-noout", "-checkend", str(days * 86400)]
    return subprocess.run(argv, input=pem, check=False, capture_output=True, text=True).returncode == 0


def _extensions(pem: str) -> str:
    return _openssl("x509", "-noout", "-ext", "basicConstraints,extendedKeyUsage", pem=pem)


def _signs_code(pem: str) -> bool:
    return "Code Signing" in _extensions(pem)


def _issued(certificate: str, revoked: str) -> bool:
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as issuer:
        issuer.write(certificate)
        issuer.flush()
        argv = ["openssl", "crl", "-noout", "-CAfile", issuer.name]
        done = subprocess.run(argv, input=revoked, check=False, capture_output=True, text=True)
    return done.returncode == 0 and "verify OK" in done.stderr


def _ends(revoked: str) -> dt.datetime | None:
    said = _openssl("crl", "-noout", "-nextupdate", pem=revoked).strip().removeprefix("nextUpdate=")
    return None if said == "NONE" else dt.datetime.strptime(said, "%b %d %H:%M:%S %Y %Z").replace(tzinfo=dt.UTC)


def _openssl(*words: str, pem: str) -> str:
    try:
        done = subprocess.run(
            ["openssl", *words],
            input=pem,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise ImageProblem(f"openssl {words[0]} failed: is this PEM form? ({error})") from error
    return done.stdout
