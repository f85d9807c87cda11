"""Completes the document that FastAPI generates: problems, credentials, roles, texts, examples, the event stream."""

import inspect
import json
import re
from typing import Any

from lunette.api.answers.base import Page
from lunette.api.answers.journal import Event
from lunette.api.answers.problems import MEDIA_TYPE, OutdatedProblem, Problem
from lunette.api.auth.identity import COOKIE, CSRF_HEADER
from lunette.api.auth.roles import PUBLIC, ROLES
from lunette.api.openapi.examples import EXAMPLES
from lunette.domain.sizes import MAX_BYTES
from lunette.domain.texts import add_member_texts

Json = dict[str, Any]
_REF = "#/components/schemas/{model}"
_REFERENCES = {
    "alert": "ID of the alert.",
    "disk": "Stable ID of the disk.",
    "fc_port": "ID or WWPN of the FC port.",
    "job": "ID of the job.",
    "login": "ID of the login.",
    "mapping": "ID of the mapping.",
    "performance": "ID of the measured resource.",
    "session": "ID of the session.",
    "user": "ID or user name of the user.",
}
"""Path parameters of resources without names, or with names of another kind; any other takes an ID or a name."""
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def describe(document: Json) -> Json:
    """Adds what FastAPI cannot know, and removes what it assumes."""
    schemas: Json = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for model in (Problem, OutdatedProblem, Event):
        schema = model.model_json_schema(ref_template=_REF, mode="serialization")
        schemas.update(schema.pop("$defs", {}))
        schemas[model.__name__] = schema
    document["components"]["securitySchemes"] = {
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": COOKIE,
            "description": f"A browser's session; changes also carry {CSRF_HEADER}.",
        },
        "token": {"type": "http", "scheme": "bearer", "description": "An API token, `lnt_…`."},
    }
    document["servers"] = [{"url": "/"}]
    for operations in document["paths"].values():
        for operation in operations.values():
            _operation(operation)
    for name, schema in schemas.items():
        _schema(name, schema)
    for part in ("components", "paths"):
        _tidy(document[part])
    return _with_plain_names(document)


def render(document: Json) -> str:
    """The document as text, the same for the same source."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _schema(name: str, schema: Json) -> None:
    """Adds what pydantic omits: the meaning of the members of an enum, and of a page."""
    if name.startswith("Page_"):
        schema["description"] = inspect.cleandoc(Page.__doc__ or "")
    add_member_texts(name, schema)


def _tidy(part: Any, is_map: bool = False) -> None:
    """Removes the titles that pydantic derives from names, and writes whole limits as integers.

    `is_map`: the keys are names of properties or models, not keywords of JSON Schema.
    """
    if isinstance(part, list):
        for one in part:
            _tidy(one)
    if not isinstance(part, dict):
        return
    if not is_map:
        part.pop("title", None)
        for limit in _LIMITS:
            if isinstance(part.get(limit), float) and part[limit].is_integer():
                part[limit] = min(int(part[limit]), MAX_BYTES)
    for key, inner in part.items():
        if key not in ("example", "examples", "default"):
            _tidy(inner, is_map=not is_map and key in ("properties", "schemas"))


def _with_plain_names(document: Json) -> Json:
    """`VolumePage` instead of `Page_Volume_`, and `Plan` for the answer: clients use these names."""
    text = json.dumps(document)
    text = re.sub(r"\bPage_(\w+?)_(?=\")", r"\1Page", text)
    text = re.sub(r'"Page\[(\w+)\]"', r'"\1Page"', text)
    text = re.sub(r"\bPlanAnswer\b", "Plan", text)
    renamed: Json = json.loads(text)
    renamed["components"]["schemas"] = dict(sorted(renamed["components"]["schemas"].items()))
    return renamed


def _operation(operation: Json) -> None:
    name = operation["operationId"]
    operation["summary"] = summary(operation["description"])
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            named = f"ID or name of the {parameter['name'].replace('_', ' ')}."
            parameter.setdefault("description", _REFERENCES.get(parameter["name"], named))
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        body["example"] = EXAMPLES[name]
    if name in PUBLIC:
        operation["security"] = []
        operation["x-role"] = "public"
        for status in ("401", "403"):
            if not (name == "login_create" and status == "401"):
                operation["responses"].pop(status, None)
    else:
        operation["security"] = [{"session": []}, {"token": []}]
        operation["x-role"] = ROLES[name].value
    for status, response in operation["responses"].items():
        if status in {"204", "304"}:
            response.pop("content", None)
        if int(status) >= 400:
            model = OutdatedProblem if status == "412" else Problem
            response["content"] = {MEDIA_TYPE: {"schema": {"$ref": _REF.format(model=model.__name__)}}}
    if name == "event_stream":
        operation["responses"]["200"] = {
            "description": "The stream: `data` of each message is an Event, `id` its number.",
            "content": {"text/event-stream": {"schema": {"$ref": _REF.format(model="Event")}}},
        }
    operation["responses"] = dict(sorted(operation["responses"].items()))


def summary(description: str) -> str:
    """The first sentence of an operation's description, without its full stop."""
    paragraph = " ".join(description.split("\n\n", maxsplit=1)[0].split())
    return re.split(r"(?<=[A-Za-z0-9)`])[.:;] (?=[A-Z`])", paragraph, maxsplit=1)[0].removesuffix(".")
