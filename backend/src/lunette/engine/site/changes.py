"""Plans and applies site documents: the single changes of the API, one after another, as one job (decision 0010).

A document is rehearsed before anything is written: every change is made in a transaction that is rolled back, on the
machine as it will be by then. So each is planned, checked and refused by its own noun, and a document is refused as a
whole if one part cannot be done.
"""

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import Conflict, FieldProblem, LunetteError, NotFound, Unavailable
from lunette.domain.jobs import UNFINISHED, JobKind
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.site import Site, SiteArray, SiteNoun, SiteRequest
from lunette.engine.changes import mappings
from lunette.engine.changes.nouns import NOUNS
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.jobs import completion
from lunette.engine.site.known import NAMING_DISKS, as_seen, known, members
from lunette.planner.site import difference as planner
from lunette.planner.site.changes import SPECS, SiteChange, Verb
from lunette.planner.site.foresight import after
from lunette.store.database import after_commit, store_of
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Host, HostGroup, Volume
from lunette.store.resources import Mapping as MappingRow

TITLE = "Apply the site document"
_PLACE = re.compile(r"^(?:volumes|mappings)\[(\d+)\]")


def export(tx: Session, seen: Observation | None) -> Site:
    """The whole site by name, without secrets. Spares are read from the machine, because a spare takes a lost disk's
    place automatically. A schedule whose volumes or arrays are all deleted is omitted: no document could create it.
    """
    site = known(tx, None).site
    if seen is not None:
        site = as_seen(tx, site, seen)
    schedules = tuple(one for one in site.schedules or () if one.volumes or one.arrays)
    return site.model_copy(update={"schedules": schedules})


def apply(context: ChangeContext, request: SiteRequest) -> Outcome:
    """Files one job with every change that leads to the document; no job if nothing changes.

    Raises what a single change would raise, if any of them cannot be made: then none is.
    """
    tx = context.tx
    request = _with_disk_ids(request, context.services)
    there = known(tx, store_of(tx).box)
    if request.site.arrays:
        seen = context.services.seen()
        there = replace(there, site=as_seen(tx, there.site, seen), members=members(tx, seen))
    found = planner.difference(request, there)
    parts = rehearse(context, found.changes)
    plan = _merged([outcome.plan for outcome in parts], found.notes)
    if context.dry_run or not found.changes:
        return Outcome(plan=plan)
    _refuse_a_second(tx)
    return _file(context, plan, list(zip(found.changes, parts, strict=True)))


def perform(context: ChangeContext, change: SiteChange) -> Outcome:
    """Makes one change like a separate request."""
    noun = NOUNS[change.noun]
    if change.verb is Verb.CREATE:
        return noun.create(context, change.specs)
    if change.verb is not Verb.DELETE:
        return noun.verbs[change.verb](context, change.name, change.specs[0])
    if change.noun is SiteNoun.MAPPING:
        return mappings.delete(context, _mapping_id(context.tx, change.name))
    return noun.delete(context, (change.name,))


def rehearse(context: ChangeContext, changes: Sequence[SiteChange]) -> list[Outcome]:
    """The plan of each change after those before it. Leaves nothing behind; raises what a change would raise."""
    tx = context.tx
    try:
        with tx.begin_nested() as point:
            outcomes = play(context, Rehearsal(context.services), changes)
            point.rollback()
    finally:
        tx.expire_all()  # the rollback does not cover everything that was read on the way
    return outcomes


def play(context: ChangeContext, stage: "Rehearsal", changes: Sequence[SiteChange]) -> list[Outcome]:
    """Makes all changes only in the database, as if every job succeeded immediately. The caller rolls back."""
    tx = context.tx
    outcomes, staged = [], replace(context, services=stage.services, dry_run=False)
    for change in changes:
        try:
            outcome = perform(staged, change)
        except Unavailable:
            raise
        except LunetteError as error:
            raise _placed(error, change) from error
        tx.flush()
        if outcome.job_id is not None:
            stage.run(outcome.plan)
            completion.succeeded(tx, stage.services, tx.get_one(Job, outcome.job_id))
            tx.flush()
        outcomes.append(outcome)
    return outcomes


