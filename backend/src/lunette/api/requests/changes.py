"""One change, one transaction. Repeated requests, lost updates and dry runs are handled here, the same for all."""

import hmac
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Response
from pydantic import BaseModel, SecretStr
from sqlalchemy import delete
from sqlalchemy.orm import Session

from lunette.api.answers.plans import plan_answer
from lunette.api.auth.identity import Identity, asking, check_holds
from lunette.api.requests.jobs import job_response
from lunette.api.requests.services import ApiServices, services_of
from lunette.domain.errors import Conflict, FieldProblem, Invalid, PreconditionFailed, PreconditionRequired, Unavailable
from lunette.domain.plans import Plan
from lunette.domain.usage import check_confirmed, check_reused
from lunette.engine.conditions import system_drive
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.control import Control
from lunette.engine.records.recording import only_recorded
from lunette.store.access import IdempotencyKey
from lunette.store.schema import utc_now

KEPT_FOR = timedelta(hours=24)
_ADDING = frozenset({"", "adopt", "apply", "clone", "create-batch", "fetch", "rebuild", "restore"})
"""Verbs of POST that create something; without a verb it creates an item of the list."""
EVENT = "Lunette-Event"
"""Header with the number of the event by which the change can be undone."""
_KEPT_HEADERS = ("Location", "ETag", EVENT)

DryRun = Annotated[bool, Query(description="Whether to return the plan (200) and change nothing.")]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]+$",
        description="Key of the request. A repetition with the same key within 24 hours returns the first response.",
    ),
]
Cascade = Annotated[bool, Query(description="Whether what prevents the deletion is removed too, in the same plan.")]
Confirm = Annotated[
    list[str] | None,
    Query(
        max_length=4096,
        description="Name of a volume that the change may take away although hosts use it, or whose number another "
        "volume may get although hosts may still have the old device. Repeat it for each volume that the plan lists.",
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        max_length=1000,
        description="ETag of the resource when it was read, or `*` for any. Required.",
    ),
]
IfStill = Annotated[
    str | None,
    Header(
        alias="If-Match",
        max_length=1000,
        description="ETag of the resource when it was read. The request is refused if the resource has changed since.",
    ),
]


def etag(version: int) -> str:
    return f'"{version}"'


def answer(body: BaseModel, status: int = 200, *, location: str | None = None, version: int | None = None) -> Response:
    """A JSON response; with `version` it carries the resource's ETag."""
    headers = {"Location": location} if location else {}
    if version is not None:
        headers["ETag"] = etag(version)
    return Response(body.model_dump_json(), status, headers, "application/json")


@dataclass(frozen=True)
class ChangeRequest:
    """The headers and parameters of a changing request, and its transaction."""

    services: ApiServices
    identity: Identity
    dry_run: bool
    key: str | None
    if_match: str | None
    line: str
    """Method, path and query."""
    body: bytes
    confirm: tuple[str, ...] | None = None
    """The volumes in use that may be removed, and those whose numbers may be assigned; None for other changes."""

    @property
    def control(self) -> Control:
        return self.services.control

    @property
    def adds(self) -> bool:
        """Whether it creates something, for which the system drive must have space."""
        method, _, target = self.line.partition(" ")
        _, _, verb = target.partition("?")[0].rpartition("/")[2].partition(":")
        return method == "POST" and verb in _ADDING

    @property
    def actor(self) -> Actor:
        return Actor(name=self.identity.actor)

    def context(self, tx: Session, actor: Actor | None = None) -> ChangeContext:
        """The context for the engine's changes: this transaction, for the requesting user or token unless `actor` is
        given.
        """
        return self.control.change(tx, actor or self.actor, dry_run=self.dry_run)

    def apply(
        self,
        act: Callable[[ChangeContext], Outcome],
        show: Callable[[Session, Outcome], Response],
        *,
        looks: bool = False,
        actor: Actor | None = None,
    ) -> Response:
        """Runs a change of the engine: returns its plan (dry run), its job, or the result of `show`.

        `looks`: the change checks the machine, which is observed before the transaction so that no other writer waits.
        A volume in use is removed, and a number is assigned under which hosts may have an old device, only if it
        is named in the request (`confirm`).
        """

        def work(tx: Session) -> Response:
            outcome = act(self.context(tx, actor))
            uses = self.control.uses(outcome.plan)
            if self.dry_run:
                return answer(plan_answer(outcome.plan, uses))
            check_confirmed(uses, self.confirm or (), utc_now())
            check_reused(outcome.plan.reused, self.confirm or ())
            tx.flush()
            if outcome.job_id:
                return job_response(tx, outcome.job_id, status=202)
            response = show(tx, outcome)
            if (event := only_recorded(tx)) is not None:
                response.headers[EVENT] = str(event)
            return response

        if self.confirm is not None:
            self.control.look_at_use()
        if looks:
            with suppress(Unavailable):
                self.control.observation(max_age_s=0)
        return self.run(work)

    def plan_or(self, plan: Plan, work: Callable[[], Response]) -> Response:
        """For changes without the engine: the plan in a dry run, else the work."""
        return answer(plan_answer(plan)) if self.dry_run else work()

    def run(self, work: Callable[[Session], Response], *, shown_once: bool = False) -> Response:
        """Runs `work` in a write transaction that leaves nothing behind in a dry run.

        `shown_once`: the response contains a secret and is not stored; a repeated request is refused with its location.
        """
        if self.adds:
            system_drive.check_room(self.control.room())
        if self.dry_run:
            return self._rehearse(work)
        with self.services.store.write() as tx:
            check_holds(tx, self.identity)
            repeated = self._repeated(tx)
            if repeated:
                return repeated
            response = work(tx)
            self._remember(tx, response, shown_once=shown_once)
        return response

    def check_match(self, version: int) -> None:
        """Raises PreconditionRequired without If-Match, PreconditionFailed if it names another version."""
        if self.if_match is None:
            raise PreconditionRequired(
                f"Send If-Match with the ETag you read ({etag(version)} now), or * to change it regardless of its "
                "version."
            )
        self.check_still(etag(version))

    def check_still(self, tag: str) -> None:
        """Raises PreconditionFailed if If-Match names other ETags; without one nothing is checked."""
        if self.if_match is None:
            return
        tags = {one.strip() for one in self.if_match.split(",")}
        if "*" not in tags and tag not in tags:
            raise PreconditionFailed(f"It was changed meanwhile: its ETag is now {tag}. Read it again, then retry.")

    def _rehearse(self, work: Callable[[Session], Response]) -> Response:
        with self.services.store.write() as tx:
            response = work(tx)
            tx.rollback()
        return response

    def _repeated(self, tx: Session) -> Response | None:
        if self.key is None:
            return None
        tx.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < utc_now() - KEPT_FOR))
        row = tx.get(IdempotencyKey, (self.key, self.identity.key))
        if row is None:
            return None
        if row.request != self.line or not hmac.compare_digest(row.request_hash, self._fingerprint()):
            raise Invalid(
                f"The Idempotency-Key was used for another request ({row.request}); use a new key.",
                errors=(FieldProblem(field="Idempotency-Key", value=self.key, message="was already used"),),
            )
        if not row.body:
            place = json.loads(row.headers).get("Location", "it")
            raise Conflict(
                "This request was already completed, and its response contained a secret, which is shown only once. "
                f"If you did not receive it, delete {place} and repeat the request with a new key."
            )
        body = self.services.store.box.open(row.body.decode("ascii")).get_secret_value()
        headers: dict[str, Any] = {**json.loads(row.headers), "Idempotency-Replayed": "true"}
        return Response(body, row.status, headers, "application/json" if body else None)

    def _remember(self, tx: Session, response: Response, *, shown_once: bool) -> None:
        """Stores the response, sealed, for the same client, unless it is `shown_once`."""
        if self.key is None:
            return
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        sealed = "" if shown_once else self.services.store.box.seal(SecretStr(bytes(response.body).decode()))
        tx.add(
            IdempotencyKey(
                key=self.key,
                username=self.identity.key,
                request=self.line,
                request_hash=self._fingerprint(),
                status=response.status_code,
                headers=json.dumps(headers),
                body=sealed.encode("ascii"),
            )
        )

    def _fingerprint(self) -> str:
        return self.services.store.box.mac(self.body)


