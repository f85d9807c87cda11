"""The command line and the API document agree: every path, column, filter and verb exists on the other side."""

import json
from pathlib import Path
from typing import Any

import pytest

from lunette.cli.nouns import NOUNS, Noun

DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
PREFIX = "/api/v1"
NOT_NOUNS = {"arrays/layouts", "health", "status", "login", "logout", "me", "password", "events/stream", "site"}
NOT_NOUNS |= {"settings", "settings/alerts"}  # `lunette setting`
NOT_NOUNS |= {"performance"}  # `lunette top`


def schema(reference: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["components"]["schemas"][reference["$ref"].rsplit("/", 1)[-1]]
    return found


def fields(noun: Noun) -> set[str]:
    """The fields of one item of the noun's list, nested ones with a dot."""
    answer = DOCUMENT["paths"][PREFIX + noun.path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    found = set()
    for name, field in schema(schema(answer)["properties"]["items"]["items"])["properties"].items():
        found.add(name)
        for kind in (field, *field.get("anyOf", ())):
            if "$ref" in kind:
                found |= {f"{name}.{inner}" for inner in schema(kind).get("properties", ())}
    return found


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: str(noun.command))
def test_every_column_is_a_field_of_the_answer(noun: Noun) -> None:
    assert set(noun.columns) <= fields(noun)


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: str(noun.command))
def test_a_noun_offers_what_the_api_offers(noun: Noun) -> None:
    parameters = {p["name"] for p in DOCUMENT["paths"][PREFIX + noun.path]["get"]["parameters"]}
    assert noun.by_name == ("name" in parameters)
    item: dict[str, Any] = next(
        (v for k, v in DOCUMENT["paths"].items() if k.startswith(f"{PREFIX}{noun.path}/{{") and k.endswith("}")), {}
    )
    assert noun.can_show == ("get" in item)
    assert noun.can_delete == ("delete" in item)


def test_every_noun_of_the_api_has_a_command() -> None:
    paths = {path.removeprefix(PREFIX + "/").split("{")[0].split(":")[0].rstrip("/") for path in DOCUMENT["paths"]}
    assert paths - NOT_NOUNS == {noun.path.removeprefix("/") for noun in NOUNS}
