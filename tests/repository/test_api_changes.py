"""A change that breaks clients of the API is found; one that adds to it is none."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.run.api_changes import CHANGELOG, DOCUMENT, PROMISES, broken, named, surface

API: dict[str, Any] = json.loads(DOCUMENT.read_text())
SCHEMAS: dict[str, Any] = API["components"]["schemas"]
Edit = Callable[[dict[str, Any]], object]


def _create(api: dict[str, Any]) -> Any:
    return api["components"]["schemas"]["VolumeCreate"]


def _volume(api: dict[str, Any]) -> Any:
    return api["components"]["schemas"]["Volume"]


def _list(api: dict[str, Any]) -> Any:
    return api["paths"]["/api/v1/volumes"]["get"]


BREAKS: dict[str, tuple[Edit, str]] = {
    "an operation is gone": (
        lambda api: api["paths"].pop("/api/v1/volumes/{volume}:grow"),
        "operation volume_grow POST /api/v1/volumes/{volume}:grow",
    ),
    "an operation has another path": (
        lambda api: api["paths"].update({"/api/v1/v": api["paths"].pop("/api/v1/volumes")}),
        "operation volume_list GET /api/v1/volumes",
    ),
    "a field of an answer is gone": (
        lambda api: _volume(api)["properties"].pop("naa"),
        "returned Volume has naa string",
    ),
    "a field of an answer may be null": (
        lambda api: _volume(api)["properties"].update(naa={"anyOf": [{"type": "string"}, {"type": "null"}]}),
        "returned Volume has naa string",
    ),
    "a field is not taken any more": (
        lambda api: _create(api)["properties"].pop("description"),
        "sent VolumeCreate takes description string",
    ),
    "a field is required now": (
        lambda api: _create(api)["required"].append("description"),
        "sent VolumeCreate requires description",
    ),
    "a limit is narrower": (
        lambda api: _create(api)["properties"]["description"].update(maxLength=10),
        "sent VolumeCreate limit description maxLength 1000",
    ),
    "a limit is new": (
        lambda api: _create(api)["properties"]["description"].update(minLength=1),
        "sent VolumeCreate limit description minLength 1",
    ),
    "a word is gone": (
        lambda api: api["components"]["schemas"]["Provisioning"]["enum"].remove("thin"),
        "sent Provisioning word thin",
    ),
    "a parameter is gone": (
        lambda api: _list(api).update(parameters=[one for one in _list(api)["parameters"] if one["name"] != "array"]),
        "operation volume_list takes query:array string",
    ),
    "a parameter is required now": (
        lambda api: next(one for one in _list(api)["parameters"] if one["name"] == "array").update(required=True),
        "operation volume_list requires query:array",
    ),
}
ADDS: dict[str, Edit] = {
    "an operation": lambda api: api["paths"].update(
        {"/api/v1/new": {"get": {"operationId": "new_show", "responses": {"200": {}}}}}
    ),
    "a field of an answer": lambda api: _volume(api)["properties"].update(colour={"type": "string"}),
    "a field that may be sent": lambda api: _create(api)["properties"].update(colour={"type": "string"}),
    "another kind of value that may be sent": lambda api: _create(api)["properties"].update(
        description={"anyOf": [_create(api)["properties"]["description"], {"type": "null"}]}
    ),
    "a wider limit": lambda api: _create(api)["properties"]["description"].update(maxLength=2000),
    "a limit less": lambda api: _create(api)["properties"]["description"].pop("maxLength"),
    "a word": lambda api: api["components"]["schemas"]["Provisioning"]["enum"].append("sparse"),
    "an optional parameter": lambda api: _list(api)["parameters"].append(
        {"name": "colour", "in": "query", "schema": {"type": "string"}}
    ),
    "other texts": lambda api: _volume(api).update(description="Something else."),
}


def _edited(edit: Edit) -> set[str]:
    api = copy.deepcopy(API)
    edit(api)
    return surface(api)


@pytest.mark.parametrize("what", BREAKS)
def test_a_breaking_change_is_found(what: str) -> None:
    edit, line = BREAKS[what]
    assert line in broken(surface(API), _edited(edit))


@pytest.mark.parametrize("what", ADDS)
def test_an_addition_breaks_nothing(what: str) -> None:
    now = _edited(ADDS[what])
    assert broken(surface(API), now) == []


def test_only_what_the_version_in_the_making_names_is_allowed() -> None:
    changelog = (
        "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- `a b c`\n\n### Breaking changes of the API\n\n"
        "- `sent A word b`\n\n### Fixed\n\n- `d`\n\n## [1.0.0]\n\n### Breaking changes of the API\n\n- `old`\n"
    )
    assert named(changelog).split() == ["-", "`sent", "A", "word", "b`"]


def test_the_promises_of_this_tree_are_those_of_its_document() -> None:
    assert {*PROMISES.read_text().splitlines()} == surface(API)
    assert CHANGELOG.read_text().startswith("# Changelog")
