"""Choices of the installation that are stored in the database at the first start."""

from pathlib import Path

import structlog
from pydantic import ValidationError

from lunette.domain.settings import Settings
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.settings import APPLIANCE, SettingsRow, document_of, settings_row


def take_installed_zone(store: Store, file: Path) -> None:
    """Sets the time zone of the file, if no setting was ever changed; the file is removed afterward."""
    try:
        name = file.read_text().strip()
    except FileNotFoundError:
        return
    try:
        settings = Settings(time_zone=name)
    except ValidationError:
        structlog.get_logger(__name__).warning("the time zone chosen at installation is unknown", name=name)
    else:
        with store.write() as tx:
            if tx.get(SettingsRow, APPLIANCE) is None:
                row = settings_row(tx)
                row.document = document_of(settings)
                tx.add(row)
                emit(tx, "setting.changed", f"the time zone is {name}, as chosen at installation", ref=APPLIANCE)
    file.unlink(missing_ok=True)
