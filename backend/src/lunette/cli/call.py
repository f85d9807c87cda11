"""One run of a command: its values, the appliance, and how to show the result."""

import getpass
import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lunette.cli.errors import NotConfirmed, UsageError
from lunette.cli.screen import Screen
from lunette.cli.spec import Command, JsonObject

if TYPE_CHECKING:
    from lunette.client import Client


class Call:
    """What the function of a command receives. `call["size"]` is the value of an argument or option."""

    def __init__(self, command: Command, values: Mapping[str, Any], screen: Screen, env: Mapping[str, str]) -> None:
        self.command, self.values, self.screen, self.env = command, values, screen, env
        self._stack = ExitStack()
        self._read_from_input: str | None = None

    def __enter__(self) -> "Call":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    @cached_property
    def client(self) -> "Client":
        """A client of the chosen appliance. Raises ConfigProblem or Unreachable."""
        from lunette.client import Client, find_endpoint

        return self._stack.enter_context(Client(find_endpoint(self["appliance"], self.env)))

    @property
    def dry_run(self) -> bool:
        return bool(self.values.get("dry_run"))

    @property
    def is_bare(self) -> bool:
        """True if the result is for a program."""
        return bool(self["json"] or self["yaml"])

    def secret(self, key: str, question: str = "", *, twice: bool = False) -> str | None:
        """The content of the file that an option names, or the answer to its question. Raises UsageError."""
        option = f"--{key.replace('_', '-')}"
        if self[key] == "-":
            if self._read_from_input is not None:
                raise UsageError(
                    f"Standard input is already used for {self._read_from_input}: specify a file for {option}"
                )
            self._read_from_input = option
        if self[key] is not None:
            return read_text(self[key]).rstrip("\n")
        if not question:
            return None
        if not self.screen.can_ask:
            raise UsageError(
                f'"{question}" cannot be asked without a terminal: use {option} FILE, or - for standard input'
            )
        typed = getpass.getpass(f"{question}: ")
        if twice and getpass.getpass(f"{question} again: ") != typed:
            raise NotConfirmed("The two entries differ")
        return typed

    def confirm(self, question: str, flag: str) -> None:
        """Asks yes or no. Raises UsageError without a terminal, NotConfirmed for no."""
        if not self.screen.can_ask:
            raise UsageError(f'"{question}" cannot be asked without a terminal: use {flag}')
        if self._ask(f"{question} [y/N]: ").lower() not in {"y", "yes"}:
            raise NotConfirmed("Nothing was changed")

    def confirm_name(self, name: str) -> None:
        """Requires typing a name, or --yes-destroy, before data is destroyed. Raises UsageError or NotConfirmed."""
        given = self["yes_destroy"]
        if given is not None:
            if given != name:
                raise UsageError(f"--yes-destroy names {given!r} instead of {name!r}. Nothing was changed")
            return
        if not self.screen.can_ask:
            raise UsageError(
                f"This destroys data. To confirm it without a terminal, use --yes-destroy {shlex.quote(name)}"
            )
        if self._ask(f"Type {name} to continue: ") != name:
            raise NotConfirmed("The name does not match. Nothing was changed")

    def confirm_volume(self, name: str, why: str) -> None:
        """Requires typing the name of a volume that hosts use or had. Raises UsageError or NotConfirmed."""
        if not self.screen.can_ask:
            raise UsageError(f"{why}. To confirm this without a terminal, use --confirm {name}")
        if self._ask(f"{why}. Type {name} to continue: ") != name:
            raise NotConfirmed("The name does not match. Nothing was changed")

    def _ask(self, question: str) -> str:
        self.screen.err.write(question)
        self.screen.err.flush()
        return self.screen.ask.readline().strip()

    def show(self, value: Any, text: "Any" = None) -> None:
        """The result: as JSON or YAML if requested, else by `text` (a function), else as a resource."""
        if self["json"]:
            self.screen.json(value)
        elif self["yaml"]:
            self.screen.yaml(value)
        elif text is not None:
            text(value)
        else:
            self.screen.resource(value)

    def outcome(self, answer: JsonObject, done: str = "") -> None:
        """The result of a change: its plan, its job after it has ended, or what was created or changed."""
        if self.dry_run:
            self.show(answer, self.screen.plan)
            return
        if "steps" in answer and "state" in answer and not self.values.get("no_wait"):
            answer = self.follow(answer)
        self.show(answer, lambda found: self._reported(found, done))

    def _reported(self, answer: JsonObject, done: str) -> None:
        if self.values.get("no_wait"):
            done = ""
        elif "steps" in answer:
            done = done or f"{answer['title']}: done."
        if done:
            self.screen.note(done)
        elif "items" in answer:
            self.screen.note(f"{len(answer['items'])} created.")
        else:
            self.screen.resource({key: value for key, value in answer.items() if key != "steps"})

    def follow(self, job: JsonObject) -> JsonObject:
        """Waits for a job with a progress bar on standard error. Raises JobFailed."""
        try:
            return self.client.wait(job, seen=self.screen.progress, deadline_s=float("inf"))
        except KeyboardInterrupt:
            self.screen.note(f"\nJob {job['id']} continues. Follow it with `lunette job wait {job['id']}`.")
            raise
        finally:
            self.screen.end_progress()


def read_text(path: str) -> str:
    """A file, or standard input for `-`. Raises UsageError."""
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
