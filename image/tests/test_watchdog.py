"""A system that hangs is reset by the machine's watchdog: in what the ISO installs, and nowhere else."""

from configparser import RawConfigParser
from pathlib import Path

IMAGE = Path(__file__).resolve().parents[1]
FOLDER = "etc/systemd/system.conf.d"
PRODUCTS = ("server", "appliance", "live")


def test_the_watchdog_is_fed_by_systemd_and_outlasts_a_disk_that_repeats_its_commands() -> None:
    settings = RawConfigParser()
    settings.optionxform = str  # type: ignore[assignment,method-assign]
    settings.read(IMAGE / "live" / FOLDER / "watchdog.conf")
    assert dict(settings["Manager"]) == {
        "RuntimeWatchdogSec": "3min",
        "RebootWatchdogSec": "10min",
        "CrashAction": "reboot",
    }


def test_a_server_of_others_and_the_images_of_tests_keep_what_they_have() -> None:
    reported = [
        file for tree in PRODUCTS for file in (IMAGE / tree).rglob("*.conf") if "WatchdogSec=" in file.read_text()
    ]
    assert reported == [IMAGE / "live" / FOLDER / "watchdog.conf"]


def test_no_driver_of_a_watchdog_is_excluded_and_none_of_software_is_loaded() -> None:
    for file in (file for tree in PRODUCTS for file in (IMAGE / tree).rglob("*.conf")):
        words = [line.split() for line in file.read_text().splitlines() if not line.startswith("#")]
        named = {word for line in words for word in line}
        assert not {word for word in named if word.endswith(("wdt", "_tco", "watchdog"))}, file
        assert "softdog" not in named, file
