"""Completion: `lunette completion bash|zsh` prints the script, which asks `lunette __complete` what could come next.

Words come from the same records as the parser, names of things from the appliance where it answers at once.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from lunette.cli.call import Call
from lunette.cli.registry import GROUPS, NAMES, commands_of
from lunette.cli.spec import EVERYWHERE, Command, Param, documented, purpose_of

PATIENCE_S = 3.0
MOST = 200
FILES = ":files"
"""The one line that tells the script to complete paths itself."""
NAMES_OF = {
    "disk": "id",
    "rdma-device": "id",
    "job": "id",
    "fc-port": "wwpn",
    "user": "username",
}
"""The field that names a thing, where it is not `name`."""

BASH = """\
# Completion of lunette for bash; made by `lunette completion bash`.
_lunette() {
    local line current
    current=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=()
    while IFS= read -r line; do
        if [ "$line" = ":files" ]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
            return
        fi
        COMPREPLY+=("${line%%$'\\t'*}")
    done < <(lunette __complete bash "$current" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}
complete -F _lunette lunette
"""
ZSH = """\
#compdef lunette
# Completion of lunette for zsh; made by `lunette completion zsh`.
_lunette() {
    local line
    local -a found
    while IFS= read -r line; do
        if [[ $line == ":files" ]]; then
            _files
            return
        fi
        found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done < <(lunette __complete zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    _describe lunette found
}
if [ "$funcstack[1]" = "_lunette" ]; then
    _lunette "$@"
else
    compdef _lunette lunette
fi
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH}


def script(call: Call) -> None:
    call.screen.out.write(SCRIPTS[call["shell"]])


def complete(words: Sequence[str], env: Mapping[str, str]) -> str:
    """What could stand where the cursor is, one a line, with a tab and a description. Never fails, never asks."""
    try:
        if words[:1] == ["bash"]:
            typed = split_line(words[1] if len(words) > 1 else "")
            return _lines(candidates(typed, env), _bash_prefix(typed[-1]))
        return _lines(candidates(list(words[2:]) or [""], env), 0)
    except Exception:  # noqa: BLE001 a person is typing: whatever is wrong is told when the command runs
        return ""


def _lines(found: Iterator[tuple[str, str]], cut: int) -> str:
    return "".join(f"{FILES}\n" if value == FILES else f"{value[cut:]}\t{text}\n" for value, text in found)


def split_line(line: str) -> list[str]:
    """The words after `lunette`, the last being the one the cursor stands in."""
    words = [re.sub(r"\\\\(.)|['\"]", r"\1", one) for one in re.findall(r"(?:\\\\.|'[^']*'?|\"[^\"]*\"?|[^\s])+", line)]
    if not line or line[-1].isspace():
        words.append("")
    return words[1:] or [""]


def _bash_prefix(word: str) -> int:
    """Letters bash has already put aside: to it, a word begins anew after a colon or an equals sign."""
    return max(word.rfind(":"), word.rfind("=")) + 1


def candidates(words: Sequence[str], env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What the last word could become, with a description each."""
    *before, current = words
    found = _after(before, current, env)
    seen = set()
    for value, text in found:
        if value.startswith(current) or value == FILES:
            if value not in seen:
                seen.add(value)
                yield value, text.splitlines()[0] if text else ""
            if len(seen) >= MOST:
                return


def _after(before: list[str], current: str, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    words = _without_globals(before)
    if before and before[-1] == "--appliance":
        yield from _appliances(env)
    elif not words:
        yield from ((group.word, group.purpose) for group in GROUPS)
        if current.startswith("-"):
            yield from ((param.name, param.help) for param in EVERYWHERE)
    elif words[0] in NAMES:
        verbs = commands_of(words[0])
        if "" in verbs:
            yield from _of_command(verbs[""], words[1:], current, _appliance(before), env)
        elif len(words) == 1:
            yield from ((name, purpose_of(command)) for name, command in verbs.items())
        elif words[1] in verbs:
            yield from _of_command(verbs[words[1]], words[2:], current, _appliance(before), env)


def _without_globals(words: list[str]) -> list[str]:
    """The words without what may stand anywhere before the noun."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == "--appliance":
            skip = True
        elif word not in {"--json", "--yaml"} and not word.startswith("--appliance="):
            kept.append(word)
    return kept


def _appliance(words: list[str]) -> str | None:
    for position, word in enumerate(words):
        if word.startswith("--appliance="):
            return word.split("=", 1)[1]
        if word == "--appliance" and position + 1 < len(words):
            return words[position + 1]
    return None


def _of_command(
    command: Command, given: list[str], current: str, appliance: str | None, env: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    params = documented(command)
    options = {param.name: param for param in params if param.is_option}
    last = options.get(given[-1]) if given else None
    if last is not None and not last.flag:
        yield from _values(last, appliance, env)
        return
    name, equals, _ = current.partition("=")
    if equals and name in options:
        yield from ((f"{name}={value}", text) for value, text in _values(options[name], appliance, env))
        return
    if current.startswith("-"):
        used = set(given)
        yield from ((p.name, p.help) for p in options.values() if p.many or p.name not in used)
        return
    expected = _next_argument(params, options, given)
    if expected is not None:
        yield from _values(expected, appliance, env)
    else:
        yield from ((p.name, p.help) for p in options.values() if p.name not in set(given))


def _next_argument(params: Sequence[Param], options: Mapping[str, Param], given: list[str]) -> Param | None:
    arguments = [param for param in params if not param.is_option]
    taken, skip = 0, False
    for word in given:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in options and not options[word].flag
        else:
            taken += 1
    if taken < len(arguments):
        return arguments[taken]
    return arguments[-1] if arguments and arguments[-1].many else None


def _values(param: Param, appliance: str | None, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if param.words:
        yield from ((word, "") for word in param.words)
    elif param.file or param.path:
        yield FILES, ""
    elif param.name == "--columns":
        return
    elif param.noun:
        yield from _names(param.noun, appliance, env)


def _names(noun: str, appliance: str | None, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The names of all things of a noun, if the appliance tells them at once."""
    from lunette.client import Client, find_endpoint

    operation = noun.replace("-", "_") + "_list"
    with Client(find_endpoint(appliance, env), PATIENCE_S) as client:
        for item in client.pages(operation, limit=MOST):
            if noun == "mapping":
                owner = item["host"] or item["host_group"]
                yield f"{item['volume']}/{owner}", f"LUN {item['lun']}, {item['state']}"
            else:
                yield str(item[NAMES_OF.get(noun, "name")]), _described(item)


def _described(item: Mapping[str, object]) -> str:
    parts = (item.get(key) for key in ("title", "level", "array", "volume", "os_type", "model", "role", "state"))
    return ", ".join(str(part) for part in parts if isinstance(part, str))


def _appliances(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    from lunette.client.finding import config_file, read_config

    _, known = read_config(config_file(env))
    yield from ((name, endpoint.url) for name, endpoint in known.items())


COMMANDS = {
    "completion": (
        Command(
            "",
            "Prints what makes a shell complete commands and names of things.",
            (),
            (Param("shell", "Which shell.", words=tuple(SCRIPTS)),),
            script,
            more="`lunette completion bash > ~/.local/share/bash-completion/completions/lunette`; the appliance "
            "has both installed.",
        ),
    ),
}