def _line(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.method} {request.url.path}{query}"


def _change(
    request: Request, *, dry_run: bool, key: str | None, if_match: str | None, confirm: list[str] | None = None
) -> ChangeRequest:
    return ChangeRequest(
        services=services_of(request),
        identity=asking(request),
        dry_run=dry_run,
        key=key,
        if_match=if_match,
        line=_line(request),
        body=request.state.body,
        confirm=None if confirm is None else tuple(confirm),
    )


def _creating(request: Request, key: Key = None, dry_run: DryRun = False) -> ChangeRequest:
    return _change(request, dry_run=dry_run, key=key, if_match=None)


def _changing(request: Request, if_match: IfMatch = None, dry_run: DryRun = False) -> ChangeRequest:
    return _change(request, dry_run=dry_run, key=None, if_match=if_match)


def _acting(request: Request, if_match: IfMatch = None, key: Key = None, dry_run: DryRun = False) -> ChangeRequest:
    return _change(request, dry_run=dry_run, key=key, if_match=if_match)


def _commanding(request: Request, if_match: IfStill = None, key: Key = None, dry_run: DryRun = False) -> ChangeRequest:
    return _change(request, dry_run=dry_run, key=key, if_match=if_match)


def _taking(
    request: Request, if_match: IfMatch = None, confirm: Confirm = None, dry_run: DryRun = False
) -> ChangeRequest:
    return _change(request, dry_run=dry_run, key=None, if_match=if_match, confirm=confirm or [])


def _replanning(request: Request, key: Key = None, confirm: Confirm = None, dry_run: DryRun = False) -> ChangeRequest:
    return _change(request, dry_run=dry_run, key=key, if_match=None, confirm=confirm or [])


Creating = Annotated[ChangeRequest, Depends(_creating)]
"""For POST: takes Idempotency-Key and dry_run."""
Changing = Annotated[ChangeRequest, Depends(_changing)]
"""For PATCH and DELETE: needs If-Match, takes dry_run."""
Acting = Annotated[ChangeRequest, Depends(_acting)]
"""For POST that changes an existing resource: needs If-Match, takes Idempotency-Key and dry_run."""
Commanding = Annotated[ChangeRequest, Depends(_commanding)]
"""For POST that changes an existing resource and has always worked without If-Match: as Acting, If-Match optional."""
Taking = Annotated[ChangeRequest, Depends(_taking)]
"""For DELETE and PATCH that may remove a volume or its mapping: as Changing, and `confirm` names volumes in use."""
Replanning = Annotated[ChangeRequest, Depends(_replanning)]
"""For POST that may remove volumes or assign numbers: as Creating, and `confirm` names these volumes."""
