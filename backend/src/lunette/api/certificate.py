"""The certificate of the first start: self-signed, so clients trust it by its fingerprint until it is replaced."""

import datetime as dt
import hashlib
import os
import ssl
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFE = dt.timedelta(days=3650)
_SKEW = dt.timedelta(days=1)
"""An appliance whose clock is behind at first start must not make a certificate of the future."""


def ensure_certificate(cert: Path, key: Path, hostname: str, addresses: Iterable[str]) -> None:
    """Makes key and certificate where one is missing. The key is written first, readable by this user only."""
    if cert.exists() and key.exists():
        return
    private = ec.generate_private_key(ec.SECP256R1())
    cert.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_durably(key, _pem_key(private), 0o600)
    write_durably(cert, _self_signed(private, hostname, addresses).public_bytes(serialization.Encoding.PEM), 0o644)


def fingerprint(cert: Path) -> str:
    """SHA-256 of the first certificate of a PEM file, as pairs of hex digits."""
    first = cert.read_text().split("-----END CERTIFICATE-----")[0] + "-----END CERTIFICATE-----\n"
    digits = hashlib.sha256(ssl.PEM_cert_to_DER_cert(first[first.index("-----BEGIN") :])).hexdigest()
    return ":".join(digits[i : i + 2] for i in range(0, len(digits), 2)).upper()


def _self_signed(private: ec.EllipticCurvePrivateKey, hostname: str, addresses: Iterable[str]) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hostname[:64])])
    names: list[x509.GeneralName] = [x509.DNSName(one) for one in dict.fromkeys((hostname, "localhost"))]
    known = dict.fromkeys(ip_address(one) for one in ("127.0.0.1", "::1", *addresses))
    public = private.public_key()
    now = dt.datetime.now(dt.UTC)
    identifier = x509.SubjectKeyIdentifier.from_public_key(public)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + _LIFE)
        .add_extension(x509.SubjectAlternativeName([*names, *map(x509.IPAddress, known)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_signs_only(), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(private, hashes.SHA256())
    )


def _signs_only() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=False, crl_sign=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _pem_key(private: ec.EllipticCurvePrivateKey) -> bytes:
    return private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def write_durably(path: Path, data: bytes, mode: int) -> None:
    """Puts a file in place whole, on stable storage when it returns. Raises OSError, with the old one kept."""
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
