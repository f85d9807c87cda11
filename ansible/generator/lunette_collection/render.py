"""The text of a module: documentation, argument spec, declaration."""

import json
from typing import Any

import yaml

from lunette_collection.document import GOALS, Document, InfoModule, Json, NounModule, Operation, VerbModule
from lunette_collection.options import (
    Option,
    api_fields,
    example,
    info_options,
    is_size,
    marked_up,
    noun_options,
    verb_options,
)

_HEAD = '''#!/usr/bin/python
# -*- coding: utf-8 -*-
# Generated from backend/openapi.json by `make generate`; do not edit.
# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
{documentation}"""

EXAMPLES = r"""
{examples}"""

RETURN = r"""
{returned}"""

{imports}

ARGUMENTS = {arguments}
'''
_MAIN = """

def main():
    {call}


if __name__ == "__main__":
    main()
"""
PATH_EXAMPLES = {"array": "tank", "volume": "db01", "host": "esx1", "snapshot": "db01-monday", "schedule": "nightly"}
"""What stands for a path parameter in an example."""
LIST_WIDTH = 120
"""A list longer than this has a line for each entry."""
TUPLE_WIDTH = 80
"""The same of a tuple, which stands behind other arguments: ansible-test allows a line of 160 characters."""
_CHECK = {"support": "full", "description": "Requests the plan of the appliance and changes nothing."}
_DIFF = {"support": "full", "description": "Shows the fields that change."}


def noun_module(document: Document, noun: NounModule) -> str:
    options, fields = noun_options(document, noun), api_fields(document, noun)
    words = noun.name.replace("_", " ")
    title = f"{'Create, change or delete' if 'create' in noun.operations else 'Change'} {_a(words)} of an appliance"
    reported = [one.summary for verb in ("create", "patch", "delete") if (one := noun.operations.get(verb))]
    answer = ", ".join(f"C({name})" for name in document.answer(noun.operations["show"]).get("properties", {}))
    returned: Json = {
        "resource": _returned(
            f"The {words} as returned by the API, with the fields {answer}.", "when it exists, or existed before"
        )
    }
    if noun.name == "token":
        returned["resource"]["description"] = [
            returned["resource"]["description"],
            (
                "If the token was created in this run, also C(token), the secret, which is never shown again; register"
                " the result and set C(no_log)."
            ),
        ]
    head = _head(
        noun.name,
        title,
        reported,
        options,
        [(f"Ensure the {words} exists", _noun_example(noun)), *_removal(noun, options)],
        returned | _change_facts(options),
    )
    declared = "".join(f'        "{name}": Field({_arguments(one.__dict__)}),\n' for name, one in fields.items())
    operations = noun.operations
    create = f'    create="{operations["create"].path}",\n' if "create" in operations else ""
    if len(noun.key) > 1:
        listed = operations["list"]
        known = tuple(one["name"] for one in listed.parameters("query") if one["name"] in noun.key)
        create += f"    filters={_python(known)},\n"
    key = ", ".join(f'"{one}"' for one in noun.key) + ("," if len(noun.key) == 1 else "")
    declaration = (
        f'\nNOUN = Noun(\n    name="{noun.name}",\n{create}    item="{operations["show"].path}",\n'
        f"    key=({key}),\n    fields={{\n{declared}    }},\n)\n"
    )
    text = head.format(imports=_imports(declaration="Field, Noun", resource="run_resource"))
    return text + declaration + _MAIN.format(call="run_resource(ARGUMENTS, NOUN)")


def verb_module(document: Document, verb: VerbModule) -> str:
    operation = verb.operation
    options, body = verb_options(document, verb), document.body(operation)
    answer = {"resource": _returned("Response of the appliance.", "unless the response is a job")}
    needed = {name: "…" for name, one in options.items() if one.spec.get("required")}
    ends = operation.id in GOALS
    often = [
        "Changes nothing if that is already the case."
        if ends
        else "Acts in every run, unless the plan of the appliance contains no change."
    ]
    head = _head(
        verb.name,
        operation.summary,
        [marked_up(operation.spec["description"]), *often],
        options,
        [(operation.summary.rstrip("."), example(verb.name) or _body_example(operation) or needed)],
        answer | _change_facts(options),
    )
    kinds = {name: "size" if is_size(name, document.resolved(raw)) else "" for name, raw in body.items()}
    fields = {name: _arguments({"create": True, "kind": kind}) for name, kind in kinds.items()}
    declared = "".join(f'    "{name}": Field({reported}),\n' for name, reported in fields.items())
    reported = {
        "item": verb.item if ends or verb.needs_match else "",
        "is_done": _Name(f"goals.{operation.id}") if ends else None,
    }
    can_plan = "" if operation.can_plan else ", can_plan=False"
    call = f'run_verb(ARGUMENTS, "{operation.path}", BODY{_more(reported)}{can_plan})'
    imports = _imports(**({"declaration": "Field"} if declared else {}), verb="run_verb")
    if ends:
        imports = f"from ansible_collections.lunette.appliance.plugins.module_utils import goals\n{imports}"
    return head.format(imports=imports) + f"\nBODY = {{\n{declared}}}\n" + _MAIN.format(call=call)


