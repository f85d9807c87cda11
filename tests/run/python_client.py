"""Writes backend/src/lunette/client/generated from backend/openapi.json: `python -m tests.run.python_client [--check]`.

Four modules: the closed sets of words, the shapes of what is sent and answered, one method for each operation, and the
texts of operations and their fields for the help of the command line.
"""

import argparse
import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.run.command import ROOT

DOCUMENT = ROOT / "backend/openapi.json"
FOLDER = ROOT / "backend/src/lunette/client/generated"
PREFIX = "/api/v1"
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_MADE = "Made from backend/openapi.json by `make generate`; do not edit."
Json = dict[str, Any]


def type_of(schema: Json, prefix: str = "") -> str:
    """The Python type of a schema; names of other schemas carry `prefix`."""
    if "$ref" in schema:
        return prefix + str(schema["$ref"].rsplit("/", 1)[-1])
    for either in ("anyOf", "oneOf"):
        if either in schema:
            return " | ".join(dict.fromkeys(type_of(one, prefix) for one in schema[either]))
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    if schema.get("type") == "array":
        return f"list[{type_of(schema.get('items', {}), prefix)}]"
    if schema.get("type") == "object":
        return "dict[str, Any]"
    return _SIMPLE.get(str(schema.get("type")), "Any")


def enums_text(schemas: Json) -> str:
    """Every closed set of words as a type, and as a tuple for what must list them."""
    lines = [f'"""The closed sets of words of the API. {_MADE}"""\n', "from typing import Literal\n"]
    for name, schema in schemas.items():
        if "enum" in schema:
            words = ", ".join(map(repr, schema["enum"]))
            lines += [f"{name} = Literal[{words}]", f"{_constant(name)} = ({words},)"]
    return "\n".join(lines) + "\n"


def types_text(schemas: Json) -> str:
    """Every object as a TypedDict. What the API accepts but does not need is NotRequired."""
    words = [name for name, schema in schemas.items() if "enum" in schema]
    lines = [
        f'"""The shapes of what the API takes and answers. {_MADE}"""\n',
        "from __future__ import annotations\n",
        "from typing import Any, Literal, NotRequired, TypedDict\n",
        "from lunette.client.generated.enums import (",
        *(f"    {name}," for name in sorted(words)),
        ")\n",
        f"__all__ = {sorted([*words, *(name for name in schemas if 'properties' in schemas[name])])!r}",
    ]
    for name, schema in schemas.items():
        if "properties" in schema:
            lines += ["", *_typed_dict(name, schema)]
    return "\n".join(lines) + "\n"


def _typed_dict(name: str, schema: Json) -> Iterator[str]:
    yield f"class {name}(TypedDict):"
    yield f'    """{_sentence(schema.get("description") or name)}"""\n'
    needed = set(schema.get("required", ()))
    for field, inner in schema["properties"].items():
        kind = type_of(inner)
        yield f"    {field}: {kind if field in needed else f'NotRequired[{kind}]'}"
        if "description" in inner:
            yield f'    """{_sentence(inner["description"])}"""'


def operations_text(document: Json) -> str:
    """The table of operations and a method for each."""
    found, schemas = list(_operations(document)), document["components"]["schemas"]
    lines = [
        f'"""The operations of the API: a table of them, and a method for each.\n\n{_MADE}\n"""\n',
        "from __future__ import annotations\n",
        "from abc import abstractmethod",
        "from collections.abc import Iterator, Mapping",
        "from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload\n",
        "if TYPE_CHECKING:",
        "    from io import BufferedReader\n",
        "    from lunette.client.generated import types as t\n\n",
        "class Operation(NamedTuple):",
        '    """How an operation is called, and what it may answer: a list, a plan first, a job."""\n',
        "    method: str",
        "    path: str",
        "    parameters: tuple[str, ...] = ()",
        "    query: tuple[str, ...] = ()",
        "    words: tuple[tuple[str, tuple[str, ...]], ...] = ()",
        '    """Query parameters that take certain words only."""',
        "    body: str = ''",
        "    if_match: bool = False",
        "    is_list: bool = False",
        "    dry_run: bool = False",
        "    job: bool = False",
        "    is_binary: bool = False\n\n",
        "OPERATIONS: dict[str, Operation] = {",
        *(f"    {name!r}: {_entry(method, path, operation, schemas)}," for name, method, path, operation in found),
        "}\n\n",
        "class Operations:",
        '    """A method for each operation. `dry_run=True` answers the plan and changes nothing."""\n',
        _ABSTRACT,
    ]
    for name, _, path, operation in found:
        if name not in {"event_stream", "login_create"}:
            lines += ["", *_method(name, path, operation)]
    return "\n".join(lines) + "\n"


