"""The screen: addresses of the appliance, how to verify its identity, and its health. Pure text of 80 x 24."""

import textwrap
from ipaddress import ip_address

from lunette.client import JsonObject
from lunette.console.terminal import COLUMNS

PORT = 8443
_COLUMN = 19
_WIDTH = COLUMNS - _COLUMN - 2
HALF = 48
"""Characters of a fingerprint in one line: 16 bytes, each with its colon."""
_MOST_ADDRESSES = 4


def screen(status: JsonObject | None, certificate: str, password: str, *, live: bool, interfaces: int = 0) -> str:
    """The text; `status` is None while the API does not answer. `interfaces`: number of interfaces with a link, for the
    hint.
    """
    title = "Lunette storage appliance"
    lines = [("Health", "the API does not answer yet; trying again automatically")]
    if status is not None:
        title += f" {status['version']}: {status['name']}"
        lines = [*_addresses(status, interfaces), *_certificate(certificate), ("Health", str(status["sentence"]))]
    if password:
        lines += [("User", "admin"), ("One-time password", f"{password} (to be changed at first login)")]
    if live:
        lines.append(("Mode", "live: the configuration is lost at power-off"))
    body = [
        f"  {name if number == 0 else '':<{_COLUMN}}{part}"
        for name, text in lines
        for number, part in enumerate(textwrap.wrap(text, _WIDTH, break_on_hyphens=False) or [""])
    ]
    return "\n".join(["", title[:COLUMNS], "", *body, ""])


def _addresses(status: JsonObject, interfaces: int) -> list[tuple[str, str]]:
    found = [ip_address(one) for one in status["addresses"]]
    # The API listens on IPv4.
    shown = [f"https://{one}:{PORT}" for one in found if one.version == 4 and not one.is_loopback]
    if not shown:
        why = "does a DHCP server answer?" if interfaces else "no interface has a link: is a cable plugged in?"
        return [("Web address", f"none yet; {why}")]
    more = [f"and {len(shown) - _MOST_ADDRESSES} more"] if len(shown) > _MOST_ADDRESSES else []
    return [("Web address", shown[0]), *(("", one) for one in [*shown[1:_MOST_ADDRESSES], *more])]


def _certificate(fingerprint: str) -> list[tuple[str, str]]:
    """One line is too long for 80 columns."""
    if not fingerprint:
        return []
    return [("Certificate", f"SHA-256 {fingerprint[:HALF]}"), ("", fingerprint[HALF:])]
