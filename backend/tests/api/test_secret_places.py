"""A secret that is sent in the wrong place or shape is shown nowhere: for every body of the document that has one."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from backend.tests.wiring import Api
from lunette.api.document import PATH
from lunette.api.problems.secret_places import is_secret
from lunette.api.server.log import Brake, set_up_log
from lunette.domain.hosts import HostGroupCreate
from lunette.domain.site import SiteRequest

PLANTED = "Planted-7Fq3"
DOCUMENT = json.loads(PATH.read_text())
Place = tuple[str | int, ...]


def secret_places(schema: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[Place]:
    """Every place of a schema where a secret belongs; lists have one element."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        if name not in above:
            yield from secret_places(DOCUMENT["components"]["schemas"][name], (*above, name))
    if schema.get("writeOnly") or schema.get("format") == "password":
        yield ()
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from secret_places(one, above)
    if isinstance(schema.get("items"), dict):
        yield from ((0, *place) for place in secret_places(schema["items"], above))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from (("key", *place) for place in secret_places(schema["additionalProperties"], above))
    for name, inner in schema.get("properties", {}).items():
        yield from ((name, *place) for place in secret_places(inner, above))


def operations() -> Iterator[tuple[str, str, str, Place]]:
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            content = operation.get("requestBody", {}).get("content", {}) if method != "parameters" else {}
            if "application/json" in content:
                for place in dict.fromkeys(secret_places(content["application/json"]["schema"])):
                    yield operation["operationId"], method.upper(), path, place


PLACES = list(operations())


def at(place: Place, value: Any) -> Any:
    """A body that holds nothing but this value, at this place."""
    for part in reversed(place):
        value = [value] if isinstance(part, int) else {part: value}
    return value


def bodies(place: Place) -> Iterator[Any]:
    """The secret where it belongs and in wrong shapes, in each thing around it, and under a mistyped name."""
    shapes: list[Any] = [PLANTED, PLANTED * 100, [PLANTED], {"text": PLANTED}, {"key": [PLANTED]}, [[PLANTED, 1]]]
    yield from (at(place, shape) for shape in shapes)
    shapes = [PLANTED, [PLANTED], {"unknown": PLANTED}, {"unknown": {"secret": PLANTED}}, [{"x": PLANTED}]]
    yield from (at(place[:length], shape) for length in range(len(place)) for shape in shapes)
    *above, last = place
    for name in (f"{last}s", f"{last}"[:-1], "passwort"):
        yield at((*above, name), PLANTED)
        yield {name: PLANTED, **(at(place, PLANTED) if len(place) > 1 else {})}


def test_the_document_has_bodies_with_secrets() -> None:
    assert {"host_create", "login_create", "setting_patch", "site_apply", "appliance_backup", "array_unlock"} <= {
        name for name, _, _, _ in PLACES
    }
    assert ("site_apply", ("site", "hosts", 0, "chap", "secret")) in {(name, place) for name, _, _, place in PLACES}
    assert {("setting_patch", ("webhook", "url")), ("update_fetch", ("url",))} <= {
        (name, place) for name, _, _, place in PLACES
    }


@pytest.mark.parametrize(
    ("method", "path", "place"),
    [
        # every third in `make test`, the rest in the full matrix
        pytest.param(
            *rest, id=f"{name}-{'.'.join(map(str, rest[2]))}", marks=[] if number % 3 == 0 else pytest.mark.slow
        )
        for number, (name, *rest) in enumerate(PLACES)
    ],
)
def test_a_secret_in_a_wrong_place_is_in_no_answer_and_no_log_line(
    api: Api, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, method: str, path: str, place: Place
) -> None:
    before = structlog.get_config()
    set_up_log(Brake(10**9))
    try:
        answers = [
            api.ask(method, path, content=content, headers={"Content-Type": kind, "If-Match": "*"})
            for kind, content in (
                *(("application/json", json.dumps(body)) for body in bodies(place)),
                ("application/json", f'{{"x": "{PLANTED}"'),
                ("application/json", f'{{"x": {PLANTED}}}'),
                ("text/plain", PLANTED),
                ("application/x-www-form-urlencoded", f"{place[-1]}={PLANTED}"),
            )
        ]
    finally:
        structlog.configure(**before)  # what this test printed to is closed when it ends
    reported = [*(answer.text for answer in answers), *capsys.readouterr(), caplog.text]
    assert [one[:300] for one in reported if PLANTED in one] == []
    assert any(answer.status_code == 422 for answer in answers) or "login" in path


def test_only_what_is_or_holds_a_secret_is_hidden() -> None:
    for place in (
        (),
        ("site",),
        ("site", "hosts"),
        ("site", "hosts", 3),
        ("site", "hosts", 3, "chap"),
        ("site", "hosts", 3, "chap", "secret"),
    ):
        assert is_secret(SiteRequest, place), place
    for place in (
        ("scope",),
        ("site", "hosts", 3, "name"),
        ("site", "volumes", 0),
        ("site", "hosts", 3, "chap", "user"),
    ):
        assert not is_secret(SiteRequest, place), place
    assert not is_secret(HostGroupCreate, ("hosts", 0))