_ABSTRACT = """\
    @abstractmethod
    def operate(self, operation_id: str, path: Mapping[str, str] | None = None, query: Mapping[str, Any] | None = None,
        body: Any = None, *, dry_run: bool = False) -> Any: ...

    @abstractmethod
    def pages(self, operation_id: str, query: Mapping[str, Any] | None = None, limit: int | None = None
        ) -> Iterator[Any]: ..."""


def texts_text(document: Json) -> str:
    """What each operation does, and what each of its parameters and fields of the body means, in one paragraph."""
    schemas = document["components"]["schemas"]
    found = {name: operation for name, _, _, operation in _operations(document)}
    summaries = {name: operation["summary"] for name, operation in found.items()}
    texts = {name: dict(_field_texts(operation, schemas)) for name, operation in found.items()}
    return (
        f'"""The texts of the API, read for help alone. {_MADE}"""\n\n'
        f"SUMMARIES: dict[str, str] = {summaries!r}\n\n"
        f"TEXTS: dict[str, dict[str, str]] = {texts!r}\n"
    )


def _field_texts(operation: Json, schemas: Json) -> Iterator[tuple[str, str]]:
    for one in operation.get("parameters", ()):
        if one["in"] != "header" and one["name"] not in {"dry_run", "confirm", "limit", "cursor", "offset", "fields"}:
            yield one["name"], _paragraph(one["description"])
    body = _body(operation)
    for name, inner in schemas[body]["properties"].items() if body else ():
        yield name, _paragraph(inner["description"])


