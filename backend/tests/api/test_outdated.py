"""A change of what is not as it was read: refused with 412, the resource as it is now, and nothing changed."""

from typing import Any

import pytest

from backend.tests.api.test_interfaces import CHANGE, SHOW, SPEC, try_
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids
from backend.tests.wiring import Api
from lunette.api.app import make_app

STALE = '"stale"'
PATHS = make_app(None).openapi()["paths"]
VERBS = sorted(
    path.partition(":")[2]
    for path, operations in PATHS.items()
    if path.startswith("/api/v1/arrays/{array}:") and "post" in operations
)
BODIES: dict[str, dict[str, Any]] = {
    "add-spares": {"disks": ["d"]},
    "add-disks": {"role": "log", "disks": ["d"]},
    "grow": {"disks": ["d"]},
    "reshape": {"level": "raid6", "disks": ["d"]},
    "replace": {"disk": "d", "new": "e"},
    "fail": {"disk": "d"},
    "remove": {"disk": "d"},
    "readd": {"disk": "d"},
    "scrub": {},
    "force-start": {"confirm": "tank"},
    "release": {"confirm": "tank"},
    "forget": {"confirm": "tank"},
    "unlock": {"passphrase": "a long passphrase"},
    "change-key": {"passphrase": "a long passphrase", "new_passphrase": "a longer passphrase"},
}


def outdated(response: Any, now: Any) -> None:
    """It says so, and carries what there is now with its ETag."""
    assert (response.status_code, response.json()["type"]) == (412, "precondition-failed"), response.text
    reported = response.json()["current"]
    unsteady = {"age_s", "trial_left_s", "observed"}
    assert {**reported, **dict.fromkeys(unsteady)} == {**now, **dict.fromkeys(unsteady)}
    assert response.headers["ETag"] in response.json()["detail"]


def test_a_patch_and_a_deletion_say_what_there_is_now(api: Api) -> None:
    made = api.post("/hosts", {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]})
    now = api.patch("/hosts/h1", {"description": "x"}, made.headers["ETag"])
    old = made.headers["ETag"]
    for response in (api.patch("/hosts/h1", {"description": "y"}, old), api.delete("/hosts/h1", old)):
        outdated(response, api.get("/hosts/h1"))
        assert response.headers["ETag"] == now.headers["ETag"]
    assert api.get("/hosts/h1")["description"] == "x"


def test_what_has_no_address_of_its_own_is_not_shown(api: Api) -> None:
    made = api.post("/hosts", {"name": "h1"})
    assert api.delete("/hosts/h1", made.headers["ETag"]).status_code == 204
    assert "current" not in api.delete("/hosts/h1", made.headers["ETag"]).json()


def test_every_verb_of_an_array_is_tried_here() -> None:
    assert set(VERBS) == set(BODIES)


@pytest.fixture
def tank(appliance: Api, machine: FakeSystem) -> Api:
    body = {"name": "tank", "level": "raid1", "disks": disk_ids(appliance)[:2]}
    appliance.done(appliance.post("/arrays", body).json())
    machine.advance(60)
    appliance.until(lambda: appliance.get("/arrays/tank")["health"] == "clean")
    return appliance


def test_each_verb_of_an_array_takes_if_match(tank: Api) -> None:
    jobs = len(tank.items("/jobs"))
    for verb in VERBS:
        response = tank.post(f"/arrays/tank:{verb}", BODIES[verb], headers={"If-Match": STALE})
        outdated(response, tank.get("/arrays/tank"))
    assert len(tank.items("/jobs")) == jobs
    fresh = tank.call("GET", "/arrays/tank").headers["ETag"]
    done = tank.post("/arrays/tank:scrub", {}, headers={"If-Match": f"{STALE}, {fresh}"})
    assert done.status_code == 202, done.text
    tank.done(done.json())
    assert tank.post("/arrays/tank:scrub", {"action": "stop"}).status_code in (202, 409), "it may be left out"


def test_each_verb_of_an_interface_takes_if_match(appliance: Api) -> None:
    before = appliance.call("GET", SHOW).headers["ETag"]
    assert appliance.call("GET", SHOW).headers["ETag"] == before, "nothing was configured meanwhile"
    outdated(appliance.post(CHANGE, SPEC, headers={"If-Match": STALE}), appliance.get(SHOW))
    try_(appliance)
    on_trial = appliance.call("GET", SHOW).headers["ETag"]
    assert on_trial != before
    for verb in ("change", "remove", "confirm", "revert"):
        body = SPEC if verb == "change" else None
        outdated(appliance.post(f"{SHOW}:{verb}", body, headers={"If-Match": before}), appliance.get(SHOW))
    assert appliance.post(f"{SHOW}:confirm", headers={"If-Match": on_trial}).status_code == 200
    assert appliance.call("GET", SHOW).headers["ETag"] not in (before, on_trial)


def test_the_document_says_so() -> None:
    for path, operations in PATHS.items():
        if not path.startswith(("/api/v1/arrays/{array}:", "/api/v1/interfaces/{interface}:")):
            continue
        operation = operations["post"]
        (header,) = [one for one in operation["parameters"] if one["name"] == "If-Match"]
        assert not header["required"]
        content = operation["responses"]["412"]["content"]["application/problem+json"]
        assert content["schema"] == {"$ref": "#/components/schemas/OutdatedProblem"}
