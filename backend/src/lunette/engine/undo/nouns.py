"""How each noun goes back: its own create, patch and delete, so that undo checks and refuses what any request would."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from lunette.domain.errors import LunetteError
from lunette.domain.fc import FcPortCreate, FcPortPatch
from lunette.domain.hosts import HostCreate, HostGroupCreate, HostGroupPatch, HostPatch
from lunette.domain.identity import KeptIdentity
from lunette.domain.mappings import MappingCreate, PortalCreate
from lunette.domain.schedules import ScheduleCreate, SchedulePatch
from lunette.domain.settings import SettingsPatch
from lunette.domain.volumes import VolumePatch
from lunette.engine.changes import fc_ports, host_groups, hosts, mappings, portals, schedules, settings, volumes
from lunette.engine.context.desk import Desk
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.records.states import IDENTITY, States
from lunette.store.schema import Json


@dataclass(frozen=True)
class Hand:
    """What every change is made with."""

    tx: Session
    desk: Desk
    actor: Actor
    dry_run: bool


def _never(*_: object) -> Outcome:
    raise LunetteError("Nothing is kept of such a change, and yet it was to be undone.")


@dataclass(frozen=True)
class Noun:
    """`create` takes states by id, `patch` an id and the fields that go back, `delete` ids."""

    words: str
    create: Callable[[Hand, States], Outcome] = _never
    patch: Callable[[Hand, str, Json], Outcome] = _never
    delete: Callable[[Hand, Sequence[str]], Outcome] = _never


def _host(by: Hand, states: States) -> Outcome:
    wish, kept = _wish_and_names(states)
    return hosts.create(by.tx, by.desk, by.actor, HostCreate.model_validate(wish), by.dry_run, kept)


def _host_group(by: Hand, states: States) -> Outcome:
    wish, kept = _wish_and_names(states)
    return host_groups.create(by.tx, by.desk, by.actor, HostGroupCreate.model_validate(wish), by.dry_run, kept)


def _wish_and_names(states: States) -> tuple[Json, KeptIdentity]:
    state = _one(states)[1]
    wish = {field: value for field, value in state.items() if field != IDENTITY}
    return wish, KeptIdentity.model_validate(state[IDENTITY])


def _portal(by: Hand, states: States) -> Outcome:
    id_, wish = _one(states)
    return portals.create(by.tx, by.desk, by.actor, PortalCreate.model_validate(wish), by.dry_run, id_)


def _fc_port(by: Hand, states: States) -> Outcome:
    id_, wish = _one(states)
    return fc_ports.create(by.tx, by.desk, by.actor, FcPortCreate.model_validate(wish), by.dry_run, id_)


def _schedule(by: Hand, states: States) -> Outcome:
    id_, wish = _one(states)
    made = schedules.create(by.tx, by.desk, by.actor, ScheduleCreate.model_validate(wish), by.dry_run, id_)
    warning = (
        "It starts from now and does not delete snapshots that it took before it was deleted: delete those manually."
    )
    return made.model_copy(update={"plan": made.plan.model_copy(update={"warnings": (*made.plan.warnings, warning)})})


def _mappings(by: Hand, states: States) -> Outcome:
    wishes = [MappingCreate.model_validate(state) for state in states.values()]
    return mappings.create(by.tx, by.desk, by.actor, wishes, by.dry_run, tuple(states))


def _one(states: States) -> tuple[str, Json]:
    ((id_, state),) = states.items()
    return id_, state


NOUNS: Mapping[str, Noun] = {
    "host": Noun(
        "host",
        _host,
        lambda by, ref, wish: hosts.patch(by.tx, by.desk, by.actor, ref, HostPatch.model_validate(wish), by.dry_run),
        lambda by, ids: hosts.delete(by.tx, by.actor, ids[0], by.dry_run),
    ),
    "host_group": Noun(
        "host group",
        _host_group,
        lambda by, ref, wish: host_groups.patch(
            by.tx, by.desk, by.actor, ref, HostGroupPatch.model_validate(wish), by.dry_run
        ),
        lambda by, ids: host_groups.delete(by.tx, by.actor, ids[0], by.dry_run),
    ),
    "mapping": Noun(
        "mapping",
        _mappings,
        delete=lambda by, ids: mappings.delete_batch(by.tx, by.desk, by.actor, ids, by.dry_run),
    ),
    "portal": Noun(
        "portal", _portal, delete=lambda by, ids: portals.delete(by.tx, by.desk, by.actor, ids[0], by.dry_run)
    ),
    "fc_port": Noun(
        "Fibre Channel port",
        _fc_port,
        lambda by, ref, wish: fc_ports.patch(
            by.tx, by.desk, by.actor, ref, FcPortPatch.model_validate(wish), by.dry_run
        ),
        lambda by, ids: fc_ports.delete(by.tx, by.desk, by.actor, ids[0], by.dry_run),
    ),
    "schedule": Noun(
        "schedule",
        _schedule,
        lambda by, ref, wish: schedules.patch(
            by.tx, by.desk, by.actor, ref, SchedulePatch.model_validate(wish), by.dry_run
        ),
        lambda by, ids: schedules.delete(by.tx, by.actor, ids[0], by.dry_run),
    ),
    "volume": Noun(
        "volume",
        patch=lambda by, ref, wish: volumes.patch(
            by.tx, by.desk, by.actor, ref, VolumePatch.model_validate(wish), by.dry_run
        ),
    ),
    "setting": Noun(
        "setting",
        patch=lambda by, _ref, wish: settings.patch(
            by.tx, by.desk, by.actor, SettingsPatch.model_validate(wish), by.dry_run
        ),
    ),
}
