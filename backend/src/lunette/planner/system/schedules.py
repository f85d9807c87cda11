"""Plans for schedules: their possible settings, and the names of their snapshots."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from lunette.domain.arrays import ArrayEngine, ArrayVerb, Level
from lunette.domain.errors import Invalid
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.schedules import Retention, ScheduleAction, ScheduleCreate, SchedulePatch, check_action
from lunette.domain.volumes import Provisioning
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.checks.names import check_name
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.volume_engines import thick_snapshot_reason
from lunette.planner.system.calendar import upcoming

NAME_CHARACTERS = 63


@dataclass(frozen=True)
class Subject:
    """A volume or an array of a schedule; `unable` says why it cannot be used."""

    id: str
    name: str
    unable: str | None = None


@dataclass(frozen=True)
class ScheduleFacts:
    """The facts for the decision. `subjects` are the existing volumes or arrays, by the reference used."""

    name_taken: bool
    subjects: Mapping[str, Subject]
    zone: ZoneInfo
    now: dt.datetime


def volume_subject(volume_id: str, name: str, provisioning: Provisioning, engine: ArrayEngine) -> Subject:
    """A volume, with the reason if it cannot have snapshots."""
    return Subject(volume_id, name, thick_snapshot_reason(engine, provisioning))


def array_subject(array_id: str, name: str, engine: ArrayEngine, level: Level) -> Subject:
    """An array, with why it cannot be scrubbed."""
    verbs = next(one.verbs for one in ARRAY_ENGINES[engine].capability().levels if one.level is level)
    unable = None if ArrayVerb.SCRUB in verbs else f"it is {level.value}: it has no redundancy that Lunette can compare"
    return Subject(array_id, name, unable)


def plan_create(spec: ScheduleCreate, facts: ScheduleFacts) -> tuple[Plan, tuple[Subject, ...]]:
    """The plan, and the volumes or arrays of the schedule, each once. Raises Invalid or Conflict naming the field."""
    findings = Findings()
    check_name(findings, "schedule", spec.name, facts.name_taken)
    chosen = _chosen(findings, spec.action, spec.volumes or spec.arrays, facts.subjects)
    findings.refuse(f"Schedule {spec.name} was not created")
    detail = f"{_words(spec.action, chosen)} {_times(spec, facts)}"
    changes = (PlannedChange(action=Action.CREATE, noun="schedule", name=spec.name, detail=detail),)
    return Plan(title=f"Create schedule {spec.name}", changes=changes, steps=()), chosen


def plan_patch(
    before: ScheduleCreate, spec: SchedulePatch, facts: ScheduleFacts
) -> tuple[Plan, ScheduleCreate, tuple[Subject, ...]]:
    """The plan, the schedule as it will be, and what it will be about."""
    values = {name: getattr(spec, name) for name in spec.model_dump(exclude_unset=True)}
    findings = Findings()
    after = before.model_copy(update=values)
    try:
        check_action(after.action, after.volumes, after.arrays, after.keep)
    except ValueError as error:
        field, _, rule = str(error).partition(": ")
        findings.add(Invalid, field, None, rule)
    if after.name != before.name:
        check_name(findings, "schedule", after.name, facts.name_taken)
    chosen = _chosen(findings, after.action, after.volumes or after.arrays, facts.subjects)
    findings.refuse(f"Schedule {before.name} was not changed")
    after = after.model_copy(update={_field(after.action): tuple(one.name for one in chosen)})
    details = [_difference(name, before, after) for name in values if getattr(before, name) != getattr(after, name)]
    changes = tuple(
        PlannedChange(action=Action.CHANGE, noun="schedule", name=before.name, detail=one) for one in details
    )
    less = after.keep is not None and before.keep is not None and after.keep != before.keep
    warnings = ("The next run deletes those of its snapshots that exceed the new retention.",) if less else ()
    return Plan(title=f"Change schedule {before.name}", changes=changes, steps=(), warnings=warnings), after, chosen


def plan_delete(name: str, snapshots: int) -> Plan:
    """Deletes the schedule; its snapshots stay."""
    stay = f"; its {snapshots} snapshots remain and are no longer deleted automatically" if snapshots else ""
    change = PlannedChange(action=Action.DESTROY, noun="schedule", name=name, detail=f"it no longer runs{stay}")
    return Plan(title=f"Delete schedule {name}", changes=(change,), steps=())


def plan_run(name: str, action: ScheduleAction, subjects: Sequence[str], parts: Sequence[Plan] = ()) -> Plan:
    """One run. `parts` are the plans of what it will do, as far as they are known before."""
    what = "snapshot" if action is ScheduleAction.SNAPSHOT else "array"
    verb, words = (
        (Action.CREATE, "of volume {}, and snapshots beyond the retention are deleted")
        if what == "snapshot"
        else (Action.CHANGE, "{} is scrubbed")
    )
    reported = [PlannedChange(action=verb, noun=what, name=one, detail=words.format(one)) for one in subjects]
    return Plan(
        title=f"Run schedule {name}",
        changes=tuple(change for part in parts for change in part.changes) or tuple(reported),
        steps=tuple(step for part in parts for step in part.steps),
        warnings=tuple(dict.fromkeys(words for part in parts for words in part.warnings)),
    )


def snapshot_name(pattern: str, volume: str, at: dt.datetime, taken: Collection[str]) -> str:
    """A name for a snapshot that is taken at this local time. A long volume name is truncated, and if a clock repeats a
    second a number is added, so that the name is valid and not in `taken`.
    """
    date, time = at.strftime("%Y%m%d"), at.strftime("%H%M%S")
    room = NAME_CHARACTERS - len(pattern.format(volume="", date=date, time=time)) - 4
    name = pattern.format(volume=volume[: max(1, room)], date=date, time=time)[:NAME_CHARACTERS]
    number = 1
    while name in taken:
        number += 1
        stem = pattern.format(volume=volume[: max(1, room)], date=date, time=time)
        name = f"{stem[: NAME_CHARACTERS - len(str(number)) - 1]}-{number}"
    return name


def _chosen(
    findings: Findings, action: ScheduleAction, references: Sequence[str], subjects: Mapping[str, Subject]
) -> tuple[Subject, ...]:
    field, noun = _field(action), _field(action).removesuffix("s")
    found: dict[str, Subject] = {}
    for reference in references:
        subject = subjects.get(reference)
        if subject is None:
            message = f"{noun} {reference} was not found; reload the list of {noun}s"
            findings.add(Invalid, field, reference, message)
        elif subject.unable:
            findings.add(Invalid, field, reference, f"{noun} {subject.name}: {subject.unable}")
        else:
            found[subject.id] = subject
    return tuple(found.values())


def _field(action: ScheduleAction) -> str:
    return "volumes" if action is ScheduleAction.SNAPSHOT else "arrays"


def _words(action: ScheduleAction, subjects: Sequence[Subject]) -> str:
    names = shorten([one.name for one in subjects])
    return f"snapshots of {names}" if action is ScheduleAction.SNAPSHOT else f"scrubs of {names}"


def _times(spec: ScheduleCreate, facts: ScheduleFacts) -> str:
    if not spec.enabled:
        return f"at `{spec.when}` ({facts.zone.key}), when it is enabled"
    first = next(upcoming(spec.when, facts.zone, facts.now)).astimezone(facts.zone)
    return f"at `{spec.when}` ({facts.zone.key}), first on {first:%Y-%m-%d at %H:%M}"


def _difference(name: str, before: ScheduleCreate, after: ScheduleCreate) -> str:
    return f"{name.replace('_', ' ')}: {_shown(getattr(before, name))} becomes {_shown(getattr(after, name))}"


def _shown(value: object) -> str:
    if isinstance(value, Retention):
        return ", ".join(f"{count} {span}" for span, count in value.model_dump().items() if count)
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value) if value != "" else "none"
