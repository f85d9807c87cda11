"""The HTTP client under the command line and the tests: one appliance, one identity, problems as exceptions.

An appliance starts with a self-signed certificate, so it is trusted by its fingerprint (as SSH trusts host keys):
the certificate the server shows must have it, and then serves as its own authority.
"""

import hashlib
import ssl
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2

from lunette.domain.base import Model

API = "/api/v1"
FINISHED = frozenset({"succeeded", "failed", "undone", "stuck"})
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 2.0
"""Between two looks at a job: a tenth of the time it has taken so far, within these."""
JsonObject = dict[str, Any]


class Refused(Exception):
    """The appliance answered with a problem document."""

    def __init__(self, status: int, problem: JsonObject) -> None:
        self.status, self.problem = status, problem
        super().__init__(problem.get("detail") or problem.get("title") or f"HTTP {status}")

    def lines(self) -> list[str]:
        """The problem in words, one line for each wrong field."""
        fields = [f"  {e['field']}: {e['message']}" for e in self.problem.get("errors") or ()]
        return [f"{self.problem.get('title', 'Refused')}: {self}", *fields]


class Unreachable(Exception):
    """No answer from the appliance, or not the appliance that is trusted."""


class JobFailed(Exception):
    """A job ended, and not in success."""

    def __init__(self, job: JsonObject) -> None:
        self.job = job
        error = job.get("error") or {}
        super().__init__(f"job {job['id']} {job['state']}: {error.get('detail') or 'no detail was recorded'}")


class Endpoint(Model):
    """Where an appliance is and how it is recognised. `fingerprint` is SHA-256 of the certificate, in hex."""

    url: str
    token: str | None = None
    fingerprint: str | None = None


def fetch_certificate(url: str, timeout_s: float = 10.0) -> tuple[str, str]:
    """The certificate a server shows, as (PEM, SHA-256 fingerprint in hex). Raises Unreachable."""
    parts = urlsplit(url)
    try:
        pem = ssl.get_server_certificate((parts.hostname or "", parts.port or 443), timeout=timeout_s)
    except OSError as error:
        raise Unreachable(f"no answer from {url} ({error}); check the address and that the appliance is up") from error
    return pem, hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()


def _trust(endpoint: Endpoint) -> ssl.SSLContext:
    if endpoint.fingerprint is None:
        return ssl.create_default_context()
    pem, fingerprint = fetch_certificate(endpoint.url)
    if fingerprint != endpoint.fingerprint.replace(":", "").lower():
        raise Unreachable(
            f"{endpoint.url} shows another certificate ({fingerprint}) than the trusted one; "
            "if the certificate was replaced on purpose, run `lunette login` again"
        )
    context = ssl.create_default_context(cadata=pem)
    context.check_hostname = False
    return context


class Client:
    """Calls the API of one appliance. Use as a context manager."""

    def __init__(self, endpoint: Endpoint, timeout_s: float = 60.0) -> None:
        self.endpoint = endpoint
        headers = {"Authorization": f"Bearer {endpoint.token}"} if endpoint.token else {}
        self._http = httpx2.Client(base_url=endpoint.url, verify=_trust(endpoint), timeout=timeout_s, headers=headers)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """One request below /api/v1. Raises Refused for a problem, Unreachable when nobody answers."""
        try:
            response = self._http.request(method, API + path, **options)
        except httpx2.TransportError as error:
            raise Unreachable(f"{self.endpoint.url} does not answer ({error})") from error
        if response.is_error:
            try:
                problem = response.json()
            except ValueError:
                problem = {"title": f"HTTP {response.status_code}", "detail": response.text[:200]}
            raise Refused(response.status_code, problem)
        return response

    def get(self, path: str, **params: Any) -> JsonObject:
        """One resource or one page of a list."""
        found: JsonObject = self.call("GET", path, params=_present(params)).json()
        return found

    def list(self, path: str, **params: Any) -> Iterator[JsonObject]:
        """Every item of a list, page by page."""
        cursor: str | None = None
        while True:
            page = self.get(path, **params, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def post(self, path: str, body: JsonObject | None = None, *, dry_run: bool = False) -> JsonObject:
        """Creates something: the resource, the job that makes it, or with `dry_run` the plan."""
        params = {"dry_run": "true"} if dry_run else {}
        response = self.call("POST", path, json=body or {}, params=params)
        return response.json() if response.content else {}

    def patch(self, path: str, body: JsonObject, *, dry_run: bool = False) -> JsonObject:
        """Changes the resource as it is now, unless someone changes it in between (412)."""
        return self._guarded("PATCH", path, dry_run=dry_run, json=body)

    def act(self, path: str, action: str, body: JsonObject, *, dry_run: bool = False) -> JsonObject:
        """Does something to the resource as it is now: the resource, the job, or with `dry_run` the plan."""
        etag = self.call("GET", path).headers.get("ETag", "*")
        params = {"dry_run": "true"} if dry_run else {}
        headers = {"If-Match": etag}
        answer: JsonObject = self.call("POST", f"{path}:{action}", json=body, params=params, headers=headers).json()
        return answer

    def delete(self, path: str, *, dry_run: bool = False) -> JsonObject:
        """Removes the resource as it is now: nothing, the job that removes it, or with `dry_run` the plan."""
        return self._guarded("DELETE", path, dry_run=dry_run)

    def _guarded(self, method: str, path: str, *, dry_run: bool, **options: Any) -> JsonObject:
        etag = self.call("GET", path).headers.get("ETag", "*")
        params = {"dry_run": "true"} if dry_run else {}
        response = self.call(method, path, params=params, headers={"If-Match": etag}, **options)
        return response.json() if response.content else {}

    def login(self, username: str, password: str) -> JsonObject:
        """Opens a browser-like session on this client, for as long as it lives."""
        answer = self.post("/login", {"username": username, "password": password})
        self._http.headers["X-CSRF-Token"] = answer["csrf_token"]
        return answer

    def wait(
        self, job: JsonObject, *, deadline_s: float = 3600.0, seen: Callable[[JsonObject], None] | None = None
    ) -> JsonObject:
        """Waits for a job's end. Raises JobFailed if it ends badly, TimeoutError after the deadline."""
        started = time.monotonic()
        while True:
            if seen:
                seen(job)
            if job["state"] in FINISHED:
                break
            waited = time.monotonic() - started
            if waited > deadline_s:
                raise TimeoutError(f"job {job['id']} is still {job['state']} after {deadline_s:.0f} s")
            time.sleep(min(max(waited / 10, SHORTEST_PAUSE_S), LONGEST_PAUSE_S))
            job = self.get(f"/jobs/{job['id']}")
        if job["state"] != "succeeded":
            raise JobFailed(job)
        return job


def _present(params: JsonObject) -> JsonObject:
    return {key: value for key, value in params.items() if value is not None}
