"""The screen, the menu below it, and what each key does. No input ends the program."""

from collections.abc import Callable
from dataclasses import dataclass, field

from lunette.console import network, tasks
from lunette.console.backends import Problem, words_of
from lunette.console.state import Places, Watch, current_screen
from lunette.console.terminal import Cancelled, Terminal, shortened

Task = Callable[[Terminal], None]
FOREVER_S = 1e9


@dataclass(frozen=True)
class Entry:
    """One line of the menu: either key does it."""

    number: str
    letter: str
    text: str
    task: Task = field(repr=False)


def entries(places: Places, install: Task) -> list[Entry]:
    """The available entries. Only a system that runs from the ISO can be installed."""
    found = [
        Entry("1", "n", "network repair", lambda terminal: network.repair(terminal, places)),
        Entry("2", "p", "reset admin's password", lambda terminal: tasks.reset_password(terminal, places)),
        Entry("3", "h", "health and alerts", lambda terminal: tasks.look(terminal, places)),
        Entry("4", "r", "restart or power off", lambda terminal: tasks.power(terminal, places)),
        Entry("5", "s", "shell", _shell),
    ]
    return [*found, Entry("6", "i", "install on this machine", install)] if places.is_live else found


def menu_lines(found: list[Entry]) -> list[str]:
    """Two entries per line, so that screen and menu fit on 24 lines."""
    cells = [f"{one.number} or {one.letter}  {one.text}" for one in found]
    return [f"  {left:<40}{right}".rstrip() for left, right in zip(cells[::2], [*cells[1::2], ""], strict=False)]


class Menu:
    """One console."""

    def __init__(self, terminal: Terminal, found: list[Entry], watch: Watch) -> None:
        self._terminal, self._entries, self._watch = terminal, found, watch

    def run(self) -> None:
        """Runs forever. Raises HungUp once the terminal is gone."""
        while True:
            shown = self._watch.text
            self._terminal.say(*shown.split("\n"), *menu_lines(self._entries), "")
            try:
                key = self._terminal.read_line(
                    "Type a number or letter, then Enter: ", FOREVER_S, until=self._changed_since(shown)
                )
            except Cancelled:
                continue
            if key is None:
                self._terminal.say("")
            elif key.strip():
                self._do(key.strip().lower())

    def _changed_since(self, shown: str) -> Callable[[], bool]:
        return lambda: self._watch.text != shown

    def _do(self, key: str) -> None:
        entry = next((one for one in self._entries if key in (one.number, one.letter)), None)
        if entry is None:
            self._terminal.say(f"{shortened(key)} is not one of the choices.")
            return
        try:
            entry.task(self._terminal)
        except Cancelled:
            self._terminal.say("Canceled.")
        except Problem as problem:
            self._refused(words_of(problem))
        self._watch.look_now()

    def _refused(self, words: list[str]) -> None:
        try:
            self._terminal.show("", *words, "")
            self._terminal.pause()
        except Cancelled:
            pass


def _shell(terminal: Terminal) -> None:
    if tasks.shell(terminal):
        tasks.become_login(terminal)


def start(places: Places, install: Task) -> None:
    """The menu on the terminal of this process."""
    with Terminal() as terminal:
        watch = Watch(lambda: current_screen(places), "\nLunette storage appliance\n\n  The appliance is starting.\n")
        watch.start()
        Menu(terminal, entries(places, install), watch).run()
