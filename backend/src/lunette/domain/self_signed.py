"""The certificate that an appliance makes for itself, so that clients trust it by its fingerprint."""

import datetime as dt
from collections.abc import Iterable
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFE = dt.timedelta(days=3650)
_SKEW = dt.timedelta(days=1)
"""An appliance whose clock is behind at first start must not make a certificate of the future."""


def self_signed_pair(hostname: str, addresses: Iterable[str]) -> tuple[str, str]:
    """A new certificate and its key, in PEM form."""
    private = ec.generate_private_key(ec.SECP256R1())
    made = _self_signed(private, hostname, addresses).public_bytes(serialization.Encoding.PEM)
    return made.decode(), _pem_key(private).decode()


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
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem_key(private: ec.EllipticCurvePrivateKey) -> bytes:
    return private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
