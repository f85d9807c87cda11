"""The certificate as an answer: what anybody sees of it, never its key."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.certificates import Shown


class CertificateFacts(Answer):
    """What a certificate says of itself."""

    subject: str
    issuer: str
    names: tuple[str, ...]
    """Host names and addresses it is for."""
    not_before: datetime
    not_after: datetime
    fingerprint: str
    """SHA-256, as the console and browsers show it."""
    self_signed: bool
    chain: int
    """How many certificates of its signers come with it."""


class Certificate(CertificateFacts):
    """The certificate of the web page and the API."""

    replaceable: bool
    """False where the settings of the service name files elsewhere: it is replaced there."""
    previous: CertificateFacts | None
    """The one before, which can be had back."""


def facts(shown: Shown) -> CertificateFacts:
    return CertificateFacts(**vars(shown))
