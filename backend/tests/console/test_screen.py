"""The screen of the consoles and their menu: what a person before the machine needs, on 80 x 24."""

import re
from pathlib import Path

import pytest

from lunette.console.backends import Card
from lunette.console.menu import entries, menu_lines
from lunette.console.network import card_lines
from lunette.console.screen import screen
from lunette.console.state import Places
from lunette.console.tasks import health_lines, no_login
from lunette.console.terminal import ROWS, broken, safe

HERE = Path(__file__).parent
IMAGE = HERE.parents[2] / "image"
UNITS = IMAGE / "live/usr/lib/systemd/system"
FINGERPRINT = ":".join(f"{number:02X}" for number in range(32))
STATUS = {
    "version": "0.1.0",
    "name": "shelf-7",
    "addresses": ["127.0.0.1", "192.0.2.7", "192.0.2.8", "2001:db8::7"],
    "sentence": "All is well.",
    "health": "good",
    "counts": {"disks": 8, "arrays": 1, "volumes": 3, "hosts": 2, "sessions": None},
}
LONG = (
    "Array tank is degraded: disk ata-WDC_WUH721816ALE6L4_2CGV0ABC is missing, and the spare is too small to take over."
)
ALERTS = [
    {
        "severity": "warning",
        "message": "disk ata-B is worn to 91 %",
        "cause": "its wear level says so",
        "fix": "exchange it",
        "raised_at": "2026-11-20T08:15:00+00:00",
    },
    {
        "severity": "critical",
        "message": LONG,
        "cause": "it does not answer",
        "fix": "look at its cable",
        "raised_at": "2026-11-21T09:30:00+00:00",
    },
]
CARDS = [
    Card("enp1s0", "52:54:00:4c:55:01", True, ("192.0.2.7/24 (DHCP)",), "configured by 50-dhcp.network", None),
    Card("enp2s0", "52:54:00:4c:55:02", False, (), "not configured", None),
    Card("bond0", "", True, ("198.51.100.5/24", "2001:db8::5/64"), "static", None),
]


def whole(folder: Path, text: str, *, live: bool) -> list[str]:
    """Screen and menu as they are shown."""
    if not live:
        (folder / "run/live/data").mkdir(parents=True)
    return [*broken(text.split("\n")), *menu_lines(entries(Places(folder), lambda _: None)), ""]


SCREENS = {
    "live": (STATUS, "abcd-efgh-jkmn-pqrs", True),
    "installed": (STATUS | {"sentence": LONG}, "", False),
    "api-away": (None, "", False),
    "no-cable": (STATUS | {"addresses": ["127.0.0.1"]}, "", False),
    "many-addresses": (
        STATUS | {"addresses": [f"192.0.2.{n}" for n in range(1, 9)], "sentence": LONG},
        "abcd-efgh-jkmn-pqrs",
        True,
    ),
}
PAGES = {"interfaces": card_lines(CARDS), "health": health_lines(STATUS, ALERTS)}


def is_approved(name: str, lines: list[str]) -> None:
    assert "".join(f"{line}\n" for line in lines) == (HERE / "golden" / f"{name}.txt").read_text()
    assert max(len(line) for line in lines) <= 79
    assert "".join(lines).isascii()
    assert len(lines) < ROWS, "the prompt is the last line"


@pytest.mark.parametrize("name", SCREENS)
def test_screen_and_menu_are_as_approved_and_fit(name: str, tmp_path: Path) -> None:
    status, password, live = SCREENS[name]
    is_approved(name, whole(tmp_path, screen(status, FINGERPRINT, password, live=live), live=live))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_approved(name: str) -> None:
    is_approved(name, broken(PAGES[name]))


def test_loopback_and_ipv6_are_no_web_addresses() -> None:
    text = screen(STATUS, FINGERPRINT, "", live=False)
    assert re.findall(r"https://(\S+)", text) == ["192.0.2.7:8443", "192.0.2.8:8443"]


def test_without_an_answer_of_the_api_nothing_is_invented() -> None:
    down = screen(None, "", "", live=False)
    assert "does not answer" in down
    for word in ("https://", "SHA-256", "One-time password", "live"):
        assert word not in down


def test_a_missing_cable_and_a_missing_dhcp_server_are_distinguished() -> None:
    none = STATUS | {"addresses": []}
    assert "is a cable plugged in?" in screen(none, FINGERPRINT, "", live=False, interfaces=0)
    assert "does a DHCP server answer?" in screen(none, FINGERPRINT, "", live=False, interfaces=1)


def test_what_a_disk_calls_itself_steers_no_terminal() -> None:
    assert safe("tank\x1b[2J\x07\u202e 8 × 2") == "tank?[2J?? 8 x 2"


def test_only_a_system_that_runs_from_the_iso_can_be_installed(tmp_path: Path) -> None:
    assert "install on this machine" in "".join(whole(tmp_path, "", live=True))
    assert "install on this machine" not in "".join(whole(tmp_path, "", live=False))


PASSWD = "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/usr/sbin/nologin\n"


@pytest.mark.parametrize(
    ("root", "more", "why"),
    [
        ("*", "", "no account of this system has a password"),
        ("!", "", "no account of this system has a password"),
        ("!*", "", "no account of this system has a password"),
        ("!$y$j9T$salt$hash", "", "no account of this system has a password"),
        ("", "", "Account root has an empty password"),
        ("*", "guest::20000:0:99999:7:::\n", "Account guest has an empty password"),
        ("$y$j9T$salt$hash", "", None),
    ],
)
def test_a_login_is_offered_only_if_a_password_protects_it(root: str, more: str, why: str | None) -> None:
    shadow = f"root:{root}:20000:0:99999:7:::\ndaemon:*:20000:0:99999:7:::\n{more}"
    found = no_login(shadow, PASSWD + ("guest:x:1000:1000::/home/guest:/bin/sh\n" if more else ""))
    assert (found is None) if why is None else (found is not None and why in found)


@pytest.mark.parametrize("unit", ["getty@tty1.service.d", "serial-getty@.service.d"])
def test_the_menu_replaces_the_login_prompt_and_returns(unit: str) -> None:
    lines = (UNITS / unit / "lunette.conf").read_text().splitlines()
    at = lines.index("ExecStart=")
    assert lines[at + 1] == "ExecStart=/opt/lunette/bin/python3 -m lunette.console"
    for line in ("Restart=always", "StartLimitIntervalSec=0", "StandardInput=tty", "TTYPath=/dev/%I"):
        assert line in lines
    assert "enable getty@.service" in (IMAGE / "appliance/usr/lib/systemd/system-preset/01-image.preset").read_text()


def test_no_other_console_gets_the_menu() -> None:
    assert sorted(one.name for one in UNITS.glob("*getty*")) == ["getty@tty1.service.d", "serial-getty@.service.d"]