def info_module(document: Document, info: InfoModule) -> str:
    options, operation, asked = info_options(document, info), info.operation, info.listed or info.asked
    result = operation.path.rsplit("/", 1)[1].replace("-", "_") if info.listed else info.noun
    kind: Json = {"type": "list", "elements": "dict"} if info.listed else {"type": "dict"}
    reported = operation.summary
    returned = {result: {"description": reported, "returned": "always", **kind}}
    title = operation.summary if info.asked else f"Read the {result.replace('_', ' ')} of an appliance"
    head = _head(info.name, title, [reported], options, [(title, example(info.name))], returned)
    one = info.shown or info.asked
    arguments = {
        "listed": info.listed.path if info.listed else None,
        "item": one.path if one else None,
        "filters": tuple(one["name"] for one in asked.parameters("query") if one["name"] in options) if asked else (),
    }
    text = head.format(imports=_imports(appliance="run_info"))
    call = f'run_info(ARGUMENTS, "{result}"{_more(arguments)})'
    return text + _MAIN.format(call=call)


def _head(
    name: str,
    title: str,
    reported: list[str],
    options: dict[str, Option],
    examples: list[tuple[str, Json]],
    returned: Json,
) -> str:
    reads = name.endswith("_info")
    documentation = {
        "module": name,
        "short_description": title.rstrip("."),
        "version_added": "0.1.0",
        "description": reported,
        "author": ["The Lunette authors (!UNKNOWN)"],
        "extends_documentation_fragment": ["lunette.appliance.appliance"],
        "attributes": {
            "check_mode": {"support": "full", "description": "Reads only."} if reads else _CHECK,
            "diff_mode": {"support": "N/A", "description": "Changes nothing."} if reads else _DIFF,
        },
        "options": {key: one.docs() for key, one in options.items()},
    }
    tasks = [{"name": task, f"lunette.appliance.{name}": values} for task, values in examples]
    arguments = {key: one.arguments() for key, one in options.items()}
    text = _HEAD.replace("{documentation}", _escaped(as_yaml(documentation))).replace(
        "{examples}", _escaped(as_yaml(tasks))
    )
    text = text.replace("{returned}", _escaped(as_yaml(returned)))
    return text.replace("{arguments}", _escaped(_python(arguments)))


def _imports(**names: str) -> str:
    return "\n".join(
        f"from ansible_collections.lunette.appliance.plugins.module_utils.{module} import {imported}"
        for module, imported in names.items()
    )


def _change_facts(options: dict[str, Option]) -> Json:
    facts = {
        "plan": _returned(
            "Plan of the appliance: changes, steps, devices, bytes destroyed, hosts interrupted and warnings.",
            "when something changes",
        ),
        "problem": _returned("The problem document: C(type), C(detail), C(errors).", "when refused"),
    }
    if "wait" in options:
        facts["job"] = _returned("The job that made the change, with its steps.", "when there was one")
        progress = {"type": "list", "elements": "str", "returned": "when there was a job"}
        facts["progress"] = {"description": "Progress of the job, in seconds since the start of the task.", **progress}
    return facts


def _removal(noun: NounModule, options: dict[str, Option]) -> list[tuple[str, Json]]:
    if "state" not in options:
        return []
    reported = {key: value for key, value in _noun_example(noun).items() if key in noun.key}
    data = {"destroy_data": True} if "destroy_data" in options else {}
    return [(f"Ensure the {noun.name.replace('_', ' ')} does not exist", {**reported, "state": "absent", **data})]


def _noun_example(noun: NounModule) -> Json:
    """From words.toml where a play reads better with other values than those of the API document."""
    create = noun.operations.get("create")
    return example(noun.name) or (_body_example(create) if create else {})


def _body_example(operation: Operation) -> Json:
    """The path parameters, and the example that the API document has for the body."""
    content = operation.spec.get("requestBody", {}).get("content", {}).get("application/json", {})
    named = {one["name"]: PATH_EXAMPLES.get(one["name"], "…") for one in operation.parameters("path")}
    return {**named, **content["example"]} if "example" in content else {}


def _returned(description: str, when: str) -> Json:
    return {"description": description, "returned": when, "type": "dict"}


def _a(words: str) -> str:
    return f"{'an' if words[0] in 'aeio' else 'a'} {words}"


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


class _Indented(yaml.SafeDumper):  # type: ignore[misc]  # PyYAML brings no types
    """Lists are indented below their key, as Ansible's linter asks."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def as_yaml(value: Any) -> str:
    """A document in the order of its keys; a list of tasks begins with the marker that Ansible's own examples have."""
    return str(
        yaml.dump(
            value,
            Dumper=_Indented,
            sort_keys=False,
            allow_unicode=True,
            width=110,
            explicit_start=isinstance(value, list),
        )
    )


class _Name(str):
    """A name of the module's, not a text."""


def _python(value: Any, depth: int = 0) -> str:
    """A literal, one entry a line, as the formatter would write it."""
    pad = "    " * (depth + 1)
    if isinstance(value, dict) and value:
        lines = [f"{pad}{json.dumps(key)}: {_python(one, depth + 1)},\n" for key, one in value.items()]
        return "{\n" + "".join(lines) + "    " * depth + "}"
    if isinstance(value, list):
        line = "[" + ", ".join(_python(one, depth + 1) for one in value) + "]"
        short = len(line) < LIST_WIDTH
        return line if short else "[\n" + "".join(f"{pad}{_python(one)},\n" for one in value) + "    " * depth + "]"
    if isinstance(value, _Name):
        return value
    if isinstance(value, tuple):
        line = "(" + ", ".join(_python(one) for one in value) + ("," if len(value) == 1 else "") + ")"
        short = len(line) < TUPLE_WIDTH
        return line if short else "(\n" + "".join(f"        {_python(one)},\n" for one in value) + "    )"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _arguments(values: Json) -> str:
    """Keyword arguments without those that say nothing."""
    reported = {key: value for key, value in values.items() if value}
    return ", ".join(f"{key}={_python(value)}" for key, value in reported.items())


def _more(values: Json) -> str:
    return f", {reported}" if (reported := _arguments(values)) else ""
