"""The built web page, served by the same process."""

import gzip
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from backend.tests.wiring import AwayAgent, make_services, running

INDEX = "<!doctype html><title>Lunette</title>"
SCRIPT = "export const moon = 1\n" * 100


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Nothing here changes what is served, so it is served once."""
    folder = tmp_path_factory.mktemp("page")
    ui = folder / "ui"
    (ui / "assets").mkdir(parents=True)
    (ui / "index.html").write_text(INDEX)
    (ui / "assets" / "app-1a2b3c.js").write_text("export {}")
    (ui / "assets" / "big-4d5e6f.js").write_text(SCRIPT)
    (ui / "assets" / "big-4d5e6f.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    (ui / "favicon.svg").write_text("<svg/>")
    (folder / "secret.txt").write_text("not for the page")
    with running(make_services(folder, AwayAgent(), ui=ui)) as http:
        yield http


@pytest.mark.parametrize("path", ["/", "/index.html", "/volumes", "/volumes/lun01", "/login"])
def test_every_path_of_the_page_returns_the_page_and_is_revalidated(browser: TestClient, path: str) -> None:
    answer = browser.get(path)
    assert (answer.status_code, answer.text) == (200, INDEX)
    assert answer.headers["Cache-Control"] == "no-cache"
    policy = dict(rule.split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"


def test_a_file_with_a_hash_in_its_name_is_cached_forever(browser: TestClient) -> None:
    answer = browser.get("/assets/app-1a2b3c.js")
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "javascript" in answer.headers["Content-Type"]
    assert browser.get("/favicon.svg").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "*", "deflate, GZIP"])
def test_who_takes_gzip_is_sent_what_the_build_compressed(browser: TestClient, accepted: str) -> None:
    answer = browser.get("/assets/big-4d5e6f.js", headers={"Accept-Encoding": accepted})
    assert (answer.status_code, answer.text) == (200, SCRIPT)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Length"] == str(len(gzip.compress(SCRIPT.encode())))
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["ETag"] != _plain(browser).headers["ETag"]


@pytest.mark.parametrize("accepted", ["identity", "br", "gzip;q=0", "gzip; q=0.000, *", "*;q=0", ""])
def test_who_does_not_take_gzip_is_sent_the_file_itself(browser: TestClient, accepted: str) -> None:
    answer = browser.get("/assets/big-4d5e6f.js", headers={"Accept-Encoding": accepted})
    assert (answer.status_code, answer.content) == (200, SCRIPT.encode())
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.headers["ETag"] == _plain(browser).headers["ETag"]


def test_a_part_belongs_to_the_requested_range(browser: TestClient) -> None:
    plain = browser.get("/assets/big-4d5e6f.js", headers={"Accept-Encoding": "identity", "Range": "bytes=7-11"})
    assert (plain.status_code, plain.text) == (206, "const")
    assert plain.headers["Content-Range"] == f"bytes 7-11/{len(SCRIPT)}"
    # What was begun in one encoding is not gone on with in the other.
    began = {"If-Range": _plain(browser).headers["ETag"], "Range": "bytes=7-", "Accept-Encoding": "gzip"}
    assert (whole := browser.get("/assets/big-4d5e6f.js", headers=began)).status_code == 200
    assert whole.text == SCRIPT


def test_a_compressed_file_has_no_address_of_its_own(browser: TestClient) -> None:
    assert browser.get("/assets/big-4d5e6f.js.gz").status_code == 404
    small = browser.get("/favicon.svg", headers={"Accept-Encoding": "gzip"})
    assert (small.text, small.headers.get("Content-Encoding")) == ("<svg/>", None)


def _plain(browser: TestClient) -> Response:
    return browser.get("/assets/big-4d5e6f.js", headers={"Accept-Encoding": "identity"})


@pytest.mark.parametrize("path", ["/assets/gone-000000.js", "/api", "/api/", "/api/v1", "/api/v2/volumes", "/x.css"])
def test_what_is_not_there_is_a_problem_and_not_the_page(browser: TestClient, path: str) -> None:
    answer = browser.get(path)
    assert (answer.status_code, answer.json()["type"]) == (404, "not-found")


@pytest.mark.parametrize("path", ["/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "//secret.txt"])
def test_nothing_outside_the_folder_is_served(browser: TestClient, path: str) -> None:
    assert "not for the page" not in browser.get(path).text


def test_the_api_is_still_there(browser: TestClient) -> None:
    assert browser.get("/api/v1/health").json() == {"status": "ok"}
    assert browser.post("/api/v1/hosts", json={}).status_code == 401
    assert browser.put("/api/v1/volumes").status_code == 405
