"""Observes the appliance in the background, so that keys are answered immediately even while the API hangs."""

import threading
from collections.abc import Callable
from pathlib import Path

from lunette.client import LOCAL, Client, ClientError, Endpoint, JsonObject
from lunette.console.screen import screen
from lunette.domain.certificates import fingerprint

PAUSE_S = 5.0
ANSWER_S = 60.0


class Places:
    """Paths on the appliance."""

    def __init__(self, root: Path = Path("/"), endpoint: Endpoint = LOCAL) -> None:
        self.endpoint = endpoint
        self._certificate = root / "var/lib/lunette/api/tls/cert.pem"
        self._password = root / "run/lunette-api/one-time-password"
        self._data = root / "run/live/data"
        self._net = root / "sys/class/net"

    @property
    def is_live(self) -> bool:
        """Where an installed system stores its permanent data."""
        return not self._data.is_dir()

    def fingerprint(self) -> str:
        """Empty if there is no certificate yet."""
        try:
            return fingerprint(self._certificate.read_text())
        except (OSError, ValueError):
            return ""

    def password(self) -> str:
        """The one-time password until it is changed."""
        try:
            return self._password.read_text().strip()
        except OSError:
            return ""

    def links(self) -> int:
        """Number of network adapters with an active link."""
        found = 0
        for card in self._net.glob("*/device"):
            try:
                found += (card.parent / "carrier").read_text().strip() == "1"
            except OSError:  # the kernel's answer while the interface is down
                continue
        return found

    def client(self, timeout_s: float = ANSWER_S) -> Client:
        """The API, as root of this machine."""
        return Client(self.endpoint, timeout_s)


def current_screen(places: Places) -> str:
    """The present screen of this machine."""
    status: JsonObject | None
    try:
        with places.client() as client:
            status = client.get("/status")
    except (ClientError, OSError, ValueError):
        status = None
    certificate = places.fingerprint() if status is not None else ""
    return screen(status, certificate, places.password(), live=places.is_live, interfaces=places.links())


class Watch(threading.Thread):
    """Keeps `text` up to date. Ends with the program."""

    def __init__(self, look: Callable[[], str], first: str, pause_s: float = PAUSE_S) -> None:
        super().__init__(daemon=True)
        self.text = first
        self._look, self._pause_s = look, pause_s
        self._now = threading.Event()

    def run(self) -> None:
        while True:
            try:
                self.text = self._look()
            except Exception as error:  # noqa: BLE001 - a screen that stopped would show wrong data
                self.text = f"\nLunette storage appliance\n\n  The screen cannot be displayed: {error!r}\n"
            self._now.wait(self._pause_s)
            self._now.clear()

    def look_now(self) -> None:
        """After something was changed."""
        self._now.set()
