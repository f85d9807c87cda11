"""Speaks to the API of one appliance, with nothing but the standard library and what ansible-core brings.

`open_url` cannot pin a certificate: it offers an authority or no check at all. So requests go through an opener of
urllib whose TLS context is either ansible-core's own (system authorities, or `appliance_ca_path`) or one that accepts
exactly the certificate with the given fingerprint, looked at on the very connection that then carries the token.
"""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

import hashlib
import http.client
import http.cookies
import json
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from ansible.module_utils.basic import env_fallback

API = "/api/v1"
ENDED = frozenset(("succeeded", "failed", "undone", "stuck"))
LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
COOKIE = "__Host-lunette"
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0

CONNECTION = {
    "appliance_url": {"type": "str", "fallback": (env_fallback, ["LUNETTE_URL"])},
    "appliance_token": {"type": "str", "no_log": True, "fallback": (env_fallback, ["LUNETTE_TOKEN"])},
    "appliance_username": {"type": "str", "fallback": (env_fallback, ["LUNETTE_USERNAME"])},
    "appliance_password": {"type": "str", "no_log": True, "fallback": (env_fallback, ["LUNETTE_PASSWORD"])},
    "appliance_fingerprint": {"type": "str", "fallback": (env_fallback, ["LUNETTE_FINGERPRINT"])},
    "appliance_ca_path": {"type": "path", "fallback": (env_fallback, ["LUNETTE_CA_PATH"])},
    "appliance_timeout": {"type": "int", "default": 60},
}
"""Argument spec of the connection; its documentation is the fragment `appliance`."""


class Unreachable(Exception):
    """No answer, or not from the appliance that is trusted."""


class Refused(Exception):
    """The appliance answered with a problem document, or a job ended badly. `problem` is the document."""

    def __init__(self, problem: dict[str, Any], status: int = 0, job: dict[str, Any] | None = None) -> None:
        self.problem, self.status, self.job = problem, status, job
        fields = ["{}: {}".format(wrong["field"], wrong["message"]) for wrong in problem.get("errors") or ()]
        detail = problem.get("detail") or problem.get("title") or f"HTTP {status}"
        new = [line for line in fields if line.partition(": ")[2] not in detail]
        super().__init__("; ".join([detail, *new]))


class _PinnedConnection(http.client.HTTPSConnection):
    """A TLS connection that is given up, before anything is sent, unless the certificate is the trusted one."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._fingerprint = options.pop("fingerprint")
        super().__init__(*args, **options)

    def connect(self) -> None:
        super().connect()
        shown = hashlib.sha256(self.sock.getpeercert(True) or b"").hexdigest()
        if shown != self._fingerprint:
            self.close()
            raise ssl.SSLError(
                f"it shows a certificate with the fingerprint {shown}, the trusted one has {self._fingerprint}; "
                "if it was replaced on purpose, set appliance_fingerprint to the new one"
            )


class _PinnedHandler(urllib.request.HTTPSHandler):
    def __init__(self, fingerprint: str) -> None:
        # Trust comes from the fingerprint, so neither an authority nor a host name is asked for.
        self._pinned = ssl.create_default_context()
        self._pinned.check_hostname = False
        self._pinned.verify_mode = ssl.CERT_NONE
        self._connection = partial(_PinnedConnection, fingerprint=fingerprint, context=self._pinned)
        super().__init__(context=self._pinned)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connection, req)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to wherever it points."""

    def redirect_request(self, *args: Any, **options: Any) -> None:
        return None


def _opener(fingerprint: str | None, ca_path: str | None) -> urllib.request.OpenerDirector:
    tls: urllib.request.HTTPSHandler
    if fingerprint:
        tls = _PinnedHandler(fingerprint.replace(":", "").lower())
    else:
        tls = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca_path))
    return urllib.request.build_opener(tls, _NoRedirect)


