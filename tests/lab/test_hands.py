"""The HTTP side of the hands; what they do is shown by the browser tests on a real machine."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from tests.lab.hands import offered
from tests.machines.model import MachineError
from tests.machines.pace import within


class _Machine:
    """Its disks can be pulled once."""

    def __init__(self) -> None:
        self.pulled: list[str] = []

    def pull(self, serial: str) -> str:
        if serial in self.pulled:
            raise MachineError(f"disk {serial} cannot be pulled: is it pulled already?")
        self.pulled.append(serial)
        return serial


def _ask(url: str, act: str, **what: str) -> tuple[int, str]:
    request = urllib.request.Request(f"{url}/{act}", json.dumps(what).encode(), method="POST")
    try:
        with urllib.request.urlopen(request, timeout=within(30)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_an_act_gets_its_arguments_and_its_answer_comes_back() -> None:
    machine = _Machine()
    with offered({"pull": machine.pull}) as url:
        assert _ask(url, "pull", serial="4000") == (200, "4000")
    assert machine.pulled == ["4000"]


@pytest.mark.parametrize(
    ("act", "words"),
    [("pull", "MachineError: disk 4000 cannot be pulled"), ("juggle", "KeyError: 'juggle'")],
)
def test_what_goes_wrong_is_reported_in_words_and_the_hands_go_on(act: str, words: str) -> None:
    with offered({"pull": _Machine().pull}) as url:
        _ask(url, "pull", serial="4000")
        status, answer = _ask(url, act, serial="4000")
        assert (status, words in answer) == (500, True)
        assert _ask(url, "pull", serial="6000") == (200, "6000")
