"""`lunette user logins` and `user end-login`: who is logged in with a browser, and how that is ended."""

import json
from pathlib import Path

import httpx2

from backend.tests.cli.appliance import PASSWORD, appliance
from lunette.cli import exits


def test_the_logins_are_listed_and_one_is_ended(tmp_path: Path, sqlite_url: str) -> None:
    with appliance(tmp_path, sqlite_url) as cli:
        made = httpx2.post(f"{cli.url}/api/v1/login", json={"username": "admin", "password": PASSWORD})
        assert made.status_code == 200, made.text
        (login,) = json.loads(cli("user", "logins", "--json").out)
        assert (login["username"], login["address"], login["is_own"]) == ("admin", "127.0.0.1", False)
        assert "admin" in cli("user", "logins").out
        planned = cli("user", "end-login", login["id"], "--dry-run")
        assert "admin" in planned.out, planned.transcript
        assert cli("user", "end-login", login["id"]).code == exits.OK
        assert json.loads(cli("user", "logins", "--json").out) == []
        again = cli("user", "end-login", login["id"])
        assert (again.code, "may have ended" in again.err) == (exits.NOT_FOUND, True), again.transcript
