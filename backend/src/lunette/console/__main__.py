"""`python3 -m lunette.console`: the menu on the terminal it is started on, for as long as that is there."""

import signal
import sys

from lunette.console.menu import start
from lunette.console.state import Places
from lunette.console.terminal import HungUp, Terminal


def install(terminal: Terminal) -> None:
    """The installer's questions; loaded when they are asked for."""
    from lunette.installer.dialogue import install as ask_and_install

    ask_and_install(terminal)


def main() -> int:
    """Returns when the terminal is gone; systemd starts it again."""
    for key in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(key, signal.SIG_IGN)
    try:
        start(Places(), install)
    except HungUp:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
