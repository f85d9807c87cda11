"""The API document, read as nouns, verbs and lists: which module there is for which operations."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
GENERATOR = Path(__file__).resolve().parents[1]
OPENAPI = GENERATOR.parents[1] / "backend/openapi.json"
_API = "/api/v1"
_CRUD = ("create", "patch", "delete", "show", "list")
GOALS = frozenset(
    re.findall(r"^def ([a-z]\w*)\(", (GENERATOR.parent / "plugins/module_utils/goals.py").read_text(), re.M)
)
"""Verbs of which the collection knows when their work is done."""
NOT_OPTIONS = frozenset({"limit", "cursor", "offset", "fields"})
"""Query parameters of lists that the modules deal with themselves."""


@dataclass(frozen=True)
class Operation:
    """One operation of the API; `path` is below /api/v1."""

    id: str
    method: str
    path: str
    spec: Json

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return f"{self.spec['summary']}."

    @property
    def is_paged(self) -> bool:
        return any(one["name"] == "cursor" for one in self.parameters("query"))

    def parameters(self, place: str) -> list[Json]:
        return [one for one in self.spec.get("parameters", []) if one["in"] == place]

    @property
    def can_plan(self) -> bool:
        return any(one["name"] == "dry_run" for one in self.parameters("query"))

    @property
    def can_confirm(self) -> bool:
        """Whether volumes in use can be named that may go."""
        return any(one["name"] == "confirm" for one in self.parameters("query"))

    @property
    def can_cascade(self) -> bool:
        """Whether what prevents a deletion can be removed with it."""
        return any(one["name"] == "cascade" for one in self.parameters("query"))

    @property
    def makes_job(self) -> bool:
        return "202" in self.spec["responses"]


@dataclass(frozen=True)
class NounModule:
    """A resource that plays make, change and delete."""

    name: str
    operations: Mapping[str, Operation]
    key: tuple[str, ...]


@dataclass(frozen=True)
class VerbModule:
    """An operation that is neither of these, such as `job_resolve`."""

    name: str
    operation: Operation

    @property
    def item(self) -> str:
        """The path of what the verb acts on; empty where it acts on the appliance."""
        return self.operation.path.rpartition(":")[0] if self.operation.parameters("path") else ""

    @property
    def needs_match(self) -> bool:
        return any(one["name"] == "If-Match" for one in self.operation.parameters("header"))


@dataclass(frozen=True)
class InfoModule:
    """What can be read of a noun; with neither list nor show it is a question, such as `volume_why`."""

    noun: str
    listed: Operation | None
    shown: Operation | None
    asked: Operation | None = None

    @property
    def name(self) -> str:
        return f"{self.noun}_info"

    @property
    def operation(self) -> Operation:
        """The one that says what there is to read."""
        found = self.listed or self.shown or self.asked
        if found is None:
            raise ValueError(f"{self.noun} can be neither listed nor shown")
        return found


@dataclass(frozen=True)
class Exceptions:
    """exceptions.toml."""

    operations: Mapping[str, str]
    names: Mapping[str, str]
    keys: Mapping[str, list[str]]
    fields: Mapping[str, Json]
    inner: Mapping[str, str]
    harmless: Mapping[str, str]
    each_time: Mapping[str, str]


@dataclass
class Document:
    """The document with what the exceptions say about it."""

    spec: Json
    exceptions: Exceptions
    operations: dict[str, Operation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path, methods in self.spec["paths"].items():
            for method, spec in methods.items():
                if method in ("get", "post", "patch", "put", "delete"):
                    operation = Operation(spec["operationId"], method.upper(), path.removeprefix(_API), spec)
                    self.operations[operation.id] = operation

    def resolved(self, schema: Json) -> Json:
        """The schema behind references and `or null`, with the other keys of each reference."""
        others = {key: value for key, value in schema.items() if key not in ("$ref", "anyOf", "allOf")}
        if "$ref" in schema:
            return {**self.resolved(self.spec["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]), **others}
        choices = [one for one in schema.get("anyOf") or schema.get("allOf") or [] if one.get("type") != "null"]
        return {**self.resolved(choices[0]), **others} if choices else schema

    def is_nullable(self, schema: Json) -> bool:
        return any(one.get("type") == "null" for one in schema.get("anyOf", []))

    def body(self, operation: Operation | None) -> Json:
        """The properties of the body an operation takes."""
        content = operation.spec.get("requestBody", {}).get("content", {}) if operation else {}
        schema = content.get("application/json", {}).get("schema")
        return dict(self.resolved(schema).get("properties", {})) if schema else {}

    def answer(self, operation: Operation | None) -> Json:
        """The schema of the good answer; for a list that of one item."""
        content = operation.spec["responses"]["200"].get("content", {}) if operation else {}
        return self.resolved(next(iter(content.values()))["schema"]) if content else {}

    def nouns(self) -> Iterator[NounModule]:
        """Every noun with something to change and something to compare it with."""
        for noun in self._names("create", "patch"):
            found = {verb: self.operations.get(f"{noun}_{verb}") for verb in _CRUD}
            operations = {verb: one for verb, one in found.items() if one and one.id not in self.exceptions.operations}
            if "show" in operations and ("create" in operations or "patch" in operations):
                yield NounModule(noun, operations, self._key(noun, operations))

    def infos(self) -> Iterator[InfoModule]:
        for noun in self._names("list", "show"):
            ids = [f"{noun}_{verb}" for verb in ("list", "show")]
            found = [None if one in self.exceptions.operations else self.operations.get(one) for one in ids]
            listed, shown = found
            if listed and not listed.is_paged:  # it answers a question about what it is given
                yield InfoModule(noun, None, shown, listed)
            elif any(found):
                yield InfoModule(noun, listed, shown)
        for name, operation in sorted(self.operations.items()):
            read = name.endswith(("_list", "_show")) or name in self.exceptions.operations
            if operation.method == "GET" and not read:
                yield InfoModule(name, None, None, operation)

    def verbs(self) -> Iterator[VerbModule]:
        """Every changing operation that belongs to no noun, nor to a field of one."""
        covered = {one.id for noun in self.nouns() for one in noun.operations.values()} | self.verbs_of_fields()
        for name, operation in sorted(self.operations.items()):
            if operation.method == "POST" and name not in covered and name not in self.exceptions.operations:
                yield VerbModule(self.exceptions.names.get(name, name), operation)

    def verbs_of_fields(self) -> set[str]:
        """The operations by which a noun's module changes one of its fields."""
        return {str(one["verb"]) for one in self.exceptions.fields.values() if "verb" in one}

    def _names(self, *verbs: str) -> list[str]:
        pattern = re.compile(rf"^(\w+)_({'|'.join(verbs)})$")
        return sorted({match[1] for name in self.operations if (match := pattern.match(name))})

    def _key(self, noun: str, operations: Mapping[str, Operation]) -> tuple[str, ...]:
        if noun in self.exceptions.keys:
            return tuple(self.exceptions.keys[noun])
        if "create" in operations:
            names = [name for name in ("name", "username") if name in self.body(operations["create"])]
            if not names:
                raise SystemExit(f"{noun} has no name: say in exceptions.toml under [keys] which options make it out")
            return (names[0],)
        return tuple(one["name"] for one in operations["show"].parameters("path"))


def load(openapi: Path = OPENAPI) -> Document:
    """The document and its exceptions."""
    reported = tomllib.loads((GENERATOR / "exceptions.toml").read_text())
    return Document(
        spec=json.loads(openapi.read_text()),
        exceptions=Exceptions(**reported),
    )
