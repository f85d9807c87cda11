"""Whatever a client can see of the API says what it means."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError

from lunette.api.app import make_app
from lunette.api.openapi.describe import summary
from lunette.api.openapi.examples import EXAMPLES
from lunette.domain.base import Model
from lunette.domain.site import site_schema
from lunette.domain.texts import field_texts, member_texts
from lunette.domain.volumes import Provisioning, VolumeRollBack

DOCUMENT = make_app(None).openapi()
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
OPERATIONS = {o["operationId"]: o for methods in DOCUMENT["paths"].values() for o in methods.values()}

BODIES = {
    name: content["application/json"]
    for name, operation in OPERATIONS.items()
    if "application/json" in (content := operation.get("requestBody", {}).get("content", {}))
}


def _is_text(text: object) -> bool:
    """Whether it is a sentence or a noun phrase that is not written for the authors of the code."""
    if not isinstance(text, str) or "DESIGN" in text:
        return False
    return re.match(r"`|\w*[A-Z]", text) is not None and text.rstrip()[-1:] in (".", ":", ")", "`")


def _properties() -> Iterator[tuple[str, Any]]:
    for name, schema in SCHEMAS.items():
        for field, inner in schema.get("properties", {}).items():
            yield f"{name}.{field}", inner


def test_every_property_has_a_text() -> None:
    assert [where for where, inner in _properties() if not _is_text(inner.get("description"))] == []


def test_every_schema_has_a_text() -> None:
    assert [name for name, schema in SCHEMAS.items() if not _is_text(schema.get("description"))] == []


def test_every_word_of_a_closed_set_has_a_text() -> None:
    for name, schema in SCHEMAS.items():
        if "enum" in schema:
            texts = schema.get("x-enumDescriptions", {})
            assert [word for word in schema["enum"] if not _is_text(texts.get(word))] == [], name


def test_every_parameter_has_a_text() -> None:
    silent = [
        f"{name}: {one['name']}"
        for name, operation in OPERATIONS.items()
        for one in operation.get("parameters", ())
        if not _is_text(one.get("description"))
    ]
    assert silent == []


def test_every_operation_has_a_summary_of_its_own() -> None:
    summaries = {name: operation["summary"] for name, operation in OPERATIONS.items()}
    assert [name for name, said in summaries.items() if not said[:1].isupper() or len(said) > 90] == []
    assert len({*summaries.values()}) == len(summaries)
    assert [name for name, operation in OPERATIONS.items() if not _is_text(operation["description"])] == []


def test_the_site_document_has_a_text_for_every_property() -> None:
    for name, schema in {"Site": site_schema(), **site_schema()["$defs"]}.items():
        for field, inner in schema.get("properties", {}).items():
            assert _is_text(inner.get("description")), f"{name}.{field}"
        assert {*schema.get("x-enumDescriptions", {})} == {*schema.get("enum", ())}, name


def test_there_is_an_example_for_each_body_and_no_other() -> None:
    assert EXAMPLES.keys() == BODIES.keys()


@pytest.mark.parametrize("name", sorted(BODIES))
def test_every_body_has_an_example_that_the_schema_accepts(name: str) -> None:
    schema = {**BODIES[name]["schema"], "components": {"schemas": SCHEMAS}}
    jsonschema_rs.validate(schema, BODIES[name]["example"])


def test_limits_are_words_of_json_schema() -> None:
    def words(part: Any) -> Iterator[str]:
        if isinstance(part, dict):
            for key, inner in part.items():
                yield from [key] if not isinstance(inner, dict | list) else [key, *words(inner)]
        elif isinstance(part, list):
            for one in part:
                yield from words(one)

    assert {"ge", "le", "gt", "lt"} & {*words(SCHEMAS)} == set()
    size = SCHEMAS["VolumeGrow"]["properties"]["size_bytes"]["anyOf"]
    assert [one["type"] for one in size] == ["integer", "string"]
    assert size[0] | {"minimum": 4 * 1024**2, "maximum": 2**63 - 1} == size[0]
    assert isinstance(size[0]["minimum"], int)


def test_a_summary_is_the_first_sentence() -> None:
    assert summary("Grows a volume. Hosts\ngo on.\n\nMore.") == "Grows a volume"
    assert summary("Checks `site.yml` against\nthe API. More.") == "Checks `site.yml` against the API"


def test_a_field_of_a_base_class_has_the_text_of_the_base_unless_it_has_its_own() -> None:
    assert VolumeRollBack.model_json_schema()["properties"]["keep"]["description"]
    assert {*member_texts(Provisioning)} == {"thick", "thin"}
    assert field_texts(_Inner) == {"name": "Mine.", "size": "Theirs."}
    assert _Inner.model_json_schema()["properties"]["size"] == {
        "title": "Size",
        "type": "integer",
        "description": "Theirs.",
    }


class _Outer(Model):
    name: str
    """Also theirs."""
    size: int
    """Theirs."""


class _Inner(_Outer):
    name: str
    """Mine."""


def _model(name: str, below: type[Model] = Model) -> type[Model] | None:
    found = (one if one.__name__ == name else _model(name, one) for one in below.__subclasses__())
    return next((one for one in found if one), None)


CHANGES = sorted(name for name, schema in SCHEMAS.items() if schema["description"].startswith("Changes "))


def test_whatever_changes_part_of_a_noun_is_checked() -> None:
    patches = {body["schema"]["$ref"].rpartition("/")[2] for name, body in BODIES.items() if name.endswith("_patch")}
    assert patches <= set(CHANGES)
    assert "InterfaceChange" in CHANGES


@pytest.mark.parametrize("name", CHANGES)
def test_null_in_a_change_says_what_it_does_or_is_refused(name: str) -> None:
    model = _model(name)
    assert model is not None
    silent = [
        field
        for field, inner in SCHEMAS[name]["properties"].items()
        if {"type": "null"} in inner.get("anyOf", []) and "null" not in inner["description"]
    ]
    refused = [field for field in silent if f"{field}: cannot be removed; omit the field" in _refusal(model, field)]
    assert refused == silent


def _refusal(model: type[Model], field: str) -> str:
    try:
        model.model_validate({field: None})
    except ValidationError as error:
        return str(error)
    return ""