def _operations(document: Json) -> Iterator[tuple[str, str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield operation["operationId"], method.upper(), path.removeprefix(PREFIX), operation


def _named(operation: Json, where: str) -> list[str]:
    return [one["name"] for one in operation.get("parameters", ()) if one["in"] == where]


def _is_list(operation: Json) -> bool:
    return "cursor" in _named(operation, "query")


def _is_binary(operation: Json) -> bool:
    content = operation["responses"].get("200", {}).get("content", {})
    return any(one["schema"].get("format") == "binary" for one in content.values())


def _asked(operation: Json) -> list[str]:
    paged = {"dry_run"} | ({"limit", "cursor", "offset", "fields"} if _is_list(operation) else set())
    return [name for name in _named(operation, "query") if name not in paged]


def _words(operation: Json, schemas: Json) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The query parameters that take certain words only, and the words."""
    found = []
    for one in operation.get("parameters", ()):
        kinds = one["schema"].get("anyOf", [one["schema"]])
        resolved = [schemas[kind["$ref"].rsplit("/", 1)[-1]] if "$ref" in kind else kind for kind in kinds]
        words = [word for kind in resolved for word in kind.get("enum", ())]
        words += ["true", "false"] if any(kind.get("type") == "boolean" for kind in resolved) else []
        if words and one["name"] in _asked(operation):
            found.append((one["name"], tuple(words)))
    return tuple(found)


def _entry(method: str, path: str, operation: Json, schemas: Json) -> str:
    facts: dict[str, Any] = {
        "parameters": tuple(_named(operation, "path")),
        "query": tuple(_asked(operation)),
        "words": _words(operation, schemas),
        "body": _body(operation) or "",
        "if_match": "If-Match" in _named(operation, "header"),
        "is_list": _is_list(operation),
        "dry_run": "dry_run" in _named(operation, "query"),
        "job": "202" in operation["responses"],
        "is_binary": _is_binary(operation),
    }
    given = "".join(f", {key}={value!r}" for key, value in facts.items() if value)
    return f"Operation({method!r}, {path!r}{given})"


def _body(operation: Json) -> str | None:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return str(content["schema"]["$ref"].rsplit("/", 1)[-1]) if content else None


def _method(name: str, path: str, operation: Json) -> Iterator[str]:
    item = [(one, "str") for one in _named(operation, "path")]
    body = _body(operation)
    file = "application/octet-stream" in operation.get("requestBody", {}).get("content", {})
    sent = ["file: BufferedReader"] if file else [f"body: t.{body}"] if body else []
    parts = ["self", *(f"{_safe(one)}: {kind}" for one, kind in item), *sent]
    first = ", ".join(parts)
    query = [
        (one["name"], type_of(one["schema"], "t."))
        for one in operation.get("parameters", ())
        if one["in"] == "query" and one["name"] in _asked(operation)
    ]
    path_values = "{" + ", ".join(f"{one!r}: {_safe(one)}" for one, _ in item) + "}"
    query_values = "{" + ", ".join(f"{one!r}: {_safe(one)}" for one, _ in query) + "}"
    said = f'        """{_sentence(operation.get("description") or name)}"""'
    if _is_list(operation):
        kind = type_of(operation["responses"]["200"]["content"]["application/json"]["schema"]).removesuffix("Page")
        options = "".join(f", {_safe(n)}: {_optional(k)} = None" for n, k in query) + ", limit: int | None = None"
        yield f"    def {name}({first}, *{options}) -> Iterator[t.{kind}]:"
        yield said
        yield f"        return self.pages({name!r}, {query_values}, limit)"
        return
    options = "".join(f", {_safe(n)}: {_optional(k)} = None" for n, k in query)
    answers, planned = _answers(operation)
    call = f"self.operate({name!r}, {path_values}, {query_values}{', file' if file else ', body' if body else ''}"
    if planned:
        for flag, kind in (("Literal[False] = False", answers), ("Literal[True]", "t.Plan")):
            yield "    @overload"
            yield f"    def {name}({first}, *{options}, dry_run: {flag}) -> {kind}: ..."
        yield f"    def {name}({first}, *{options}, dry_run: bool = False) -> Any:"
        yield said
        yield f"        return {call}, dry_run=dry_run)"
        return
    yield f"    def {name}({first}{', *' + options if options else ''}) -> {answers}:"
    yield said
    if answers == "None":
        yield f"        {call})"
    else:
        yield f"        answer: {answers} = {call})"
        yield "        return answer"


def _optional(kind: str) -> str:
    return kind if kind.endswith("None") else f"{kind} | None"


def _answers(operation: Json) -> tuple[str, bool]:
    """The type of what a successful call answers, and whether it can be asked for its plan."""
    kinds: list[str] = []
    for status in ("200", "201", "202", "204"):
        response = operation["responses"].get(status)
        if response is None:
            continue
        content = response.get("content", {}).get("application/json")
        if _is_binary(operation):
            kinds.append("bytes")
            continue
        kinds += type_of(content["schema"], "t.").split(" | ") if content else ["None"]
    planned = "dry_run" in _named(operation, "query")
    own = [kind for kind in dict.fromkeys(kinds) if not (planned and kind == "t.Plan")]
    return " | ".join(own) or "t.Plan", planned


def _constant(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


def _safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def _paragraph(text: str) -> str:
    """The first paragraph, on one line."""
    return " ".join(text.split("\n\n", maxsplit=1)[0].split())


def _sentence(text: str) -> str:
    """The first paragraph as a docstring has it, wrapped so that no line is too long."""
    lines = textwrap.wrap(_paragraph(text).replace("\\", "\\\\").replace('"' * 3, "'" * 3), 100) or [""]
    return "\n        ".join(lines) + ("\n        " if len(lines) > 1 else "")


def texts() -> dict[Path, str]:
    """The generated files and what they must hold, formatted."""
    document = json.loads(DOCUMENT.read_text())
    schemas = document["components"]["schemas"]
    made = {
        "__init__.py": f'"""{_MADE}"""\n',
        "enums.py": enums_text(schemas),
        "types.py": types_text(schemas),
        "operations.py": operations_text(document),
        "texts.py": texts_text(document),
    }
    return {FOLDER / name: _formatted(text) for name, text in made.items()}


def _formatted(text: str) -> str:
    argv = [str(Path(sys.executable).parent / "ruff"), "format", "--config", "backend/pyproject.toml", "-"]
    return subprocess.run(argv, cwd=ROOT, input=text, text=True, capture_output=True, check=True).stdout


def main() -> int:
    """Writes the files, or with --check tells which are stale."""
    parser = argparse.ArgumentParser(prog="python -m tests.run.python_client", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is stale")
    options = parser.parse_args()
    wanted = texts()
    if not options.check:
        FOLDER.mkdir(exist_ok=True)
        for path, text in wanted.items():
            path.write_text(text)
        return 0
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text() != text]
    for path in stale:
        sys.stderr.write(f"{path} is stale: backend/openapi.json changed. Run `make generate` and commit it.\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
