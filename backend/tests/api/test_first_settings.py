"""The time zone that was chosen at installation is that of the first start, and changes nothing later."""

from pathlib import Path

from lunette.api.appliance.first_settings import take_installed_zone
from lunette.store.database import Store
from lunette.store.settings import read_settings, settings_row


def zone(store: Store) -> str:
    with store.read() as tx:
        return read_settings(tx).time_zone


def test_the_zone_is_taken_once_and_its_file_is_deleted(sqlite_store: Store, tmp_path: Path) -> None:
    file = tmp_path / "installed-time-zone"
    take_installed_zone(sqlite_store, file)
    assert zone(sqlite_store) == "UTC"
    file.write_text("Europe/Berlin\n")
    take_installed_zone(sqlite_store, file)
    assert zone(sqlite_store) == "Europe/Berlin"
    assert not file.exists()


def test_a_file_that_a_power_cut_left_changes_no_setting(sqlite_store: Store, tmp_path: Path) -> None:
    file = tmp_path / "installed-time-zone"
    with sqlite_store.write() as tx:
        row = settings_row(tx)
        row.document = {**row.document, "time_zone": "Asia/Tokyo"}
        tx.add(row)
    file.write_text("Europe/Berlin\n")
    take_installed_zone(sqlite_store, file)
    assert zone(sqlite_store) == "Asia/Tokyo"
    assert not file.exists()


def test_an_unknown_time_zone_prevents_no_start(sqlite_store: Store, tmp_path: Path) -> None:
    file = tmp_path / "installed-time-zone"
    file.write_text("Mars/Olympus\n")
    take_installed_zone(sqlite_store, file)
    assert zone(sqlite_store) == "UTC"
    assert not file.exists()
