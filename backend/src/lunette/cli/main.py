"""Entry point of `lunette`: from words to an exit code. The codes and their meanings are in exits.py."""

import os
import sys
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING

from lunette.cli import exits
from lunette.cli.errors import CheckFailed, NotConfirmed, UsageError
from lunette.cli.help import help_text
from lunette.cli.parsing import Asked, parse
from lunette.cli.screen import Screen

if TYPE_CHECKING:
    from lunette.cli.spec import Command

COMPLETE = "__complete"
"""Called by the completion scripts; not a command for people."""


def main() -> int:
    """Runs the command line of this process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 shows ? and the command continues
    return run(sys.argv[1:], Screen(), os.environ)


def run(argv: Sequence[str], screen: Screen, env: Mapping[str, str]) -> int:
    """Runs one command and turns its errors into words and an exit code."""
    try:
        if argv and argv[0] == COMPLETE:
            from lunette.cli.completing import complete

            screen.out.write(complete(argv[1:], env))
            return exits.OK
        asked = parse(argv)
        if asked.command is None or asked.values.get("help"):
            return _help(asked, argv, screen)
        return _run(asked, asked.command, screen, env)
    except UsageError as wrong:
        return _wrong(wrong, "lunette --help", screen)
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except BrokenPipeError:
        # The reader closed our output early; Python must not report that at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.OK


def _wrong(wrong: UsageError, hint: str, screen: Screen) -> int:
    text = str(wrong)
    screen.note(text if text.endswith(("?", ".")) else f"{text}.", "red")
    screen.note(f"See `{wrong.hint or hint}`.")
    return exits.USAGE


def _help(asked: Asked, argv: Sequence[str], screen: Screen) -> int:
    """Requested help is a result; help because words are missing is a remark."""
    wanted = bool({"--help", "-h"} & set(argv))
    (screen.out if wanted else screen.err).write(help_text(asked.word, asked.command))
    return exits.OK if wanted else exits.USAGE


def _run(asked: Asked, command: "Command", screen: Screen, env: Mapping[str, str]) -> int:
    from lunette.cli.call import Call
    from lunette.cli.running import run as run_command
    from lunette.client.errors import ConfigProblem, JobFailed, Refused, StillRunning, Unreachable

    try:
        with Call(command, {**asked.values, "word": asked.word}, screen, env) as call:
            run_command(call)
    except UsageError as wrong:
        return _wrong(wrong, f"lunette {asked.word} {command.name}".rstrip() + " --help", screen)
    except Refused as error:
        screen.note("\n".join(error.lines()), "red")
        return exits.OF_PROBLEMS.get(error.kind, exits.REFUSED)
    except Unreachable as error:
        screen.note(f"{error}.", "red")
        return exits.UNREACHABLE
    except (JobFailed, StillRunning) as error:
        screen.note(str(error), "red")
        return exits.JOB_FAILED
    except ConfigProblem as error:
        screen.note(f"{error}.", "red")
        return exits.USAGE
    except CheckFailed:
        return exits.NOT_WELL
    except NotConfirmed as error:
        screen.note(f"{error}.")
        return exits.NOT_CONFIRMED
    return exits.OK
