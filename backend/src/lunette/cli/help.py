"""Help on the terminal: on everything, on a noun, on one command. Made from the same records as the parser."""

import textwrap
from collections.abc import Iterator

from lunette.cli.registry import GROUPS, NAMES, commands_of
from lunette.cli.spec import EVERYWHERE, Command, Param, all_params, documented, purpose_of

WIDTH = 80
_ABOUT = "Administers a Lunette storage appliance."


def help_text(word: str, command: Command | None) -> str:
    """The help on a command, on a noun, or on everything."""
    if command is not None:
        return "\n".join(_of_command(word, command)) + "\n"
    return "\n".join(_of_noun(word) if word else _of_all()) + "\n"


def usage(word: str, command: Command) -> str:
    """`lunette volume grow VOLUME SIZE [OPTIONS]`."""
    words = ["lunette", word, command.name]
    params = all_params(command)
    for param in params:
        if not param.is_option:
            shown = param.shown + ("..." if param.many else "")
            words.append(f"[{shown}]" if param.optional else shown)
    words += [f"{param.name} {param.shown}" for param in params if param.required]
    return " ".join(filter(None, [*words, "[OPTIONS]"]))


def _of_all() -> Iterator[str]:
    yield from ("Usage: lunette NOUN VERB ... [OPTIONS]", "", _ABOUT, "")
    yield from _two_columns([(group.word, group.purpose) for group in GROUPS])
    yield from ("", "Global options:")
    yield from _two_columns([(_label(param), param.help) for param in EVERYWHERE])
    yield from ("", "See `lunette NOUN --help` for the verbs of a noun, `man lunette` for the manual.")


def _of_noun(word: str) -> Iterator[str]:
    yield from (f"Usage: lunette {word} VERB ... [OPTIONS]", "", NAMES[word].purpose, "")
    yield from _two_columns([(name, purpose_of(command)) for name, command in commands_of(word).items()])
    yield from ("", f"See `lunette {word} VERB --help` for the options of a verb.")


def _of_command(word: str, command: Command) -> Iterator[str]:
    yield f"Usage: {usage(word, command)}"
    yield ""
    yield from textwrap.wrap(f"{purpose_of(command)} {command.more}".strip(), WIDTH)
    params = documented(command)
    arguments = [(param.shown, _plain(described(param))) for param in params if not param.is_option]
    options = [(_label(param), _plain(described(param))) for param in params if param.is_option]
    if arguments:
        yield ""
        yield from _two_columns(arguments)
    yield from ("", "Options:")
    yield from _two_columns(options)


def _plain(text: str) -> str:
    """Without the markup of Markdown, which a terminal does not render."""
    return text.replace("`", "")


def _label(param: Param) -> str:
    return param.name if param.flag else f"{param.name} {param.shown}"


def described(param: Param) -> str:
    """The help on a parameter: its sentence, its choices if the usage hides them, whether it is required."""
    parts = [param.help]
    if param.words and param.shown != "|".join(param.words):
        parts.append(f"One of {', '.join(param.words)}.")
    if param.default is not None:
        parts.append(f"Default: {param.default}.")
    if param.required:
        parts.append("Required.")
    return " ".join(parts)


def _two_columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    left = min(max(len(label) for label, _ in rows), 28)
    for label, text in rows:
        wrapped = textwrap.wrap(text, WIDTH - left - 4) or [""]
        if len(label) > left:
            yield f"  {label}"
        else:
            yield f"  {label:<{left}}  {wrapped.pop(0)}"
        yield from (" " * (left + 4) + line for line in wrapped)
