"""The table of nouns and verbs: which function makes which change.

Site documents and undo make their changes through it, so that each is checked and refused like a request to the API.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lunette.domain.errors import LunetteError
from lunette.domain.fc import FcPortCreate
from lunette.domain.hosts import HostCreate, HostGroupCreate
from lunette.domain.identity import KeptIdentity
from lunette.domain.mappings import MappingCreate, PortalCreate
from lunette.domain.schedules import ScheduleCreate
from lunette.domain.site import SiteNoun
from lunette.engine.changes import (
    array_changes,
    arrays,
    fc_ports,
    host_groups,
    hosts,
    mappings,
    portals,
    schedules,
    settings,
    volumes,
)
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.records.states import IDENTITY, States
from lunette.planner.site.changes import Verb
from lunette.store.schema import Json


def _cannot(*_: object) -> Outcome:
    raise LunetteError("There is no such change of this kind of object.")


@dataclass(frozen=True)
class Noun:
    """The changes of one kind of object. The specs are those of `planner.site.changes.SPECS`."""

    words: str
    """Its name in messages."""
    create: Callable[[ChangeContext, Sequence[Any]], Outcome] = _cannot
    """Takes all specs at once, or only one if the API creates these objects one at a time."""
    restore: Callable[[ChangeContext, States], Outcome] = _cannot
    """Creates deleted objects again from their states by ID, with their previous IDs and names."""
    verbs: Mapping[Verb, Callable[[ChangeContext, str, Any], Outcome]] = field(default_factory=dict)
    """Changes of one existing object: they take its ID or name, and the spec."""
    delete: Callable[[ChangeContext, Sequence[str]], Outcome] = _cannot
    """Takes IDs or names; only one, except for mappings and hosts."""


def _restore_hosts(context: ChangeContext, states: States) -> Outcome:
    parts = [_spec_and_identity({id_: state}) for id_, state in states.items()]
    return hosts.create_all(context, [(HostCreate.model_validate(spec), identity) for spec, identity in parts])


def _restore_host_group(context: ChangeContext, states: States) -> Outcome:
    spec, identity = _spec_and_identity(states)
    return host_groups.create(context, HostGroupCreate.model_validate(spec), identity)


def _restore_portal(context: ChangeContext, states: States) -> Outcome:
    id_, spec = _one(states)
    return portals.create(context, PortalCreate.model_validate(spec), id_)


def _restore_fc_port(context: ChangeContext, states: States) -> Outcome:
    id_, spec = _one(states)
    return fc_ports.create(context, FcPortCreate.model_validate(spec), id_)


def _restore_mappings(context: ChangeContext, states: States) -> Outcome:
    specs = [MappingCreate.model_validate(state) for state in states.values()]
    return mappings.create(context, specs, tuple(states))


def _restore_schedule(context: ChangeContext, states: States) -> Outcome:
    id_, spec = _one(states)
    made = schedules.create(context, ScheduleCreate.model_validate(spec), id_)
    warning = (
        "It starts from now and does not delete snapshots that it took before it was deleted: delete those manually."
    )
    return made.model_copy(update={"plan": made.plan.model_copy(update={"warnings": (*made.plan.warnings, warning)})})


def _spec_and_identity(states: States) -> tuple[Json, KeptIdentity]:
    state = _one(states)[1]
    spec = {name: value for name, value in state.items() if name != IDENTITY}
    return spec, KeptIdentity.model_validate(state[IDENTITY])


def _one(states: States) -> tuple[str, Json]:
    ((id_, state),) = states.items()
    return id_, state


NOUNS: Mapping[SiteNoun, Noun] = {
    SiteNoun.ARRAY: Noun(
        "array",
        create=lambda context, specs: arrays.create(context, specs[0]),
        verbs={
            Verb.PATCH: array_changes.patch,
            Verb.GROW: array_changes.grow,
            Verb.ADD_SPARES: array_changes.add_spares,
            Verb.ADD_DISKS: array_changes.add_disks,
        },
        delete=lambda context, refs: arrays.delete(context, refs[0]),
    ),
    SiteNoun.VOLUME: Noun(
        "volume",
        create=volumes.create,
        verbs={Verb.PATCH: volumes.patch, Verb.GROW: volumes.grow},
        delete=lambda context, refs: volumes.delete(context, refs[0]),
    ),
    SiteNoun.HOST: Noun(
        "host",
        create=lambda context, specs: hosts.create(context, specs[0]),
        restore=_restore_hosts,
        verbs={Verb.PATCH: hosts.patch},
        delete=host_groups.delete_hosts,
    ),
    SiteNoun.HOST_GROUP: Noun(
        "host group",
        create=lambda context, specs: host_groups.create(context, specs[0]),
        restore=_restore_host_group,
        verbs={Verb.PATCH: host_groups.patch},
        delete=lambda context, refs: host_groups.delete(context, refs[0]),
    ),
    SiteNoun.PORTAL: Noun(
        "portal",
        create=lambda context, specs: portals.create(context, specs[0]),
        restore=_restore_portal,
        verbs={Verb.PATCH: portals.patch},
        delete=lambda context, refs: portals.delete(context, refs[0]),
    ),
    SiteNoun.FC_PORT: Noun(
        "Fibre Channel port",
        create=lambda context, specs: fc_ports.create(context, specs[0]),
        restore=_restore_fc_port,
        verbs={Verb.PATCH: fc_ports.patch},
        delete=lambda context, refs: fc_ports.delete(context, refs[0]),
    ),
    SiteNoun.MAPPING: Noun("mapping", create=mappings.create, restore=_restore_mappings, delete=mappings.delete_batch),
    SiteNoun.SCHEDULE: Noun(
        "schedule",
        create=lambda context, specs: schedules.create(context, specs[0]),
        restore=_restore_schedule,
        verbs={Verb.PATCH: schedules.patch},
        delete=lambda context, refs: schedules.delete(context, refs[0]),
    ),
    SiteNoun.SETTING: Noun("setting", verbs={Verb.PATCH: lambda context, _ref, spec: settings.patch(context, spec)}),
}
