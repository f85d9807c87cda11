"""Only some fields of each item of a list: less to send where thousands of rows are read."""

import json
from typing import Any, get_args

from fastapi import Request, Response
from pydantic import BaseModel

from lunette.api.answers.base import Page
from lunette.domain.errors import FieldProblem, Invalid

QUERY = "fields"


def item_fields(model: Any) -> frozenset[str]:
    """Names of the fields that every item of this answer has; none if the answer is not a page of a list."""
    if not (isinstance(model, type) and issubclass(model, Page)):
        return frozenset()
    kinds = get_args(model.model_fields["items"].annotation)
    return frozenset(
        name for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel) for name in kind.model_fields
    )


def chosen(request: Request, known: frozenset[str]) -> frozenset[str] | None:
    """The fields that a request names, None if it names none. Raises Invalid for a field that no item has."""
    text = request.query_params.get(QUERY)
    if text is None or not known:
        return None
    names = frozenset(name.strip() for name in text.split(","))
    unknown = sorted(names - known)
    if unknown:
        problem = f"{', '.join(map(repr, unknown))} is not among: {', '.join(sorted(known))}"
        raise Invalid(
            f"Items of this list have no field {unknown[0]!r}; name only existing fields.",
            errors=(FieldProblem(field=QUERY, value=text[:100], message=problem),),
        )
    return names


def reduced(response: Response, names: frozenset[str]) -> Response:
    """The page with only these fields of each item."""
    page = json.loads(bytes(response.body))
    page["items"] = [{name: value for name, value in item.items() if name in names} for item in page["items"]]
    content = json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(content, media_type="application/json")
