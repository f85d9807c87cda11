"""Secrets at rest: sealed text gives nothing away, the key file is private and made once."""

import stat
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from lunette.domain.errors import Unavailable
from lunette.store.secrets import SecretBox


def test_what_is_sealed_opens_again_and_shows_nothing(box: SecretBox) -> None:
    sealed = box.seal(SecretStr("chap-secret-12"))
    assert "chap" not in sealed
    assert box.open(sealed).get_secret_value() == "chap-secret-12"
    assert box.seal(SecretStr("chap-secret-12")) != sealed


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "secret.key"
    sealed = SecretBox.at(path).seal(SecretStr("a"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert SecretBox.at(path).open(sealed).get_secret_value() == "a"
    assert [entry.name for entry in path.parent.iterdir()] == ["secret.key"]


def test_another_key_is_refused_in_words(box: SecretBox) -> None:
    with pytest.raises(Unavailable, match="another key"):
        SecretBox(Fernet.generate_key()).open(box.seal(SecretStr("a")))


def test_a_damaged_key_file_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    path.write_text("no key")
    with pytest.raises(Unavailable, match=r"secret\.key"):
        SecretBox.at(path)
