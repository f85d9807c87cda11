"""Entries of the menu in addition to network repair: password reset, health, restart and power-off, shell."""

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from lunette.client import JsonObject, Refused, Unreachable
from lunette.console.network import plan_lines
from lunette.console.state import Places
from lunette.console.terminal import Terminal

Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]
RESET = ("/opt/lunette/bin/lunette-api", "--reset-password")
LOGIN = "/bin/login"
SHADOW = Path("/etc/shadow")
PASSWD = Path("/etc/passwd")
UNITS = ("lunette-api", "lunette-agent")
_NO_SHELLS = ("nologin", "false", "sync")


def run(argv: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Runs a command without this terminal: it can neither read keys nor write over the screen."""
    return subprocess.run(
        list(argv), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
    )


def reset_password(terminal: Terminal, places: Places, command: Run = run) -> None:
    """Gives the user admin a one-time password, with the product's own command, which works with or without a running
    API.
    """
    terminal.say(
        "",
        "The user admin gets a one-time password, is an administrator again, and is logged out everywhere.",
        "API tokens and all other users do not change. The reset is recorded in the audit log.",
        "Anyone with access to this console can reset the password.",
        "",
    )
    if not terminal.is_typed("Type reset to continue:", "reset"):
        terminal.say("Nothing was changed.")
        return
    done = command(RESET)
    password = places.password()
    if done.returncode != 0 or not password:
        terminal.say("The password was NOT reset:", *_last_lines(done.stderr or done.stdout))
    else:
        terminal.say(
            "",
            "  User               admin",
            f"  One-time password  {password}",
            "",
            "It must be changed at the first login, and is shown above the menu until then.",
        )
    terminal.pause()


def look(terminal: Terminal, places: Places, command: Run = run) -> None:
    """Health in one sentence, and every alert with its cause and what to do."""
    try:
        with places.client() as client:
            status = client.get("/status")
            alerts = list(client.pages("alert_list", {"active": "true"}))
    except (Unreachable, Refused) as problem:
        terminal.show("", f"The status cannot be read: {problem}", "", *_units(command))
    else:
        terminal.show(*health_lines(status, alerts))
    terminal.pause()


def health_lines(status: JsonObject, alerts: Sequence[JsonObject]) -> list[str]:
    """The most severe alert first."""
    counts = status["counts"]
    known = [(name, counts[name]) for name in ("disks", "arrays", "volumes", "hosts", "sessions")]
    lines = ["", f"Health: {status['health']}. {status['sentence']}", ""]
    lines += ["  " + ", ".join(f"{'?' if number is None else number} {name}" for name, number in known), ""]
    order = ("critical", "warning")
    for one in sorted(alerts, key=lambda one: order.index(one["severity"]) if one["severity"] in order else len(order)):
        lines += [f"{str(one['severity']).upper()}: {one['message']}", f"  Why:     {one['cause']}"]
        lines += [f"  To do:   {one['fix']}", f"  Since:   {one['raised_at'][:16].replace('T', ' ')} UTC", ""]
    return lines if alerts else [*lines, "No active alerts.", ""]


def _units(command: Run) -> list[str]:
    """Whether the two programs run, and the last log lines of those that do not."""
    lines = []
    for unit in UNITS:
        state = command(["systemctl", "is-active", unit]).stdout.strip() or "unknown"
        lines.append(f"{unit} is {state}.")
        if state != "active":
            said = command(["journalctl", "--unit", unit, "--lines", "5", "--output", "cat", "--no-pager"])
            lines += [f"  {line}" for line in _last_lines(said.stdout)]
    return lines


def power(terminal: Terminal, places: Places, command: Run = run) -> None:
    """Restarts or shuts down cleanly, after the plan and a typed confirmation."""
    terminal.say("", " 1  restart", " 2  power off", "")
    number = terminal.choose("Which one?", 2)
    if number is None:
        return
    word, operation = ("restart", "appliance_restart") if number == 1 else ("off", "appliance_power_off")
    try:
        with places.client() as client:
            terminal.show(*plan_lines(client.operate(operation, dry_run=True)))
            if not terminal.is_typed(f"Type {word} to continue:", word):
                terminal.say("Nothing was changed.")
                return
            client.operate(operation)
    except Unreachable as problem:
        _power_without_api(terminal, word, str(problem), command)
        return
    terminal.say("Starting now: exports are closed in order.")
    terminal.pause()


def _power_without_api(terminal: Terminal, word: str, why: str, command: Run) -> None:
    """systemd closes the exports in the same order (lunette-exports.service); which hosts use them is unknown."""
    terminal.say(
        "",
        f"The API does not answer: {why}",
        "It is unknown which hosts use volumes now: these hosts lose access to them.",
        "Exports are still closed in order.",
    )
    if not terminal.is_typed(f"Type {word} to continue:", word):
        terminal.say("Nothing was changed.")
        return
    done = command(["systemctl", "--no-block", "reboot" if word == "restart" else "poweroff"])
    terminal.say(*(_last_lines(done.stderr) if done.returncode else ["Starting now."]))
    terminal.pause()


def shell(terminal: Terminal, shadow: Path = SHADOW, passwd: Path = PASSWD) -> bool:
    """True if a login may be offered here: only if an account has a password, and none has an empty one."""
    try:
        problem = no_login(shadow.read_text(), passwd.read_text())
    except OSError as error:
        problem = f"the accounts of this machine cannot be read: {error.strerror}"
    if problem is None:
        return True
    terminal.show("", *problem.split("\n"), "")
    terminal.pause()
    return False


def no_login(shadow: str, passwd: str) -> str | None:
    """Why no one can log in (shadow(5)); None if a login prompt is useful."""
    shells = {line.split(":")[0]: line.rpartition(":")[2] for line in passwd.splitlines() if line}
    hashes = dict(line.split(":")[:2] for line in shadow.splitlines() if line.count(":") > 1)
    people = {name: hashes.get(name, "!") for name, path in shells.items() if path.rpartition("/")[2] not in _NO_SHELLS}
    empty = [name for name, hashed in people.items() if not hashed]
    if empty:
        return f"Account {empty[0]} has an empty password: no shell is available until it has one or is locked."
    if all(hashed[:1] in ("!", "*") for hashed in people.values()):
        return (
            "No shell is available: no account of this system has a password, and root is locked.\nUse this menu for "
            "tasks at the console, and the web page or `lunette` for all others.\nAn installed appliance has a shell "
            "if root was given a password at installation."
        )
    return None


def become_login(terminal: Terminal) -> None:
    """Replaces this program by login(1), which ends after a minute or when the user logs out; then the menu returns.

    Raises OSError.
    """
    terminal.say("", "The menu is shown again after you log out.")
    terminal.give_back()
    for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGPIPE):  # a shell would inherit that
        signal.signal(ignored, signal.SIG_DFL)
    os.execv(LOGIN, [LOGIN])  # noqa: S606 - login asks for name and password itself


def _last_lines(text: str, most: int = 5) -> list[str]:
    return text.strip().splitlines()[-most:] or ["no reason was given: see the journal"]
