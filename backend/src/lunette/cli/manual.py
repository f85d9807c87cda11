"""The manual page and the reference, made from the same records as the parser.

`python -m lunette.cli.manual` writes docs/reference/cli.md, and, for the web page, the commands of each operation and
how a request becomes a command (with --check it only compares); `--share FOLDER` writes lunette.1 and the scripts of
the shells below a /usr/share, when an image is built.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lunette.cli.completing import SCRIPTS
from lunette.cli.exits import MEANINGS
from lunette.cli.help import described, usage
from lunette.cli.registry import GROUPS, Group, commands_of
from lunette.cli.spec import EVERYWHERE, Command, Param, documented, purpose_of
from lunette.client.generated.operations import OPERATIONS

REFERENCE = Path(__file__).parents[4] / "docs/reference/cli.md"
OF_OPERATIONS = Path(__file__).parents[4] / "frontend/src/features/reference/commands.gen.json"
OF_REQUESTS = Path(__file__).parents[4] / "frontend/src/changes/commands/commands.gen.json"
SHELL_PLACES = {"bash": "bash-completion/completions/lunette", "zsh": "zsh/vendor-completions/_lunette"}
"""Where the shells of Debian look, below /usr/share."""
_OF_A_PERSON = {"access", "second_factor"}
"""Modules of commands that ask people for their own passwords and codes."""
ABOUT = (
    "lunette administers Lunette storage appliances: disks, arrays, volumes, and the hosts that use them.",
    "Sizes are written as 10GiB or 10G (binary) or 10GB (decimal). Objects are identified by name or ID.",
    (
        "Changes that take long run as jobs on the appliance. lunette follows a job with a progress bar; if lunette is "
        "interrupted, the job continues. A command that destroys data shows its plan and asks for the name of the "
        "object. Without a terminal, it refuses and names the option that confirms instead."
    ),
)
FINDING = (
    "lunette uses the first appliance that it finds in this order: the option --appliance, LUNETTE_URL, "
    "LUNETTE_APPLIANCE, the default of the configuration file, and, for root on an appliance, that appliance itself, "
    "over a Unix socket that only root can open and that needs no password. Actions of root over this socket are "
    "recorded as root@local."
)
FILES = {
    "~/.config/lunette/config.toml": "Appliances that `lunette login` stored, with their API tokens. Only the owner "
    "may have access to the file. `default` is the name of the default appliance; each section [appliances.NAME] "
    "contains url, token and fingerprint.",
    "/run/lunette-api/local.sock": "Socket of the API for root on an appliance.",
}
ENVIRONMENT = {
    "LUNETTE_APPLIANCE": "Name of an appliance in the configuration file, or its address.",
    "LUNETTE_URL": "Address of the appliance, or unix:PATH.",
    "LUNETTE_TOKEN": "API token for LUNETTE_URL.",
    "LUNETTE_FINGERPRINT": "SHA-256 fingerprint of the trusted certificate of LUNETTE_URL.",
    "NO_COLOR": "If set, the output has no colors.",
}
EXAMPLES = (
    ("lunette login https://192.0.2.10:8443", "Trust an appliance and log in."),
    ("lunette array layouts --disk A --disk B --disk C --disk D", "Compare the possible layouts of four disks."),
    ("lunette volume create lun%02d --array tank --size 2T --count 8", "Create eight volumes, all or none."),
    ("lunette volume grow lun01 3T", "Grow a volume while its host uses it."),
    ("lunette mapping create --volume lun01 --host esx1", "Map the volume to a host."),
    ("lunette why lun01 esx1", "Find out why the host does not see the volume."),
    ("lunette volume list --json | jq -r '.[].name'", "Use the output in a script."),
)


def man_page() -> str:
    """lunette.1 in the man macros."""
    lines = ['.TH LUNETTE 1 "" "Lunette" "Lunette"', ".SH NAME", "lunette \\- administer a Lunette storage appliance"]
    lines += [".SH SYNOPSIS", ".B lunette", ".I NOUN VERB", "[\\fIOPTIONS\\fR]", ".SH DESCRIPTION"]
    lines += _paragraphs(ABOUT)
    lines += [".SH GLOBAL OPTIONS", *_tagged(EVERYWHERE), ".SH COMMANDS"]
    for group in GROUPS:
        lines += [f'.SS "lunette {group.word}"', _roff(group.purpose)]
        for command in commands_of(group.word).values():
            lines += _man_command(group, command)
    lines += [".SH SELECTION OF THE APPLIANCE", ".PP", _roff(FINDING), ".SH EXIT STATUS"]
    for code, meaning in MEANINGS.items():
        lines += [".TP", f".B {code}", _roff(meaning)]
    for title, named in (("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES)):
        lines.append(f".SH {title}")
        for name, text in named.items():
            lines += [".TP", f".B {_roff(name)}", _roff(text)]
    lines.append(".SH EXAMPLES")
    for line, text in EXAMPLES:
        lines += [".TP", f".B {_roff(line)}", _roff(text)]
    return "\n".join(lines) + "\n"


def _man_command(group: Group, command: Command) -> Iterator[str]:
    own = _own(command)
    yield from (
        ".TP",
        f".B {_roff(usage(group.word, command))}",
        _roff(f"{purpose_of(command)} {command.more}".strip()),
    )
    if own:
        yield ".RS"
        yield from _tagged(own)
        yield ".RE"


def _own(command: Command) -> tuple[Param, ...]:
    """The parameters of a command in addition to those of every command."""
    return tuple(param for param in documented(command) if param not in EVERYWHERE)


def _tagged(params: tuple[Param, ...]) -> Iterator[str]:
    for param in params:
        value = "" if param.flag else f" \\fI{_roff(param.shown)}\\fR"
        name = f"\\fB{_roff(param.name)}\\fR{value}" if param.is_option else f"\\fI{_roff(param.shown)}\\fR"
        yield from (".TP", name, _roff(described(param)))


def _paragraphs(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        yield from (".PP", _roff(text))


def _roff(text: str) -> str:
    """Literal text: no line is a request, every dash can be copied, letters beyond ASCII are named."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("«", "\\(Fo").replace("»", "\\(Fc").replace("~", "\\(ti").replace("^", "\\(ha")
    return f"\\&{text}" if text.startswith(".") else text


def reference() -> str:
    """docs/reference/cli.md."""
    lines = [
        "# The command line",
        "",
        "Generated by `make generate` from the commands. The manual page lunette(1) has the same content.",
        "",
        "The appliance has no viewer for manual pages: use `lunette NOUN VERB --help` there. On other machines,",
        "`python -m lunette.cli.manual --share ~/.local/share` installs the page for `man`.",
    ]
    for text in (*ABOUT, FINDING):
        lines += ["", text]
    lines += ["", "## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in MEANINGS.items()]
    lines += ["", "## Global options, before or after the noun", "", *_options(EVERYWHERE)]
    for title, named in (("Environment", ENVIRONMENT), ("Files", FILES)):
        lines += ["", f"## {title}", "", *(f"* `{name}`: {text}" for name, text in named.items())]
    lines += ["", "## Examples", "", "```", *(f"{line:<66}# {text}" for line, text in EXAMPLES), "```"]
    for group in GROUPS:
        lines += ["", f"## lunette {group.word}", "", group.purpose]
        for command in commands_of(group.word).values():
            text = f"{purpose_of(command)} {command.more}".strip()
            lines += ["", "```", usage(group.word, command), "```", "", text]
            if own := _own(command):
                lines += ["", *_options(own)]
    return "\n".join(lines) + "\n"


def of_operations() -> str:
    """JSON: for each operation of the API the usage of every command that calls it, one per line."""
    lines: dict[str, list[str]] = {}
    for group in GROUPS:
        for command in commands_of(group.word).values():
            for operation in command.operations:
                lines.setdefault(operation, []).append(usage(group.word, command))
    texts = {operation: "\n".join(lines[operation]) for operation in sorted(lines)}
    return json.dumps(texts, indent=2) + "\n"


def of_requests() -> str:
    """JSON: for each operation that changes something the command that sends it, and which parameter gives which field.

    A parameter that the command reads from a place of its own, such as the name of a file to write, has no field.
    """
    found: dict[str, dict[str, Any]] = {}
    own = set()
    for group in GROUPS:
        if group.module in _OF_A_PERSON:
            continue
        for command in commands_of(group.word).values():
            for operation in command.operations:
                is_own = operation == command.operations[0] and operation not in own
                own |= {operation} if is_own else set()
                if OPERATIONS[operation].method != "GET" and (is_own or operation not in found):
                    found[operation] = {"command": f"{group.word} {command.name}".rstrip(), **_fields(command)}
    return json.dumps({one: found[one] for one in sorted(found)}, indent=1) + "\n"


def _fields(command: Command) -> dict[str, Any]:
    params = [_field(command, param) for param in command.params]
    if command.cascades:
        params.append({"name": "--cascade", "fields": ["cascade"], "sets": True})
    return {"params": params, **({"follows": command.follows} if command.follows else {})}


def _field(command: Command, param: Param) -> dict[str, Any]:
    """What differs from a parameter that takes one value for one field."""
    is_local = param.path and not param.field
    found: dict[str, Any] = {"name": param.name, "fields": [] if is_local else [param.field or param.key, *param.also]}
    if param.repeats:
        (repeated,) = (one for one in command.params if one.key == param.repeats)
        found["repeats"] = repeated.field or repeated.key
    elif param.flag:
        found["sets"] = param.sets
    marks = {
        "null": param.null,
        "factor": param.factor if param.factor != 1 else 0,
        "isMany": param.many,
        "isNumber": param.number,
        "isFile": param.file,
        "isDocument": param.path and bool(param.field),
        "isRest": param.is_rest,
        "isNeeded": param.required or not (param.is_option or param.optional),
    }
    return found | {name: value for name, value in marks.items() if value}


def _options(params: tuple[Param, ...]) -> Iterator[str]:
    for param in params:
        value = "" if param.flag or not param.is_option else f" {param.shown}"
        name = param.name if param.is_option else param.shown
        yield f"* `{name}{value}`: {described(param)}"


def main() -> int:
    """Writes what is requested."""
    parser = argparse.ArgumentParser(prog="python -m lunette.cli.manual", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the reference is out of date")
    parser.add_argument(
        "--share", type=Path, help="write the manual page and the completion scripts below this /usr/share"
    )
    options = parser.parse_args()
    if options.share:
        _write(options.share / "man/man1/lunette.1", man_page())
        for shell, place in SHELL_PLACES.items():
            _write(options.share / place, SCRIPTS[shell])
        return 0
    texts = {REFERENCE: reference(), OF_OPERATIONS: of_operations(), OF_REQUESTS: of_requests()}
    if not options.check:
        for path, text in texts.items():
            _write(path, text)
        return 0
    stale = [path for path, text in texts.items() if not path.is_file() or path.read_text() != text]
    for path in stale:
        sys.stderr.write(
            f"{path} is out of date: the commands have changed. Run `make generate` and commit the file.\n"
        )
    return 1 if stale else 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
