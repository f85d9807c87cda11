"""Options of a module: argument spec, documentation and, for fields of a noun, how they are compared."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lunette_collection.document import (
    GENERATOR,
    NOT_OPTIONS,
    Document,
    InfoModule,
    Json,
    NounModule,
    Operation,
    VerbModule,
)

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}
_LOOKS_SECRET = re.compile(r"pass|secret|token|key", re.IGNORECASE)
_WORDS = tomllib.loads((GENERATOR / "words.toml").read_text())
FIELD_WORDS: dict[str, str] = _WORDS["fields"]
"""What a field of a module means, by module and name, where the API document says it for no playbook."""
OWN = frozenset(
    {
        "state",
        "wait",
        "wait_timeout",
        "destroy_data",
        "in_use",
        "cascade",
        "update_secret",
        "clear",
        "renamed_from",
        "id",
    }
)
"""Options every module may have; an API field of such a name would need another one."""
MOST_MEANINGS = 12
"""Choices explained one by one, at most; a longer list is clear from its words or of no use in a play."""
CONSENT = frozenset({"wipe", "destroy"})
"""Fields of a verb that name what may be lost, so that no further consent is asked for."""


@dataclass
class Option:
    """One option. `spec` is its argument spec, `docs` its documentation without what the spec says already."""

    spec: Json
    words: list[str]
    suboptions: dict[str, "Option"] = field(default_factory=dict)

    def arguments(self) -> Json:
        inner = {"options": {name: one.arguments() for name, one in self.suboptions.items()}} if self.suboptions else {}
        return {**self.spec, **inner}

    def docs(self) -> Json:
        spec = {key: value for key, value in self.spec.items() if key != "no_log"}
        inner = {"suboptions": {name: one.docs() for name, one in self.suboptions.items()}} if self.suboptions else {}
        return {"description": self.words, **spec, **inner}


@dataclass(frozen=True)
class ApiField:
    """How a field of a noun is made, changed and compared: the arguments of Field in the modules."""

    create: bool
    patch: bool
    shown: tuple[str, ...]
    secrets: tuple[str, ...]
    kind: str
    verb: str


def is_secret(schema: Json) -> bool:
    return bool(schema.get("writeOnly")) or schema.get("format") == "password"


def is_size(name: str, schema: Json) -> bool:
    return name.endswith(("_bytes", "_bytes_s")) and schema.get("type") == "integer"


def option(document: Document, where: str, name: str, raw: Json) -> Option:
    """The option for one property, parameter or field of the API. `where` is the noun and the path to it."""
    schema = document.resolved(raw)
    words = [_words(f"{where}.{name}", schema), *_limits(name, schema), *_meanings(schema)]
    kind = _TYPES[schema.get("type", "string")]
    spec: Json = {"type": "str" if is_size(name, schema) else kind}
    suboptions = {}
    if "enum" in schema and "." in where and document.is_nullable(raw):
        # Ansible holds a null inside a document against the choices, and there it says that nothing is desired.
        words.append(f"One of {', '.join(f'V({one})' for one in schema['enum'])}, or null.")
    elif "enum" in schema:
        spec["choices"] = schema["enum"]
    if kind == "list":
        item = document.resolved(schema.get("items", {}))
        spec["elements"] = _TYPES[item.get("type", "string")]
        if "enum" in item:
            spec["choices"] = item["enum"]
        schema = item
    if schema.get("properties"):
        needed = schema.get("required", [])
        for key, value in schema["properties"].items():
            if f"{where}.{name}.{key}" in document.exceptions.inner:
                continue
            suboptions[key] = option(document, f"{where}.{name}", key, value)
            if key in needed:
                suboptions[key].spec["required"] = True
    if is_secret(schema):
        spec["no_log"] = True
    elif _LOOKS_SECRET.search(name):
        spec["no_log"] = False
    return Option(spec, words, suboptions)


def _words(path: str, schema: Json) -> str:
    return marked_up(str(FIELD_WORDS.get(path) or schema["description"]))


def _limits(name: str, schema: Json) -> list[str]:
    """The rules of the document that an argument spec cannot say."""
    reported = []
    least, most = schema.get("minimum"), schema.get("maximum")
    if is_size(name, schema):
        reported.append("A number of bytes, or a size with a unit such as V(10GiB) (binary) or V(10GB) (decimal).")
    elif least is not None and most is not None:
        reported.append(f"From {least} to {most}.")
    if schema.get("default") not in (None, [], ""):
        default = str(schema["default"]).replace("True", "true").replace("False", "false")
        reported.append(f"If omitted at creation, the appliance uses V({default}).")
    return reported


def _meanings(schema: Json) -> list[str]:
    """What each choice means."""
    texts = schema.get("x-enumDescriptions", {})
    return [f"V({word}): {marked_up(text)}" for word, text in texts.items()] if len(texts) <= MOST_MEANINGS else []


def marked_up(text: str) -> str:
    """The first paragraph in the markup of Ansible's documentation."""
    return re.sub(r"`([^`]*)`", r"C(\1)", text.split("\n\n", maxsplit=1)[0].replace("\n", " "))