class Client:
    """One appliance, one identity. Raises Unreachable and Refused."""

    def __init__(self, options: dict[str, Any]) -> None:
        """`options` are those of CONNECTION, without their prefix. Raises ValueError naming a wrong one."""
        self.url = (options["url"] or "").rstrip("/")
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("https", "http") or not parts.hostname:
            raise ValueError(f"appliance_url must be an address such as https://appliance.example, not {self.url!r}")
        if parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise ValueError("appliance_url must begin with https://: over http the token could be read on the way")
        if not options["token"] and not (options["username"] and options["password"]):
            raise ValueError("give appliance_token, or appliance_username and appliance_password")
        try:
            self._opener = _opener(options["fingerprint"], options["ca_path"])
        except (OSError, ssl.SSLError) as error:
            raise ValueError("appliance_ca_path {} cannot be read: {}".format(options["ca_path"], error)) from error
        self._timeout_s = options["timeout"]
        self._login = None if options["token"] else (options["username"], options["password"])
        self._identity = {"Authorization": "Bearer {}".format(options["token"])} if options["token"] else {}

    def close(self) -> None:
        """Ends a session opened with a password; a token stays valid."""
        if self._login and self._identity:
            with suppress(Unreachable, Refused):  # The session expires anyway; the request is done.
                self.call("POST", "/logout", {})
            self._identity = {}

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, Any, str | None]:
        """One request below /api/v1: (status, answer or None, ETag)."""
        if self._login and not self._identity:
            self._open_session(*self._login)
        status, answer, received = self._send(method, path, body, query, headers)
        return status, answer, received.get("ETag")

    def items(self, path: str, query: dict[str, Any], at_most: int | None = None) -> list[Any]:
        """The items of a list, page by page."""
        found: list[Any] = []
        cursor = None
        while True:
            page: dict[str, Any] = {"cursor": cursor} if cursor else {}
            page["limit"] = min(1000, at_most - len(found)) if at_most else 1000
            answer = self.call("GET", path, query=dict(query, **page))[1]
            found += answer["items"]
            cursor = answer["next_cursor"]
            if not cursor or (at_most and len(found) >= at_most):
                return found

    def create(
        self,
        path: str,
        body: Any,
        dry_run: bool,
        match: str | None = None,
        query: dict[str, Any] | None = None,
    ) -> tuple[int, Any, str | None]:
        """A POST that may be sent again after a lost answer: the key makes the appliance do it once."""
        headers = {"Idempotency-Key": str(uuid.uuid4()), **({"If-Match": match} if match else {})}
        query = {"dry_run": "true"} if dry_run else query
        try:
            return self.call("POST", path, body, query, headers)
        except Unreachable:
            return self.call("POST", path, body, query, headers)

    def wait(
        self,
        job: dict[str, Any],
        timeout_s: float,
        seen: Callable[[dict[str, Any]], None],
        good: Collection[str] = ("succeeded",),
    ) -> dict[str, Any]:
        """Follows a job to one of its `good` ends; an appliance that restarts meanwhile is waited for.

        Raises Refused if it ends badly, Unreachable if it has not ended after `timeout_s`.
        """
        for _dummy in pauses(timeout_s):
            seen(job)
            if job["state"] in ENDED:
                break
            try:
                job = self.call("GET", "/jobs/{}".format(job["id"]))[1]
            except Unreachable:
                continue
            except Refused as refused:
                if refused.status != 503:
                    raise
        if job["state"] in good:
            return job
        if job["state"] not in ENDED:
            raise Unreachable(
                f"job {job['id']} ({job['title']}) is still {job['state']} after {timeout_s:.0f} s; it goes on. "
                "Run the play again to wait on, or raise wait_timeout"
            )
        error = job.get("error") or {"type": "internal", "detail": "no reason was recorded"}
        detail = "job {} ({}) ended {}: {}".format(job["id"], job["title"], job["state"], error["detail"])
        raise Refused(dict(error, detail=detail), job=job)

    def _open_session(self, username: str, password: str) -> None:
        body = {"username": username, "password": password}
        answer, received = self._send("POST", "/login", body, None, None)[1:]
        cookies = http.cookies.SimpleCookie(received.get("Set-Cookie", ""))
        self._identity = {
            "Cookie": f"{COOKIE}={cookies[COOKIE].value}",
            "X-CSRF-Token": answer["csrf_token"],
        }

    def _send(
        self, method: str, path: str, body: Any, query: dict[str, Any] | None, headers: dict[str, str] | None
    ) -> tuple[int, Any, Any]:
        url = self.url + API + path + ("?" + urllib.parse.urlencode(query, doseq=True) if query else "")
        data = None if body is None else json.dumps(body).encode()
        sent = dict(self._identity, Accept="application/json", **(headers or {}))
        if data is not None:
            sent["Content-Type"] = "application/json"
        request = urllib.request.Request(url, data, sent, method=method)  # noqa: S310 (the scheme was checked)
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None, response.headers
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(error) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise Unreachable(f"{self.url} does not answer: {reason}") from error
        except ValueError as error:
            raise Unreachable(f"{self.url} does not answer as an appliance does: {error}") from error


def _refused(error: urllib.error.HTTPError) -> Refused:
    try:
        problem = json.loads(error.read())
        detail = problem["detail"]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        detail = f"HTTP {error.code} without a problem document: is this the address of an appliance?"
        problem = {"type": "malformed", "status": error.code, "detail": detail, "errors": []}
    return Refused(problem, status=error.code)


def pauses(timeout_s: float) -> Iterator[None]:
    """Yields at once, then after growing pauses, until the time is over; the last look is at the deadline."""
    deadline, pause = time.monotonic() + timeout_s, FIRST_PAUSE_S
    yield
    while time.monotonic() < deadline:
        time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
        pause = min(pause * 1.5, LONGEST_PAUSE_S)
        yield
