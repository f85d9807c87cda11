"""A change that breaks clients of the API is found; one that adds to it is none."""

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.run import api_changes
from tests.run.api_changes import DOCUMENT, broken, named, surface

API: dict[str, Any] = json.loads(DOCUMENT.read_text())
SCHEMAS: dict[str, Any] = API["components"]["schemas"]
Edit = Callable[[dict[str, Any]], object]


def _create(api: dict[str, Any]) -> Any:
    return api["components"]["schemas"]["VolumeCreate"]


def _volume(api: dict[str, Any]) -> Any:
    return api["components"]["schemas"]["Volume"]


def _list(api: dict[str, Any]) -> Any:
    return api["paths"]["/api/v1/volumes"]["get"]


def _disks(api: dict[str, Any]) -> Any:
    return api["components"]["schemas"]["ArrayCreate"]["properties"]["disks"]


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
    "fewer roles may call it": (
        lambda api: _list(api).update({"x-role": "administrator"}),
        "operation volume_list serves viewer",
    ),
    "a limit of a parameter is narrower": (
        lambda api: next(one for one in _list(api)["parameters"] if one["name"] == "limit")["schema"].update(maximum=1),
        "operation volume_list limit query:limit maximum 1000",
    ),
    "a limit of the items of a list is narrower": (
        lambda api: _disks(api)["items"].update(maxLength=3),
        "sent ArrayCreate limit disks[] maxLength 255",
    ),
    "a field of an answer may be missing": (
        lambda api: _volume(api)["required"].remove("naa"),
        "returned Volume always naa",
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
    "a role more": lambda api: api["paths"]["/api/v1/volumes/{volume}:grow"]["post"].update({"x-role": "viewer"}),
    "a field that is not required any more": lambda api: _create(api)["required"].remove("name"),
    "another kind of item in a list": lambda api: _disks(api).update(
        items={"anyOf": [_disks(api)["items"], {"type": "integer"}]}
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


@pytest.mark.parametrize(
    ("promised", "changelog", "problem"),
    [
        ("the same", "", None),
        ("one more", "- `operation volume_melt POST /api/v1/volumes/{volume}:melt`\n", "is stale"),
        ("one more", "", "volume_melt"),
        ("one less", "", "is stale"),
    ],
)
def test_the_check_refuses_unnamed_changes_and_a_stale_list(
    promised: str,
    changelog: str,
    problem: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = sorted(surface(API))
    if promised == "one more":
        lines.append("operation volume_melt POST /api/v1/volumes/{volume}:melt")
    lines = lines[1:] if promised == "one less" else lines
    (tmp_path / "promises").write_text("".join(f"{line}\n" for line in sorted(lines)))
    (tmp_path / "changelog").write_text(f"## [Unreleased]\n\n### Breaking changes of the API\n\n{changelog}")
    monkeypatch.setattr(api_changes, "PROMISES", tmp_path / "promises")
    monkeypatch.setattr(api_changes, "CHANGELOG", tmp_path / "changelog")
    monkeypatch.setattr(sys, "argv", ["api_changes", "--check"])
    assert api_changes.main() == (problem is not None)
    assert (problem or "") in capsys.readouterr().err