class Rehearsal:
    """Services that show the machine as it will be, read it once for each fact, and wake no thread."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._seen: Observation | None = None
        self.services = replace(
            services,
            seen=self._look,
            sessions=functools.cache(services.sessions),
            wake_reconciler=lambda: None,
            enqueue=lambda _job_id: None,
            wake_scheduler=lambda: None,
        )

    def run(self, plan: Plan) -> None:
        self._seen = functools.reduce(after, plan.steps, self._look())

    def _look(self) -> Observation:
        self._seen = self._seen or self._services.seen()
        return self._seen


def _mapping_id(tx: Session, name: str) -> str:
    """The mapping named `volume/host/name` or `volume/host-group/name`. Raises NotFound."""
    volume, noun, owner = name.split("/")
    query = select(MappingRow.id).join(Volume).where(Volume.name == volume)
    if noun == SiteNoun.HOST:
        query = query.join(Host, Host.id == MappingRow.host_id).where(Host.name == owner)
    else:
        query = query.join(HostGroup, HostGroup.id == MappingRow.host_group_id).where(HostGroup.name == owner)
    found = tx.scalar(query)
    if found is None:
        raise NotFound(f"There is no mapping of volume {volume} to {noun} {owner}; it may have been deleted.")
    return found


def _placed(error: LunetteError, change: SiteChange) -> LunetteError:
    """The refusal of one change as a refusal of the document: its fields give the place in the document."""

    def place(field: str) -> str:
        match = _PLACE.match(field)
        if match and change.verb is Verb.CREATE:
            return change.places[int(match[1])] + field[match.end() :]
        if field.startswith("disks") and change.verb is not Verb.CREATE and change.noun is SiteNoun.ARRAY:
            return change.places[0]  # the list they were added to; its own indexes are of the new ones only
        return f"{change.places[0]}.{field}" if change.places else change.keys[0]

    errors = [
        FieldProblem(field=place(problem.field), value=problem.value, message=problem.message)
        for problem in error.errors
    ]
    words = f"The site document cannot be applied, and nothing was changed: {error.detail}"
    return type(error)(words, errors=errors, log=error.log)


def _with_disk_ids(request: SiteRequest, services: Services) -> SiteRequest:
    """The request with each disk under its ID, if the document names another of its links."""
    if not request.site.arrays:
        return request
    seen = services.seen()

    def chosen(reference: str) -> str:
        disk = seen.disk(reference)
        return disk.id if disk else reference

    def with_ids(array: SiteArray) -> SiteArray:
        given = array.model_fields_set.intersection(NAMING_DISKS)
        return array.model_copy(update={name: tuple(map(chosen, getattr(array, name))) for name in given})

    named = tuple(map(with_ids, request.site.arrays))
    destroy = tuple(f"disk/{chosen(key[5:])}" if key.startswith("disk/") else key for key in request.destroy)
    return request.model_copy(update={"site": request.site.model_copy(update={"arrays": named}), "destroy": destroy})


def _merged(plans: Sequence[Plan], notes: Sequence[str]) -> Plan:
    return Plan(
        title=TITLE,
        changes=tuple(change for plan in plans for change in plan.changes),
        steps=tuple(step for plan in plans for step in plan.steps),
        hosts_interrupted=tuple(sorted({host for plan in plans for host in plan.hosts_interrupted})),
        warnings=tuple(dict.fromkeys([*notes, *(words for plan in plans for words in plan.warnings)])),
        leaving=tuple(dict.fromkeys(volume for plan in plans for volume in plan.leaving)),
        reused=tuple(dict.fromkeys(one for plan in plans for one in plan.reused)),
    )


def _refuse_a_second(tx: Session) -> None:
    query = select(Job).where(Job.kind == JobKind.SITE_APPLY.value, Job.state.in_(UNFINISHED))
    if running := tx.scalars(query).first():
        raise Conflict(f"A site document is being applied now (job {running.id}); wait for its end, then repeat.")


def _file(context: ChangeContext, plan: Plan, parts: Sequence[tuple[SiteChange, Outcome]]) -> Outcome:
    """Writes the job: one journal row for each change. The title is readable, the change itself may contain secrets."""
    tx = context.tx
    job_id = context.services.identities.id()
    tx.add(
        Job(
            id=job_id,
            kind=JobKind.SITE_APPLY.value,
            title=plan.title,
            resource_kind="site",
            resource_ids=[],
            plan=plan.model_dump(mode="json"),
            actor=context.actor.name,
            steps_total=len(parts),
        )
    )
    tx.flush()
    box = store_of(tx).box
    tx.add_all(
        JobStep(
            job_id=job_id,
            index=index,
            kind=f"{change.noun}.{change.verb}",
            title=outcome.plan.title,
            payload={
                "change": box.seal(SecretStr(_text(change))),
                "job_id": None,
                "devices": list(outcome.plan.devices()),
                "irreversible": any(step.irreversible for step in outcome.plan.steps),
            },
        )
        for index, (change, outcome) in enumerate(parts)
    )
    context.emit("site.applying", plan.title, data={"job_id": job_id, "changes": len(parts)})
    context.emit("job.created", plan.title, ref=job_id, data={"resource_ids": []})
    after_commit(tx, functools.partial(context.services.enqueue, job_id))
    return Outcome(plan=plan, job_id=job_id)


def _text(change: SiteChange) -> str:
    specs = [spec.model_dump(exclude_unset=True) for spec in change.specs]
    parts = {"verb": change.verb, "noun": change.noun, "keys": change.keys, "wishes": specs, "places": change.places}
    return json.dumps(parts, default=_plain)


def _plain(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def read_change(text: str) -> SiteChange:
    """A change as it was journaled."""
    parts = json.loads(text)
    verb, noun = Verb(parts["verb"]), SiteNoun(parts["noun"])
    kind = SPECS[verb].get(noun)
    specs = tuple(kind.model_validate(spec) for spec in parts["wishes"]) if kind else ()
    return SiteChange(verb, noun, tuple(parts["keys"]), specs, tuple(parts["places"]))