def api_fields(document: Document, noun: NounModule) -> dict[str, ApiField]:
    """Every field of the create and patch bodies of a noun."""
    create, patch = (document.body(noun.operations.get(verb)) for verb in ("create", "patch"))
    answer = document.answer(noun.operations.get("show")).get("properties", {})
    keys = {one["name"]: _described(one) for one in place(noun)}
    fields = {}
    for name, raw in {**keys, **patch, **create}.items():
        schema = document.resolved(raw)
        exception = document.exceptions.fields.get(f"{noun.name}.{name}", {})
        others = [other for other in (f"{name}_id", f"{name.removesuffix('s')}_ids") if other in answer]
        shown = exception.get("shown", [name, *others] if name in answer else [])
        inner = [key for key, value in schema.get("properties", {}).items() if is_secret(document.resolved(value))]
        fields[name] = ApiField(
            create=name in create,
            patch=name in patch,
            shown=tuple(shown),
            secrets=(name,) if is_secret(schema) else tuple(inner),
            kind="size" if is_size(name, schema) else exception.get("kind", ""),
            verb=document.operations[exception["verb"]].path if "verb" in exception else "",
        )
    return fields


def place(noun: NounModule) -> list[Json]:
    """The path parameters that say where a resource is made, such as the volume of a snapshot; and the one that stands
    for a resource that is never made."""
    return noun.operations.get("create", noun.operations["show"]).parameters("path")


def noun_options(document: Document, noun: NounModule) -> dict[str, Option]:
    """All options of a noun's module but those of the connection."""
    bodies = [document.body(noun.operations.get(verb)) for verb in ("create", "patch")]
    fields, options, places = api_fields(document, noun), {}, {one["name"]: _described(one) for one in place(noun)}
    for name, one in fields.items():
        raw = bodies[0].get(name) or bodies[1].get(name) or places[name]
        options[name] = option(document, noun.name, name, raw)
        if name in places or (name,) == noun.key[:1]:
            options[name].spec["required"] = True
        options[name].words += _fate(one, name in noun.key)
    _refuse_own(noun.name, options)
    if "create" in noun.operations and "delete" in noun.operations:
        options["state"] = Option(
            {"type": "str", "choices": ["present", "absent"], "default": "present"},
            ["Whether the resource exists after the task."],
        )
    options |= _rename_and_clear(document, noun, bodies[1])
    if any(one.secrets and one.patch for one in fields.values()):
        reported = [
            "Whether to send secrets even if nothing else differs.",
            (
                "The appliance never returns a secret, so secrets cannot be compared. If V(false), a changed secret in"
                " the play has no effect; if V(true), every run reports a change."
            ),
        ]
        options["update_secret"] = Option({"type": "bool", "default": False, "no_log": False}, reported)
    changing = [noun.operations[verb] for verb in ("create", "patch", "delete") if verb in noun.operations]
    if any(one.makes_job for one in changing):
        options |= _job_options(any(one.makes_job for one in changing if one.method != "POST"))
    return options | _in_use(changing) | _cascade(changing)


def _cascade(changing: Iterable[Operation]) -> dict[str, Option]:
    if not any(one.can_cascade for one in changing):
        return {}
    reported = ["Whether what prevents the deletion, such as mappings and snapshots, is removed with O(state=absent)."]
    return {"cascade": Option({"type": "bool", "default": False}, reported)}


