"""From words to a command and its values. An error shows the usage of that command."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from lunette.cli.errors import UsageError
from lunette.cli.registry import NAMES, commands_of
from lunette.cli.spec import EVERYWHERE, Command, Param, all_params

_GLOBAL = {param.name: param for param in EVERYWHERE}


class Asked(NamedTuple):
    """A parsed command line: a command with its values, or help on a word ('' for all)."""

    word: str
    command: Command | None
    values: dict[str, Any]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message[:1].upper() + message[1:], f"{self.prog} --help")


def parse(argv: Sequence[str]) -> Asked:
    """Finds the command and its values. Raises UsageError."""
    leading, rest = _leading(list(argv))
    if not rest:
        if "--help" in leading or not leading:
            return Asked("", None, {})
        raise UsageError(f"{leading[0]} requires a command")
    word, rest = rest[0], rest[1:]
    if word not in NAMES:
        raise UsageError(f"Unknown command {word!r}{_similar(word, NAMES)}")
    verbs = commands_of(word)
    if "" in verbs:
        return _parse_command(word, verbs[""], leading + rest)
    more, rest = _leading(rest)
    leading += more
    if not rest:
        return Asked(word, None, {})
    if rest[0] not in verbs:
        raise UsageError(
            f"Unknown verb {rest[0]!r} of `lunette {word}`{_similar(rest[0], verbs)}", f"lunette {word} --help"
        )
    return _parse_command(word, verbs[rest[0]], leading + rest[1:])


def _leading(words: list[str]) -> tuple[list[str], list[str]]:
    """The options before the next plain word, and the rest."""
    found: list[str] = []
    while words and words[0].startswith("-") and words[0] != "-":
        name = "--help" if words[0] == "-h" else words[0]
        param = _GLOBAL.get(name.split("=", 1)[0])
        if param is None:
            raise UsageError(f"Unknown option {words[0]} before the command")
        found.append(name)
        words = words[1:]
        if not param.flag and "=" not in name:
            if not words:
                raise UsageError(f"{name} requires a value")
            found.append(words[0])
            words = words[1:]
    return found, words


def _similar(word: str, known: Any) -> str:
    import difflib

    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]}?" if close else ""


def _parse_command(word: str, command: Command, words: list[str]) -> Asked:
    if "--help" in words or "-h" in words:
        return Asked(word, command, {"help": True})
    parser = _Parser(prog=f"lunette {word} {command.name}".rstrip(), add_help=False, allow_abbrev=False)
    params = all_params(command)
    for param in params:
        _add(parser, param)
    values = vars(parser.parse_intermixed_args(_joined(words, params)))
    for param in params:
        if param.required and values[param.key] in (None, []):
            parser.error(f"{param.name} is required")
    if values["json"] and values["yaml"]:
        parser.error("--json and --yaml are mutually exclusive")
    return Asked(word, command, values)


def _joined(words: Sequence[str], params: Sequence[Param]) -> list[str]:
    """`--sort -name` as `--sort=-name`: a value may begin with a dash if it is not an option."""
    taking = {param.name for param in params if param.is_option and not param.flag}
    options = {param.name for param in params}
    found: list[str] = []
    for word in words:
        if found and found[-1] in taking and word.startswith("-") and word not in options:
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


def _reader(param: Param) -> Callable[[str], Any]:
    """How a value is read. Errors have our own wording, which does not change with Python's version."""

    def one_of(text: str) -> str:
        if text not in param.words:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(param.words)}")
        return text

    def number(text: str) -> int:
        if not text.lstrip("-").isdecimal():
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
        return int(text)

    if param.words:
        return one_of
    return number if param.number else str


def _add(parser: argparse.ArgumentParser, param: Param) -> None:
    if param.flag:
        parser.add_argument(param.name, dest=param.key, action="store_true")
        return
    options: dict[str, Any] = {"metavar": param.shown, "type": _reader(param)}
    if param.is_option:
        options |= {"dest": param.key, "default": param.default, "action": "append" if param.many else "store"}
    else:
        options["nargs"] = ("*" if param.optional else "+") if param.many else ("?" if param.optional else None)
    parser.add_argument(param.name if param.is_option else param.key, **options)
