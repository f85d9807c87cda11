"""`lunette alert`: shown, acknowledged, silenced, opened again."""

import json
from pathlib import Path

from backend.tests.cli.appliance import appliance
from lunette.cli import exits
from lunette.domain.alerts import Severity
from lunette.engine.alerts import board
from lunette.store.database import Store
from lunette.store.schema import utc_now

# Of a family that no loop keeps: an alert of an array that is not there would be resolved by the next look.
WARM = board.Cause(key="job.warm:a1", severity=Severity.WARNING, message="It is warm", cause="sun", fix="shade")


def test_an_alert_is_acknowledged_silenced_and_opened_again(
    tmp_path: Path, sqlite_store: Store, sqlite_url: str
) -> None:
    with appliance(tmp_path, sqlite_url) as lunette:
        with sqlite_store.write() as tx:
            board.raise_alert(tx, WARM, utc_now())
        (alert,) = json.loads(lunette("alert", "list", "--json").out)
        assert lunette("alert", "acknowledge", alert["id"], "--note", "a fan comes").code == exits.OK
        assert "a fan comes" in lunette("alert", "show", alert["id"]).out
        assert lunette("alert", "silence", alert["id"], "--hours", "8").code == exits.OK
        shown = json.loads(lunette("alert", "show", alert["id"], "--json").out)
        assert shown["silenced_until"] > shown["acknowledged_at"]
        assert lunette("alert", "reopen", alert["id"]).code == exits.OK
        shown = json.loads(lunette("alert", "show", alert["id"], "--json").out)
        assert (shown["acknowledged_by"], shown["silenced_until"]) == (None, None)
        assert lunette("alert", "silence", alert["id"]).code == exits.USAGE
