"""Completes the document FastAPI makes: problems, credentials, roles, the event stream."""

import json
import re
from typing import Any

from lunette.api.access import PUBLIC, ROLES
from lunette.api.answers.journal import Event
from lunette.api.answers.problems import MEDIA_TYPE, OutdatedProblem, Problem
from lunette.api.identity import COOKIE, CSRF_HEADER

Json = dict[str, Any]
_REF = "#/components/schemas/{model}"


def describe(document: Json) -> Json:
    """Adds what FastAPI cannot know, and takes out what it assumes."""
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
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return _with_plain_names(document)


def _with_plain_names(document: Json) -> Json:
    """`VolumePage` instead of `Page_Volume_`, and `Plan` for the answer: clients are named after these."""
    text = json.dumps(document)
    text = re.sub(r"\bPage_(\w+?)_(?=\")", r"\1Page", text)
    text = re.sub(r'"Page\[(\w+)\]"', r'"\1Page"', text)
    text = re.sub(r"\bPlanAnswer\b", "Plan", text)
    renamed: Json = json.loads(text)
    renamed["components"]["schemas"] = dict(sorted(renamed["components"]["schemas"].items()))
    return renamed


def _operation(operation: Json) -> None:
    name = operation["operationId"]
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
