"""Lists are sent compressed to who takes it; nothing that could hold a secret ever is."""

import json
from pathlib import Path

from backend.tests.scene import make_scene
from backend.tests.wiring import Api
from lunette.api.server.compression import LISTS

DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
GZIP = {"Accept-Encoding": "gzip"}
SECRETIVE = {
    "/me",
    "/logins",
    "/users",
    "/tokens",
    "/settings",
    "/certificate",
    "/site:saveconfig",
    "/hosts/{host}/kit",
    "/hosts/{host}/kit.tar",
    "/events/stream",
    "/events:export",
    "/updates",
    "/login",
}


def test_a_long_list_is_compressed_and_says_the_same(appliance: Api) -> None:
    make_scene(appliance)
    whole = appliance.call("GET", "/volumes", headers={"Accept-Encoding": "identity"})
    packed = appliance.call("GET", "/volumes", headers=GZIP)
    assert "Content-Encoding" not in whole.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Cache-Control"] == "no-store"
    assert int(packed.headers["Content-Length"]) < len(whole.content) / 3
    assert [volume["id"] for volume in packed.json()["items"]] == [one["id"] for one in whole.json()["items"]]
    refused = appliance.call("GET", "/volumes", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers
    for path in ("/volumes/lun01", "/site", "/users"):
        other = appliance.call("GET", path, headers=GZIP)
        assert (other.status_code, other.headers.get("Content-Encoding")) == (200, None), path


def test_identities_and_settings_are_not_compressed(api: Api) -> None:
    for path in ("/me", "/settings", "/tokens", "/events:export"):
        answer = api.call("GET", path, headers=GZIP)
        assert (answer.status_code, answer.headers.get("Content-Encoding")) == (200, None), path


def test_a_refusal_of_a_list_stays_a_problem(nobody: Api) -> None:
    answer = nobody.call("GET", "/volumes", headers=GZIP)
    assert (answer.status_code, answer.headers["Content-Type"]) == (401, "application/problem+json")


def test_only_lists_without_secrets_are_named() -> None:
    paths = {path.removeprefix("/api/v1") for path in DOCUMENT["paths"]}
    assert paths >= SECRETIVE - {"/events/stream"}, "an address was renamed: look at what is compressed again"
    named = {path.removeprefix("/api/v1") for path in LISTS}
    assert not named & SECRETIVE
    # Each is a list that exists, or the document itself, which is the same for everybody.
    assert named - {"/openapi.json"} <= paths
    schemas = DOCUMENT["components"]["schemas"]
    for path in named - {"/openapi.json"}:
        answer = DOCUMENT["paths"][f"/api/v1{path}"]["get"]["responses"]["200"]["content"]["application/json"]
        assert "items" in schemas[answer["schema"]["$ref"].rsplit("/", 1)[-1]]["properties"], path
