"""The certificate of the web page and the API, without its private key."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.certificates import Shown


class CertificateFacts(Answer):
    """Contents of a certificate."""

    subject: str
    """Distinguished name of the subject (RFC 4514)."""
    issuer: str
    """Distinguished name of the issuer (RFC 4514)."""
    names: tuple[str, ...]
    """Host names and IP addresses for which the certificate is valid."""
    not_before: datetime
    """When the certificate becomes valid, in UTC."""
    not_after: datetime
    """When the certificate expires, in UTC."""
    fingerprint: str
    """SHA-256 fingerprint, as the console and browsers show it."""
    self_signed: bool
    """Whether issuer and subject are the same."""
    chain: int
    """Number of issuer certificates that the server sends with the certificate."""


class Certificate(CertificateFacts):
    """Certificate of the web page and the API."""

    replaceable: bool
    """Whether the certificate can be replaced over the API.

    `false` if the settings of the service name certificate files elsewhere. Replace those files instead.
    """
    previous: CertificateFacts | None
    """Previous certificate, which a revert restores. `null` if there is none."""


def facts(shown: Shown) -> CertificateFacts:
    return CertificateFacts(**vars(shown))
