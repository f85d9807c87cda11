"""Delivery failures, and the certificates that all channels trust."""

import ssl

TIMEOUT_S = 10.0
"""Timeout for each answer of a server; each channel has its own thread, so nothing else waits."""


class DeliveryFailed(Exception):
    """`was_answered`: the server answered and refused. Otherwise it may be reachable later."""

    def __init__(self, detail: str, *, was_answered: bool) -> None:
        super().__init__(detail)
        self.detail = detail
        self.was_answered = was_answered


def trust(trusted_ca: str | None) -> ssl.SSLContext:
    """The authorities of the system and those of the settings; host names are checked."""
    context = ssl.create_default_context()
    if trusted_ca is not None:
        context.load_verify_locations(cadata=trusted_ca)
    return context


def words_of(error: Exception, where: str, timeout_s: float = TIMEOUT_S) -> str:
    """Why nothing could be sent, with the address and what to check."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the certificate of {where} is not trusted ({error.verify_message}); set trusted_ca to the certificate of "
            "its CA"
        )
    if isinstance(error, TimeoutError):
        return f"{where} does not answer within {timeout_s:.0f} s; check address, port and firewall"
    return f"{where} cannot be reached ({error}); check address, port and firewall"
