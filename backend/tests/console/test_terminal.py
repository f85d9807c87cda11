"""Questions on a terminal, as a person types: every key there is, and none of them ends the program."""

import termios
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from backend.tests.typist import Typist
from lunette.console.terminal import COLUMNS, MAX_INPUT, PAGE, Cancelled, HungUp, Terminal

made: list[Typist] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while made:
        made.pop().close()


def typist(program: Callable[[Terminal], Any], idle_s: float = 20.0) -> Typist:
    """A person at the terminal of this program."""

    def on(fd: int) -> Any:
        with Terminal(fd, fd, idle_s=idle_s) as terminal:
            return program(terminal)

    made.append(Typist(on))
    return made[-1]


def asked(keys: bytes, *, secret: bool = False) -> tuple[str, str]:
    """The answer to a question, and what was shown."""
    person = typist(lambda terminal: terminal.ask("Name:", secret=secret))
    person.until("Name: ")
    person.send(keys)
    return person.ended(), person.until("\n")


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (b"shelf\r", "shelf"),
        (b"  shelf \n", "shelf"),
        (b"shelg\x7ff\r", "shelf"),
        (b"\x7f\x08shelf\r", "shelf"),
        (b"wrong\x15shelf\r", "shelf"),
        (b"sh\x1b[Ae\x1bOPl\x1b[15~f\r", "shelf"),
        (b"\x00\x07\tshelf\x12\x13\x11\r", "shelf"),
        ("Köln\x7f\x7fü\r".encode(), "Köü"),
        (b"\xff\xfeshelf\r", "shelf"),
        (b"x" * (MAX_INPUT + 500) + b"\r", "x" * MAX_INPUT),
        (b"\r", ""),
    ],
)
def test_keys_become_a_line(keys: bytes, answer: str) -> None:
    assert asked(keys)[0] == answer


def test_a_secret_is_never_shown() -> None:
    answer, shown = asked(" correct horsé ".encode() + b"\r", secret=True)
    assert answer == " correct horsé "
    assert shown == "*" * len(answer) + "\n"


def test_the_second_half_of_a_line_end_answers_no_question() -> None:
    person = typist(lambda terminal: (terminal.ask("One:"), terminal.ask("Two:")))
    person.until("One: ")
    person.send(b"1\r\n")
    person.until("Two: ")
    person.send(b"2\r\n")
    assert person.ended() == ("1", "2")


@pytest.mark.parametrize(
    "key", [b"\x03", b"\x04", b"\x1c", b"\x1a"], ids=["ctrl-c", "ctrl-d", "ctrl-backslash", "ctrl-z"]
)
def test_a_signal_key_ends_the_question_and_nothing_else(key: bytes) -> None:
    person = typist(lambda terminal: terminal.ask("Name:"))
    person.until("Name: ")
    person.send(b"half" + key)
    with pytest.raises(Cancelled):
        person.ended()


def test_a_question_without_an_answer_ends() -> None:
    person = typist(lambda terminal: terminal.ask("Name:"), idle_s=0.2)
    with pytest.raises(Cancelled):
        person.ended()


def test_a_closed_terminal_is_distinguished_from_a_key() -> None:
    person = typist(lambda terminal: terminal.ask("Name:"))
    person.until("Name: ")
    person.hang_up()
    with pytest.raises(HungUp):
        person.ended()


def test_what_was_typed_ahead_confirms_nothing() -> None:
    def program(terminal: Terminal) -> tuple[str, bool]:
        first = terminal.ask("Name:")
        return first, terminal.is_typed("Type erase:", "erase")

    person = typist(program)
    person.until("Name: ")
    person.send(b"shelf\rerase\r")
    person.until("Type erase: ")
    person.send(b"\r")
    assert person.ended() == ("shelf", False)


@pytest.mark.parametrize("word", ["Erase", "erase it", "ERASE", "y", ""])
def test_only_the_very_word_confirms(word: str) -> None:
    person = typist(lambda terminal: terminal.is_typed("Type erase:", "erase"))
    person.reply("Type erase: ", word)
    assert person.ended() is False


def test_a_number_is_requested_until_it_is_one_of_them() -> None:
    person = typist(lambda terminal: terminal.choose("Disk", 2))
    for wrong in ("3", "0", "-1", "²", "one", "9" * 400):
        person.reply("Disk (1-2, Enter: none): ", wrong)
        person.until("is not one of the choices.")
    person.reply("Disk (1-2, Enter: none): ", "2")
    assert person.ended() == 2


def test_long_lines_and_many_of_them_stop_before_they_leave_the_screen() -> None:
    lines = ["word " * 40, *(f"line {number}" for number in range(60))]
    person = typist(lambda terminal: terminal.show(*lines))
    first = person.until("-- Enter: more -- ")
    assert first.count("\n") == PAGE
    assert max(map(len, first.split("\n"))) <= COLUMNS
    person.type("\r")
    person.until("-- Enter: more -- ")
    person.type("\r")
    person.until("line 59\n")
    person.ended()


def test_the_terminal_is_given_back_as_it_was() -> None:
    seen = []

    def on(fd: int) -> None:
        before = termios.tcgetattr(fd)
        with Terminal(fd, fd):
            seen.append(termios.tcgetattr(fd)[3] & termios.ISIG)
        seen.append(termios.tcgetattr(fd) == before)

    person = Typist(on)
    made.append(person)
    person.ended()
    assert seen == [0, True]
