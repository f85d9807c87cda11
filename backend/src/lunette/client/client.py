"""Calls the API of one appliance: an operation by its name, a job to its end, a list page by page."""

import io
import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import quote

from lunette.client.endpoint import Endpoint
from lunette.client.errors import JobFailed, StillRunning, Unreachable
from lunette.client.generated.operations import OPERATIONS, Operations
from lunette.client.wire import JsonObject, Wire

FINISHED = frozenset({"succeeded", "failed", "undone", "stuck"})
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 2.0
"""Between two looks at a job: a tenth of the time it has taken so far, within these."""
PAGE = 1000
"""Items asked for at once: the most the API gives."""
RESTARTING, RESTART_S = frozenset({"system.update", "system.restart"}), 3600.0
"""The kinds of job in which the appliance restarts, and how long it may not answer then: a start that fails, and the
one back."""
FILE_S = 900.0
"""How long a file may take to be made: for a support bundle, on an ill machine, commands run into their limits."""


class Client(Operations):
    """One appliance, one identity. Use as a context manager.

    The methods of `Operations` are the API's operations under their own names. `get`, `list`, `post`, `patch`, `act`
    and `delete` take a path below /api/v1 instead.
    """

    def __init__(self, endpoint: Endpoint, timeout_s: float = 60.0) -> None:
        self.endpoint = endpoint
        self._wire = Wire(endpoint, timeout_s)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.close()

    def operate(
        self,
        operation_id: str,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        dry_run: bool = False,
    ) -> Any:
        """Calls one operation. `path` and `query` contain its parameters; None in `query` is omitted.

        A resource that needs If-Match is read first, so that a concurrent change by another user is refused (412). An
        operation that takes a file takes it opened for reading, as `body`.
        """
        operation = OPERATIONS[operation_id]
        place = operation.path.format_map({key: quote(value, safe="") for key, value in (path or {}).items()})
        headers = {}
        if operation.if_match:
            headers["If-Match"] = self._etag(_item(place))
        params = {**(query or {}), **({"dry_run": "true"} if dry_run else {})}
        is_file = operation.is_binary or isinstance(body, io.BufferedReader) or operation_id == "update_fetch"
        timeout_s = FILE_S if is_file else None
        answer = self._wire.call(
            operation.method, place, params=params, body=body, headers=headers, timeout_s=timeout_s
        )
        return answer.body if operation.is_binary else answer.json()

    def pages(
        self, operation_id: str, query: Mapping[str, Any] | None = None, limit: int | None = None
    ) -> Iterator[Any]:
        """Every item of a list operation, page by page; at most `limit` of them."""
        found = 0
        cursor: str | None = None
        while limit is None or found < limit:
            size = PAGE if limit is None else min(PAGE, limit - found)
            page = self.operate(operation_id, None, {**(query or {}), "limit": size, "cursor": cursor})
            yield from page["items"]
            found += len(page["items"])
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get(self, path: str, **params: Any) -> JsonObject:
        """One resource or one page of a list."""
        found: JsonObject = self._wire.call("GET", path, params=params).json()
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

    def post(
        self, path: str, body: JsonObject | None = None, *, confirm: Sequence[str] = (), dry_run: bool = False
    ) -> JsonObject:
        """Creates something: the resource, the job that makes it, or with `dry_run` the plan.

        `confirm`: names of volumes that the plan asks for: those in use that go, and those whose numbers it gives away.
        """
        answer: JsonObject = self._wire.call("POST", path, params=_query(dry_run, confirm), body=body).json()
        return answer

    def patch(self, path: str, body: JsonObject, *, confirm: Sequence[str] = (), dry_run: bool = False) -> JsonObject:
        """Changes the resource as it is now, unless someone changes it in between (412).

        `confirm`: names of volumes that may go although hosts use them at this moment.
        """
        return self._guarded("PATCH", path, path, body, dry_run=dry_run, confirm=confirm)

    def act(self, path: str, action: str, body: JsonObject, *, dry_run: bool = False) -> JsonObject:
        """Does something to the resource as it is now: the resource, the job, or with `dry_run` the plan."""
        return self._guarded("POST", f"{path}:{action}", path, body, dry_run=dry_run)

    def delete(self, path: str, *, confirm: Sequence[str] = (), dry_run: bool = False) -> JsonObject:
        """Removes the resource as it is now: nothing, the job that removes it, or with `dry_run` the plan.

        `confirm`: names of volumes that may go although hosts use them at this moment.
        """
        return self._guarded("DELETE", path, path, None, dry_run=dry_run, confirm=confirm)

    def _guarded(
        self, method: str, path: str, item: str, body: Any, *, dry_run: bool, confirm: Sequence[str] = ()
    ) -> JsonObject:
        headers = {"If-Match": self._etag(item)}
        params = _query(dry_run, confirm)
        answer: JsonObject = self._wire.call(method, path, params=params, body=body, headers=headers).json()
        return answer

    def _etag(self, item: str) -> str:
        return str(self._wire.call("GET", item).headers.get("ETag", "*"))

    def login(self, username: str, password: str, code: str | None = None) -> JsonObject:
        """Opens a browser-like session on this client, for as long as it lives or until `login_delete`.

        Raises Refused of the kind `code-required` where the user has a second factor and no code is given.
        """
        body = {"username": username, "password": password} | ({"code": code} if code else {})
        answer: JsonObject = self.operate("login_create", body=body)
        self._wire.headers["X-CSRF-Token"] = answer["csrf_token"]
        return answer

    def wait(
        self, job: Mapping[str, Any], *, deadline_s: float = 3600.0, seen: Callable[[JsonObject], None] | None = None
    ) -> JsonObject:
        """Waits for a job's end. Raises JobFailed if it fails, StillRunning after the deadline.

        While the appliance restarts it does not answer: Unreachable is raised only after RESTART_S.
        """
        now: JsonObject = dict(job)
        started = time.monotonic()
        while True:
            if seen:
                seen(now)
            if now["state"] in FINISHED:
                break
            waited = time.monotonic() - started
            if waited > deadline_s:
                raise StillRunning(now, deadline_s)
            time.sleep(min(max(waited / 10, SHORTEST_PAUSE_S), LONGEST_PAUSE_S))
            now = self._job(now)
        if now["state"] != "succeeded":
            raise JobFailed(now)
        return now

    def _job(self, job: JsonObject) -> JsonObject:
        """The job as it is now."""
        end = time.monotonic() + (RESTART_S if job.get("kind") in RESTARTING else 0.0)
        while True:
            try:
                return self.get(f"/jobs/{job['id']}")
            except Unreachable:
                if time.monotonic() >= end:
                    raise
            time.sleep(LONGEST_PAUSE_S)

    def follow_events(self, after: int | None = None) -> Generator[JsonObject, None, None]:
        """Every event as it happens, for ever, beginning after number `after`. Raises Unreachable.

        The appliance ends a stream after ten minutes; it is opened again where it ended.
        """
        last = self._newest_event() if after is None else after
        while True:
            for event in self._events_of_one_stream(last):
                last = int(event["seq"])
                yield event

    def _events_of_one_stream(self, after: int) -> Iterator[JsonObject]:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        lines = self._wire.stream(OPERATIONS["event_stream"].path, headers)
        with closing(lines):
            is_event = True
            for line in lines:
                if line.startswith(b"event:"):
                    is_event = False  # a heartbeat
                elif not line.strip():
                    is_event = True
                elif line.startswith(b"data:") and is_event:
                    yield json.loads(line[5:])

    def _newest_event(self) -> int:
        return max((int(event["seq"]) for event in self.pages("event_list", {"sort": "-seq"}, limit=1)), default=0)


def _item(place: str) -> str:
    """The path of the resource an action is for: /volumes/data of /volumes/data:grow. Names are quoted."""
    return place.split(":", 1)[0]


def _query(dry_run: bool, confirm: Sequence[str] = ()) -> dict[str, str | list[str]]:
    asked: dict[str, str | list[str]] = {"dry_run": "true"} if dry_run else {}
    return asked | ({"confirm": list(confirm)} if confirm else {})
