"""The certificate of the web page and the API: checks of a certificate and its private key in PEM form."""

import datetime as dt
import hashlib
import ssl
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import pairwise
from typing import Annotated, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID
from pydantic import Field, SecretStr

from lunette.domain.base import Model
from lunette.domain.errors import FieldProblem, Invalid

RSA_BITS: Final = 2048
"""OpenSSL's security level 2, Debian's default, accepts no shorter RSA key."""
MAX_PEM: Final = 65536
CERT, KEY = "certificate", "private_key"


class CertificateReplace(Model):
    """Replacement of the certificate of the web page and the API."""

    certificate: Annotated[str, Field(min_length=1, max_length=MAX_PEM)]
    """Certificates in PEM form: the server's own first, then the certificate of each issuer in order."""
    private_key: Annotated[SecretStr, Field(min_length=1, max_length=MAX_PEM)]
    """Unencrypted private key of the server's certificate in PEM form. Never returned.

    An RSA key of at least 2048 bits, or an elliptic-curve key.
    """


@dataclass(frozen=True)
class Shown:
    """Contents of a certificate. `chain` is the number of issuer certificates sent with the certificate."""

    subject: str
    issuer: str
    names: tuple[str, ...]
    not_before: dt.datetime
    not_after: dt.datetime
    fingerprint: str
    self_signed: bool
    chain: int


def shown(pem: str) -> Shown:
    """Raises ValueError if there is no certificate in it."""
    chain = x509.load_pem_x509_certificates(pem.encode())
    leaf = chain[0]
    return Shown(
        subject=leaf.subject.rfc4514_string(),
        issuer=leaf.issuer.rfc4514_string(),
        names=tuple(_names(leaf)),
        not_before=leaf.not_valid_before_utc,
        not_after=leaf.not_valid_after_utc,
        fingerprint=_pairs(hashlib.sha256(leaf.public_bytes(serialization.Encoding.DER)).hexdigest()),
        self_signed=leaf.issuer == leaf.subject,
        chain=len(chain) - 1,
    )


def fingerprint(pem: str) -> str:
    """SHA-256 of the first certificate, as pairs of hex digits. Raises ValueError if there is none."""
    first = pem.split("-----END CERTIFICATE-----", maxsplit=1)[0] + "-----END CERTIFICATE-----\n"
    return _pairs(hashlib.sha256(ssl.PEM_cert_to_DER_cert(first[first.index("-----BEGIN") :])).hexdigest())


def check_pair(spec: CertificateReplace, now: dt.datetime) -> None:
    """Raises Invalid naming everything that is wrong with it. No value of the key is ever in the message."""
    chain, key, found = _read(spec)
    if key is not None:
        found += _weak(key)
    if chain:
        misfit = [*_match(chain, key.public_key())] if key is not None else []
        found += [*(misfit or _order(chain)), *_times(chain, now), *_use(chain[0])]
    if found:
        more = f" ({len(found) - 1} more problems are listed below)" if len(found) > 1 else ""
        words = f"The certificate was rejected, and nothing was changed: {found[0].message}{more}."
        raise Invalid(words, errors=found)


def uncovered(pem: str, reached_as: Iterable[str]) -> list[str]:
    """Those of these names and addresses that a browser would not find in the certificate."""
    names = [name.lower() for name in shown(pem).names]
    return [one for one in dict.fromkeys(reached_as) if one and not any(_covers(name, one.lower()) for name in names)]


def _covers(name: str, host: str) -> bool:
    if _is_address(host) or not name.startswith("*."):
        return name == host
    return host.partition(".")[2] == name[2:]


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _problem(field: str, message: str) -> FieldProblem:
    return FieldProblem(field=field, value=None, message=message)


def _read(
    spec: CertificateReplace,
) -> tuple[list[x509.Certificate], RSAPrivateKey | EllipticCurvePrivateKey | None, list[FieldProblem]]:
    found: list[FieldProblem] = []
    chain: list[x509.Certificate] = []
    key = None
    try:
        chain = x509.load_pem_x509_certificates(spec.certificate.encode())
    except ValueError:
        found.append(_problem(CERT, "it contains no certificate in PEM format (-----BEGIN CERTIFICATE-----)"))
    try:
        read = serialization.load_pem_private_key(spec.private_key.get_secret_value().encode(), password=None)
        if isinstance(read, RSAPrivateKey | EllipticCurvePrivateKey):
            key = read
        else:
            found.append(_problem(KEY, "it is neither an RSA nor an elliptic-curve key; browsers accept no other"))
    except TypeError:
        found.append(_problem(KEY, "it is encrypted; remove the passphrase first (openssl pkey -in key.pem)"))
    except (ValueError, UnsupportedAlgorithm):
        found.append(_problem(KEY, "it is not a private key in PEM format"))
    return chain, key, found


def _match(chain: Sequence[x509.Certificate], public: PublicKeyTypes) -> Iterator[FieldProblem]:
    matching = [index for index, one in enumerate(chain) if one.public_key() == public]
    if not matching:
        yield _problem(KEY, "it does not belong to this certificate")
    elif matching[0] > 0:
        yield _problem(CERT, f"the key belongs to certificate {matching[0] + 1}: put that certificate first")


def _weak(key: RSAPrivateKey | EllipticCurvePrivateKey) -> Iterator[FieldProblem]:
    if isinstance(key, RSAPrivateKey) and key.key_size < RSA_BITS:
        yield _problem(KEY, f"an RSA key of {key.key_size} bits is too short: use {RSA_BITS} bits or more")


def _order(chain: Sequence[x509.Certificate]) -> Iterator[FieldProblem]:
    for index, (one, signer) in enumerate(pairwise(chain), 1):
        try:
            one.verify_directly_issued_by(signer)
        except (ValueError, TypeError, InvalidSignature):
            message = (
                f"certificate {index + 1} did not sign certificate {index}: put the server certificate first, then each"
            )
            yield _problem(CERT, f"{message} certificate that signed the previous one")
            return


def _times(chain: Sequence[x509.Certificate], now: dt.datetime) -> Iterator[FieldProblem]:
    for index, one in enumerate(chain, 1):
        which = "it" if len(chain) == 1 else f"certificate {index}"
        if one.not_valid_after_utc <= now:
            yield _problem(CERT, f"{which} expired on {one.not_valid_after_utc:%Y-%m-%d %H:%M} UTC")
        if one.not_valid_before_utc > now:
            valid = f"{which} is not valid before {one.not_valid_before_utc:%Y-%m-%d %H:%M} UTC"
            yield _problem(CERT, f"{valid}, and the appliance's time is {now:%Y-%m-%d %H:%M} UTC")


def _use(leaf: x509.Certificate) -> Iterator[FieldProblem]:
    try:
        uses = leaf.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return
    if ExtendedKeyUsageOID.SERVER_AUTH not in uses and ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE not in uses:
        yield _problem(CERT, "it is not meant for servers (its extended key usage lacks serverAuth)")


def _names(leaf: x509.Certificate) -> Iterator[str]:
    try:
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return
    yield from names.get_values_for_type(x509.DNSName)
    yield from (str(one) for one in names.get_values_for_type(x509.IPAddress))


def _pairs(digits: str) -> str:
    return ":".join(digits[i : i + 2] for i in range(0, len(digits), 2)).upper()
