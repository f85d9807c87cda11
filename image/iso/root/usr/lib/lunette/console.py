"""Writes the screen of the consoles: where the appliance is reached, how to know it is the right one, how it is.

The text is /run/lunette-console/issue, to which /etc/issue leads. When it changes, agetty is told, which shows it again
on every console where nobody has begun to log in.
"""

import subprocess
import time
from ipaddress import ip_address
from pathlib import Path

from lunette.api.certificate import fingerprint
from lunette.client import LOCAL, Client, ClientError, JsonObject

ISSUE = Path("/run/lunette-console/issue")
CERTIFICATE = Path("/var/lib/lunette/api/tls/cert.pem")
ONE_TIME_PASSWORD = Path("/run/lunette-api/one-time-password")
INSTALLED_DATA = Path("/run/live/data")
"""Where an installed system keeps what outlives it; live mode has nothing there."""
PAUSE_S = 5.0


def screen(status: JsonObject | None, certificate: str, password: str, *, live: bool) -> str:
    """The text; `status` is None while the API does not answer. agetty would take a backslash for a word of its own."""
    title, lines = "Lunette storage appliance", [("Health", "the API does not answer yet; it is asked again by itself")]
    if status is not None:
        title += f" {status['version']}: {status['name']}"
        found = [ip_address(one) for one in status["addresses"]]
        # The API listens on IPv4.
        addresses = [f"https://{one}:8443" for one in found if one.version == 4 and not one.is_loopback]
        addresses = addresses or ["no address: is a cable plugged in, and does a DHCP server answer?"]
        lines = [("Web address", addresses[0]), *(("", address) for address in addresses[1:])]
        lines += [("Certificate", f"SHA-256 {certificate}"), ("Health", str(status["sentence"]))]
    if password:
        lines += [("User", "admin"), ("One-time password", f"{password} (to be changed at first login)")]
    if live:
        lines.append(("Mode", "live: what is set up here is forgotten at power-off"))
    body = "\n".join(f"  {name:<19}{text}" for name, text in lines)
    return f"\n{title}\n\n{body}\n\n".replace("\\", "\\\\")


def current_screen() -> str:
    """The screen of this machine as it is now."""
    try:
        with Client(LOCAL, timeout_s=60.0) as client:
            status = client.get("/status")
        certificate = fingerprint(CERTIFICATE)
    except (ClientError, OSError, ValueError):
        status, certificate = None, ""
    try:
        password = ONE_TIME_PASSWORD.read_text().strip()
    except OSError:
        password = ""
    return screen(status, certificate, password, live=not INSTALLED_DATA.is_dir())


def main() -> None:
    """Runs until it is ended."""
    shown = ""
    while True:
        text = current_screen()
        if text != shown:
            draft = ISSUE.with_suffix(".new")
            draft.touch(0o600)
            draft.write_text(text)
            draft.replace(ISSUE)
            subprocess.run(["agetty", "--reload"], check=False)
            shown = text
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    main()
