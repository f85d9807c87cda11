"""Settings as the version before or after stored them: after an update that failed, each runs on rows of the other."""

import pytest
from sqlalchemy import select

from backend.tests.engine.test_notifications import Rig
from lunette.domain.settings import Settings
from lunette.engine.exports import exportset
from lunette.store.database import Store
from lunette.store.settings import SettingsRow, read_settings, settings_row


@pytest.fixture
def rig(sqlite_store: Store) -> Rig:
    return Rig(sqlite_store)


def test_only_what_differs_from_the_default_is_stored(rig: Rig) -> None:
    """The version before refuses a document with a setting that it does not have."""
    rig.set(time_zone="Europe/Berlin", history_days=400)
    with rig.store.read() as tx:
        assert tx.scalars(select(SettingsRow.document)).one() == {"time_zone": "Europe/Berlin"}
        assert read_settings(tx) == Settings(time_zone="Europe/Berlin")


def test_settings_of_a_newer_version_are_left_out(rig: Rig) -> None:
    with rig.store.write() as tx:
        row = settings_row(tx)
        row.document = {"time_zone": "Europe/Berlin", "not_here_yet": {"on": True}}
        tx.add(row)
    with rig.store.read() as tx:
        assert read_settings(tx).time_zone == "Europe/Berlin"
        exportset.build(tx, rig.store.box)
    assert rig.set(session_hours=3) == ["session_hours: 12 becomes 3"]
