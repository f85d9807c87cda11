"""Who signs updates: a key and certificate of the builder's choice, or a development key of this build cache.

The key never goes into an image. The certificate does: it is what the appliance trusts.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .cache import Cache
from .problem import ImageProblem
from .progress import run, say
from .tree import write_file

FOLDER = "usr/lib/lunette/updates"
DAYS = 36500
DEVELOPMENT = "Lunette development key"


@dataclass(frozen=True)
class Signer:
    """A certificate, and the key where bundles are to be signed with it."""

    certificate: Path
    key: Path | None
    development: bool

    def add_to(self, root: Path) -> None:
        """Let the tree trust this certificate, and say whose it is."""
        write_file(root / FOLDER / "keyring.pem", self.certificate.read_text())
        write_file(root / FOLDER / "trusts", f"{self.words()}\n")

    def words(self) -> str:
        """Whose signature it is, as a person reads it."""
        said = _openssl("x509", "-in", str(self.certificate), "-noout", "-fingerprint", "-sha256", "-subject")
        lines = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
        name = lines.get("subject", "").strip() or "no name"
        fingerprint = next((value for word, value in lines.items() if "ingerprint" in word), "")
        kind = "a development key, which everybody may have who built this image: " if self.development else ""
        return f"{kind}{name}, certificate SHA-256 {fingerprint.replace(':', '').lower()}"


def signer(cache: Cache, certificate: Path | None, key: Path | None) -> Signer:
    """The signer that the options name; without one the development key, made when it is first asked for."""
    if certificate is not None:
        for file in (certificate, key):
            if file is not None and not file.is_file():
                raise ImageProblem(f"{file} is not there: name the files of certificate and key in PEM form")
        return Signer(certificate.resolve(), key.resolve() if key else None, development=False)
    if key is not None:
        raise ImageProblem("--key without --cert: the image must know whom to trust, so name the certificate too")
    folder = cache.folder / "signing"
    with cache.lock("signing"):
        if not (folder / "cert.pem").is_file():
            say(f"updates: no --cert, so a development key is made in {folder}")
            _make(folder)
    return Signer(folder / "cert.pem", folder / "key.pem", development=True)


def _make(folder: Path) -> None:
    draft = folder.with_name(".tmp-signing")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:3072", "-noenc", "-sha256", "-days", str(DAYS)]
    argv += ["-subj", f"/CN={DEVELOPMENT}", "-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
    run([*argv, "-keyout", str(draft / "key.pem"), "-out", str(draft / "cert.pem")], timeout_s=120)
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)


def _openssl(*words: str) -> str:
    try:
        done = subprocess.run(["openssl", *words], check=True, capture_output=True, text=True, env={**os.environ})
    except (OSError, subprocess.CalledProcessError) as error:
        raise ImageProblem(f"openssl {words[0]} failed: is {words[2]} a certificate in PEM form? ({error})") from error
    return done.stdout
