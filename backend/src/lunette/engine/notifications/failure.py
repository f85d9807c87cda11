"""Why a message was not taken, and what all channels trust."""

import ssl

TIMEOUT_S = 10.0
"""For each answer of a server; whoever tells has a thread of their own, so nobody else waits."""


class NotTold(Exception):
    """`was_answered`: the server is there and said no. Otherwise it may be there later."""

    def __init__(self, detail: str, *, was_answered: bool) -> None:
        super().__init__(detail)
        self.detail = detail
        self.was_answered = was_answered


def trust(trusted_ca: str | None) -> ssl.SSLContext:
    """The system's authorities and those of the settings; names are checked."""
    context = ssl.create_default_context()
    if trusted_ca is not None:
        context.load_verify_locations(cadata=trusted_ca)
    return context


def words_of(error: Exception, where: str) -> str:
    """Why nothing could be sent, with the address and what to look at."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the certificate of {where} is not trusted ({error.verify_message}); set trusted_ca to the certificate of "
            "its CA"
        )
    if isinstance(error, TimeoutError):
        return f"{where} does not answer within {TIMEOUT_S:.0f} s; check address, port and firewall"
    return f"{where} cannot be reached ({error}); check address, port and firewall"