def _in_use(changing: Iterable[Operation]) -> dict[str, Option]:
    if not any(one.can_confirm for one in changing):
        return {}
    reported = [
        "Whether volumes that hosts are using may be taken away. If V(false), the task fails and names the volumes.",
        "Also allows a number that another volume had until recently, and whose device hosts may still have.",
    ]
    return {"in_use": Option({"type": "bool", "default": False}, reported)}


def _fate(one: ApiField, is_key: bool) -> list[str]:
    if is_key:
        return ["The module identifies the resource by it."]
    if one.patch:
        return []
    if one.verb:
        return ["A larger size grows the resource; a smaller one is refused."]
    if not one.shown:
        return ["Used when the resource is created, and not compared afterward."]
    if one.kind == "members":
        return ["Used when the resource is created; a later difference is a warning."]
    return ["Fixed when the resource is created; a later difference is refused."]


def _rename_and_clear(document: Document, noun: NounModule, patch: Json) -> dict[str, Option]:
    options, answer = {}, document.answer(noun.operations.get("show")).get("properties", {})
    if noun.key and noun.key[0] in patch:
        reported = [
            (
                f"Previous name of the {noun.name}. If no {noun.name} named O({noun.key[0]}) exists but one with this"
                " name does, the module renames it."
            )
        ]
        options["renamed_from"] = Option({"type": "str"}, reported)
    empty = [name for name, raw in patch.items() if document.is_nullable(raw) and name in answer]
    fields = document.exceptions.fields
    clearable = [
        name
        for name in empty
        if document.is_nullable(answer[name]) and fields.get(f"{noun.name}.{name}", {}).get("clear", True)
    ]
    if clearable:
        reported = ["Fields to clear. An omitted option leaves its field unchanged."]
        options["clear"] = Option({"type": "list", "elements": "str", "choices": clearable}, reported)
    return options


def _job_options(destroys: bool) -> dict[str, Option]:
    options = {
        "wait": Option({"type": "bool", "default": True}, ["Whether to wait until the job has finished."]),
        "wait_timeout": Option(
            {"type": "int", "default": 3600},
            ["Maximum time to wait in seconds. After that the job continues, and the next run waits for it."],
        ),
    }
    if destroys:
        reported = [
            "Whether the task may destroy data. If V(false), a change that would destroy data fails and names the loss."
        ]
        options["destroy_data"] = Option({"type": "bool", "default": False}, reported)
    return options


def verb_options(document: Document, verb: VerbModule) -> dict[str, Option]:
    options = {}
    for one in verb.operation.parameters("path"):
        options[one["name"]] = option(document, verb.name, one["name"], _described(one))
        options[one["name"]].spec["required"] = True
    schema = verb.operation.spec.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    needed = document.resolved(schema).get("required", [])
    for name, raw in document.body(verb.operation).items():
        options[name] = option(document, verb.name, name, raw)
        if name in needed:
            options[name].spec["required"] = True
    _refuse_own(verb.name, options)
    if not verb.operation.makes_job:
        return options
    destroys = verb.operation.id not in document.exceptions.harmless and not CONSENT & set(options)
    return options | _job_options(destroys) | _in_use([verb.operation])


def info_options(document: Document, info: InfoModule) -> dict[str, Option]:
    options: dict[str, Option] = {}
    asked = info.listed or info.asked
    for one in asked.parameters("query") if asked else ():
        if one["name"] not in NOT_OPTIONS:
            options[one["name"]] = option(document, info.name, one["name"], _described(one))
    for one in asked.parameters("path") if asked else ():
        options[one["name"]] = option(document, info.name, one["name"], _described(one))
        options[one["name"]].spec["required"] = True
    if info.shown and info.shown.parameters("path"):
        reported = ["ID or name of the only resource to return; filters are ignored then."]
        options["id"] = Option({"type": "str"}, reported)
    if info.listed:
        options["max_items"] = Option({"type": "int"}, ["Maximum number of results. If omitted, all are returned."])
    return options


def _described(parameter: Json) -> Json:
    """The schema of a parameter, with its description."""
    return {"description": parameter["description"], **parameter["schema"]}


def _refuse_own(module: str, options: dict[str, Any]) -> None:
    for name in sorted(OWN & set(options)):
        raise SystemExit(f"{module}: the field {name} has the name of an option all modules have; rename one of them")


def example(name: str) -> Json:
    """Options to show in the documentation of a noun's module."""
    return dict(_WORDS["examples"].get(name, {}))
