"""Refuses a breaking change of the API that CHANGELOG.md does not name: `python -m tests.run.api_changes [--check]`.

backend/api-v1.txt lists what a client may rely on, one promise per line: operations and the roles that may call them,
parameters, what may be sent and limits, what is returned, and the values of enums. It is generated from
backend/openapi.json. A promise is broken when its line would disappear, when a limit becomes narrower, or when
something new is required of a client. CHANGELOG.md must name a broken promise: its line in backticks, under
[Unreleased] in the section "Breaking changes of the API". Patterns, defaults and headers of responses are not compared.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tests.run.command import ROOT

DOCUMENT = ROOT / "backend/openapi.json"
PROMISES = ROOT / "backend/api-v1.txt"
CHANGELOG = ROOT / "CHANGELOG.md"
_SECTION = "### Breaking changes of the API"
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_CALLERS = ("public", "metrics", "viewer", "operator", "administrator")
"""Whom an operation serves, from the fewest rights to the most."""
Json = dict[str, Any]


def surface(document: Json) -> set[str]:
    """Every promise of a document."""
    schemas = document["components"]["schemas"]
    lines: set[str] = set()
    sent, returned = set[str](), set[str]()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            lines |= {*_operation(method.upper(), path, operation)}
            sent |= _schemas_of([operation.get("requestBody", {}), operation.get("parameters", [])], schemas)
            returned |= _schemas_of(operation["responses"], schemas)
    for name in sent:
        lines |= {*_sent(name, schemas[name])}
    for name in returned:
        lines |= {*_returned(name, schemas[name])}
    return lines


def broken(promised: Iterable[str], now: set[str]) -> list[str]:
    """The promises that `now` does not meet, and what it newly requires."""
    before = {*promised}
    known = {line.split()[1] for line in before}
    gone = {line.split()[1] for line in before - now if _is_whole(line)}
    found = [
        line for line in before - now if not _is_wider(line, now) and (_is_whole(line) or line.split()[1] not in gone)
    ]
    found += [line for line in now - before if " requires " in line and line.split()[1] in known]
    found += [line for line in now - before if _is_limit(line) and _is_new_limit(line, before)]
    found = [line for line in found if line in now or " requires " not in line]
    return sorted(found)


def named(changelog: str) -> str:
    """What the changelog says of breaking changes since the last version."""
    unreleased = changelog.partition("## [Unreleased]")[2].partition("\n## [")[0]
    return unreleased.partition(_SECTION)[2].partition("\n### ")[0]


def _operation(method: str, path: str, operation: Json) -> Iterator[str]:
    name = operation["operationId"]
    yield f"operation {name} {method} {path}"
    lowest = operation.get("x-role", _CALLERS[-1])
    yield from (f"operation {name} serves {caller}" for caller in _CALLERS[_CALLERS.index(lowest) :])
    for one in operation.get("parameters", ()):
        where = f"{one['in']}:{one['name']}"
        yield from (f"operation {name} takes {where} {kind}" for kind in _kinds(one["schema"]))
        yield from (f"operation {name} limit {limit}" for limit in _limits(where, one["schema"]))
        if one.get("required"):
            yield f"operation {name} requires {where}"
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        yield from (f"operation {name} takes {media} {kind}" for kind in _kinds(content["schema"]))
    for status, response in operation["responses"].items():
        kinds = [kind for content in response.get("content", {}).values() for kind in _kinds(content["schema"])]
        if int(status) < 400:
            yield f"operation {name} returns {status} {'|'.join(kinds) or 'nothing'}"


def _sent(name: str, schema: Json) -> Iterator[str]:
    """A client may send each of these kinds and words; more may be added."""
    yield from (f"sent {name} word {word}" for word in schema.get("enum", ()))
    for field, inner in schema.get("properties", {}).items():
        yield from (f"sent {name} takes {field} {kind}" for kind in _kinds(inner))
        yield from (f"sent {name} limit {limit}" for limit in _limits(field, inner))
    yield from (f"sent {name} requires {field}" for field in schema.get("required", ()))


def _returned(name: str, schema: Json) -> Iterator[str]:
    """A client finds each of these fields; words of closed sets may be added."""
    yield from (f"returned {name} word {word}" for word in schema.get("enum", ()))
    for field, inner in schema.get("properties", {}).items():
        yield f"returned {name} has {field} {'|'.join(_kinds(inner))}"
    yield from (f"returned {name} always {field}" for field in schema.get("required", ()))


def _limits(field: str, schema: Json) -> Iterator[str]:
    """Each limit of a field, and of the items of a list as those of `field[]`."""
    for one in (schema, *schema.get("anyOf", ())):
        yield from (f"{field} {key} {one[key]}" for key in (*_UPPER, *_LOWER) if key in one)
        if "items" in one:
            yield from _limits(f"{field}[]", one["items"])


def _kinds(schema: Json) -> list[str]:
    if "$ref" in schema:
        return [str(schema["$ref"]).rsplit("/", 1)[-1]]
    for either in ("anyOf", "oneOf", "allOf"):
        if either in schema:
            return [kind for one in schema[either] for kind in _kinds(one)]
    if "enum" in schema or "const" in schema:
        return [json.dumps(word) for word in schema.get("enum", [schema.get("const")])]
    if schema.get("type") == "array":
        return [f"[{kind}]" for kind in dict.fromkeys(_kinds(schema.get("items", {})))]
    return [str(schema.get("type", "anything"))]


def _schemas_of(part: Any, schemas: Json) -> set[str]:
    """The names of the schemas that a part of the document leads to, directly or not."""
    found: set[str] = set()
    names = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(part))
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            names += re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schemas[name]))
    return found


def _is_whole(line: str) -> bool:
    """Whether a line is the promise of an operation itself, without which its others mean nothing."""
    return line.startswith("operation ") and line.split()[2] in ("GET", "POST", "PUT", "PATCH", "DELETE")


def _is_limit(line: str) -> bool:
    return line.split()[2] == "limit"


def _same_limits(line: str, others: set[str]) -> list[float]:
    """The values that other lines give the limit of a line."""
    start = line.rpartition(" ")[0] + " "
    return [float(other[len(start) :]) for other in others if other.startswith(start)]


def _is_wider(line: str, now: set[str]) -> bool:
    """Whether a line that disappears is a limit that is wider now, or none any more."""
    if not _is_limit(line):
        return False
    start, _, value = line.rpartition(" ")
    is_upper = start.rpartition(" ")[2] in _UPPER
    return all((new >= float(value)) if is_upper else (new <= float(value)) for new in _same_limits(line, now))


def _is_new_limit(line: str, before: set[str]) -> bool:
    """Whether a limit appears on a field that was there without one."""
    side, name, _, field, *_ = line.split()
    taken = f"{side} {name} takes {field.partition('[')[0]} "
    return not _same_limits(line, before) and any(one.startswith(taken) for one in before)


def main() -> int:
    """Writes the promises, or with --check tells whether they are stale; 1 if one is broken without being named."""
    parser = argparse.ArgumentParser(prog="python -m tests.run.api_changes", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the file is stale")
    options = parser.parse_args()
    now = surface(json.loads(DOCUMENT.read_text()))
    promised = PROMISES.read_text().splitlines() if PROMISES.is_file() else []
    said = named(CHANGELOG.read_text())
    unnamed = [line for line in broken(promised, now) if f"`{line}`" not in said]
    if unnamed:
        listed = "\n  ".join(unnamed)
        sys.stderr.write(
            f"A client of today's API would break. Keep what was promised, or name each of these lines in CHANGELOG.md"
            f" under [Unreleased], {_SECTION}:\n  {listed}\n"
        )
        return 1
    text = "".join(f"{line}\n" for line in sorted(now))
    if not options.check:
        PROMISES.write_text(text)
    elif not PROMISES.is_file() or PROMISES.read_text() != text:
        sys.stderr.write(f"{PROMISES} is stale: run `make generate` and commit it.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
