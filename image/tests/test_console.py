"""The screen of the ISO's consoles says what a person before the machine needs."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1] / "iso/root"
STATUS = {
    "version": "0.1.0",
    "name": "lunette",
    "addresses": ["127.0.0.1", "192.0.2.7", "192.0.2.8", "2001:db8::7"],
    "sentence": "All is well.",
}


def program() -> ModuleType:
    """The program of the ISO's tree."""
    spec = importlib.util.spec_from_file_location("lunette_console", ROOT / "usr/lib/lunette/console.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


def test_the_screen_names_every_address_the_certificate_the_health_and_the_password() -> None:
    text = program().screen(STATUS, "AB:CD", "abcd-efgh", live=True)
    parts = ("https://192.0.2.7:8443", "https://192.0.2.8:8443", "SHA-256 AB:CD", "All is well.", "abcd-efgh")
    for expected in parts:
        assert expected in text
    assert "127.0.0.1" not in text
    assert "2001:" not in text
    assert "forgotten at power-off" in text


def test_without_network_or_api_the_screen_says_so_and_invents_nothing() -> None:
    console = program()
    assert "no address" in console.screen(STATUS | {"addresses": ["127.0.0.1"]}, "AB", "", live=False)
    down = console.screen(None, "", "", live=False)
    assert "does not answer" in down
    assert "https://" not in down
    assert "One-time password" not in down
    assert "live" not in down


def test_what_agetty_would_replace_is_shown_as_it_is() -> None:
    assert r"a\\4b" in program().screen(STATUS | {"sentence": r"a\4b"}, "AB", "", live=False)


def test_the_issue_of_every_console_is_the_screen_and_the_unit_runs_it() -> None:
    assert (ROOT / "etc/issue").readlink() == Path("/run/lunette-console/issue")
    unit = (ROOT / "usr/lib/systemd/system/lunette-console.service").read_text()
    assert "RuntimeDirectory=lunette-console" in unit
    assert "/usr/lib/lunette/console.py" in unit
    presets = (ROOT / "usr/lib/systemd/system-preset/00-console.preset").read_text()
    assert "enable lunette-console.service" in presets.splitlines()
