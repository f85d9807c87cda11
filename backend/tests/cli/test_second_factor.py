"""`lunette second-factor`, and logging in with a code, as typed by a user who reads what is shown."""

import base64
import getpass
import io
import json
import re
import sys
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from backend.tests.cli.appliance import PASSWORD, Cli
from backend.tests.cli.test_access import cli, https, log_in
from lunette.api.auth.passwords import LoginLimit
from lunette.cli import exits
from lunette.cli.screen import Screen
from lunette.client import fetch_fingerprint

__all__ = ["cli", "https"]


class Person:
    """Sits at a terminal with an authenticator app, and types what is asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.key, self.codes, self.shown = b"", list[str](), list[str]()
        self.asked: list[str] = []
        note = Screen.note

        def read(screen: Screen, text: str, style: str = "") -> None:
            if secret := re.fullmatch("Secret for the authenticator app: ([A-Z2-7]+)", text):
                self.key = base64.b32decode(secret[1])
            note(screen, text, style)

        monkeypatch.setattr(Screen, "note", read)
        monkeypatch.setattr(Screen, "can_ask", True)
        monkeypatch.setattr(getpass, "getpass", self.answer)

    def answer(self, question: str) -> str:
        self.asked.append(question.rstrip(": "))
        if "app shows now" in question:
            return TOTP(self.key, 6, SHA1(), 30).generate(int(time.time())).decode()
        return self.codes.pop(0)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.setattr(LoginLimit, "attempt", lambda *_given: None)
    return Person(monkeypatch)


def test_a_life_with_a_second_factor(cli: Cli, https: str, person: Person, tmp_path: Path) -> None:
    assert log_in(cli, https).code == 0
    password = ("--password-file", str(cli.folder / "password"))
    made = cli("second-factor", "set-up", *password)
    assert made.code == 0, made.err
    person.codes = made.out.split()
    assert len(person.codes) == 10
    assert "otpauth://totp/" in made.err
    assert cli("whoami").code == 0, "the remembered token goes on"

    assert log_in(cli, https).code == 0
    assert person.asked[-1] == "Code from the authenticator app, or a recovery code"
    (tmp_path / "code").write_text("000000\n")
    wrong = log_in(cli, https, "--code-file", str(tmp_path / "code"))
    assert (wrong.code, "used before" in wrong.err) == (exits.NOT_ALLOWED, True)

    renewed = cli("--json", "second-factor", "renew-codes", *password)
    assert renewed.code == 0, renewed.err
    fresh = json.loads(renewed.out)["recovery_codes"]
    assert set(fresh).isdisjoint(person.codes)
    person.codes = fresh
    (tmp_path / "new").write_text("another-long-password\n")
    there = ("--password-file", str(cli.folder / "password"), "--new-password-file", str(tmp_path / "new"))
    back = ("--password-file", str(tmp_path / "new"), "--new-password-file", str(cli.folder / "password"))
    for files in (there, back):
        changed = cli("password", *files)
        assert (changed.code, person.asked[-1][:12]) == (0, "Another code"), changed.err
    removed = cli("second-factor", "remove", *password)
    assert (removed.code, "only the password" in removed.err) == (0, True)
    assert log_in(cli, https).code == 0


def test_the_first_login_sets_one_up_where_it_is_required(cli: Cli, https: str, person: Person) -> None:
    assert log_in(cli, https).code == 0
    try:
        assert cli("setting", "set", "--require-second-factor").code == 0
        entered = log_in(cli, https)
        assert (entered.code, "must be set up now" in entered.err) == (0, True)
        assert len(entered.out.split()) == 10
        assert "has_second_factor: yes" in cli("user", "show", "admin").out
        own = cli("user", "set", "admin", "--remove-second-factor")
        assert (own.code, "another administrator" in own.err) == (exits.NOT_ALLOWED, True)
        own = cli("user", "set", "admin", "--password-file", str(cli.folder / "password"))
        assert (own.code, "`lunette password`" in own.err) == (exits.CONFLICT, True)
    finally:  # the appliance is that of other tests, too
        cli("setting", "set", "--second-factor-optional")
        person.codes = entered.out.split()
        removed = cli("second-factor", "remove", "--password-file", str(cli.folder / "password"))
    assert removed.code == 0, removed.err
    assert log_in(cli, https).code == 0
    assert PASSWORD not in entered.out + entered.err


def test_a_new_password_sets_one_up_too_where_it_is_required(cli: Cli, https: str, person: Person) -> None:
    """Else the old token would have ended with the password, and no other could be made."""
    assert log_in(cli, https).code == 0
    (cli.folder / "new").write_text("another-long-password\n")
    files = [str(cli.folder / "password"), str(cli.folder / "new")]
    codes = list[str]()
    try:
        assert cli("setting", "set", "--require-second-factor").code == 0
        changed = cli("password", "--password-file", files[0], "--new-password-file", files[1])
        assert (changed.code, "must be set up now" in changed.err) == (0, True), changed.err
        codes = changed.out.split()
        assert cli("whoami").code == 0
    finally:
        cli("setting", "set", "--second-factor-optional")
        person.codes = codes
        back = cli("password", "--password-file", files[1], "--new-password-file", files[0])
        removed = cli("second-factor", "remove", "--password-file", files[0])
    assert (back.code, removed.code) == (0, 0), back.err + removed.err


def test_standard_input_is_read_for_one_secret(cli: Cli, https: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}\n"))
    once = cli("login", https, "--fingerprint", fetch_fingerprint(https), "--password-file", "-", "--name", "lab")
    assert once.code == 0, once.err
    (cli.folder / "new").write_text("another-long-password\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}\n"))
    twice = cli("password", "--password-file", "-", "--new-password-file", "-")
    assert (twice.code, "Standard input is already used for --password-file" in twice.err) == (exits.USAGE, True)
