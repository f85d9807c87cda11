"""Keeps the sealed copy of every array up to date (docs/decisions/0032), after changes and without delaying them."""

import base64
import datetime as dt
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

import lunette
from lunette.domain.agent_protocol import SealCopy
from lunette.domain.alerts import Severity
from lunette.domain.errors import LunetteError, NotFound, Unavailable
from lunette.domain.sealed_copies import LOST, CopyHeader, SealOrder, sealed_part
from lunette.domain.settings import SECRETS
from lunette.engine.alerts.board import AlertBoard, Cause
from lunette.engine.context.loop import Loop
from lunette.engine.exports import exportset
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.volume_engines import volumes_of
from lunette.store.backup import tables
from lunette.store.database import Store
from lunette.store.resources import (
    Array,
    ArrayDisk,
    DeletedSnapshot,
    DeletedVolume,
    FcPort,
    HeldNumber,
    Host,
    HostGroup,
    HostGroupMember,
    HostInitiator,
    Mapping,
    Portal,
    Snapshot,
    Target,
    Volume,
)
from lunette.store.schema import Base, utc_now
from lunette.store.secrets import SecretBox
from lunette.store.settings import lost_secrets, read_settings
from lunette.system.agent_port import AgentPort

SETTLE_S = 5.0
"""Changes within this time are combined into one pass."""
BREAKS = 20
"""A pass reads every row: while changes go on, passes take at most this share of the time."""
PERIOD_S = 60.0
"""Retry interval for copies that could not be written."""
GRACE_S = 180.0
FAMILIES = ("sealed_copy:", "host.secret:", "setting.secret:")
OTHER_KEY = "It was sealed with a different key than the current one in the key file (secret.key)"
_MODELS = (
    Array,
    ArrayDisk,
    Volume,
    DeletedVolume,
    Snapshot,
    DeletedSnapshot,
    Host,
    HostInitiator,
    HostGroup,
    HostGroupMember,
    Target,
    Mapping,
    Portal,
    FcPort,
    HeldNumber,
)
NO_ARRAY = "0" * 32
"""Written in a header until the copy is on an array."""
TABLES = tuple(table for table in Base.metadata.sorted_tables if table.name in {m.__tablename__ for m in _MODELS})
"""Tables of a copy, in the order of their keys. Users, settings and history are in backups only."""


@dataclass(frozen=True)
class _State:
    """What is to be sealed now, and on which arrays (ID, name, UUID, group)."""

    content: bytes
    header: CopyHeader
    arrays: Sequence[tuple[str, str, str, str]]
    without_secret: Sequence[tuple[str, str, bool]]
    """Hosts by ID and name whose secrets are lost; True if only the key differs, so that they are admitted."""
    lost: Sequence[str]
    """Secrets of settings that were sealed with another key, by their keys."""


def content(tx: Session) -> bytes:
    """The content of every array's copy: the same rows give the same bytes."""
    return tables.dump_without_secrets(tx, TABLES)


class Sealer:
    """One thread. A second process may run one too: a copy that is written twice is the same copy."""

    def __init__(
        self, store: Store, agent: AgentPort, now: Callable[[], dt.datetime] = utc_now, *, pace: float = 1.0
    ) -> None:
        self._store, self._agent, self._now = store, agent, now
        self._settle_s, self._longest_s = SETTLE_S * pace, PERIOD_S * pace
        self._next = float("-inf")
        self._written: dict[str, str] = {}
        """Digest of the copy on each array, by UUID."""
        self._generation = 0
        self._board = AlertBoard(store, FAMILIES)
        self._loop = Loop("sealer", self._settled, pace)
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        self._unsubscribe = self._store.subscribe(self._loop.wake)
        self._loop.start()

    def stop(self) -> None:
        self._unsubscribe()
        self._loop.stop()

    def _settled(self) -> float:
        began = time.monotonic()
        if began < self._next:
            self._loop.rest(min(self._next - began, 1.0))
            return 0.0
        pause_s = self.round()
        ended = time.monotonic()
        self._next = ended + min(self._longest_s, max(self._settle_s, BREAKS * (ended - began)))
        return pause_s

    def round(self) -> float:
        """Writes what changed to each running array. Returns the seconds until a retry is useful."""
        state = self._read()
        digest = hashlib.sha256(state.content).hexdigest()
        causes = [*(_missing_secret(*one) for one in state.without_secret), *map(_lost_setting, state.lost)]
        packed = base64.b64encode(state.content).decode()
        self._generation += 1
        for id_, name, uuid, group in state.arrays:
            if self._written.get(uuid) == digest:
                continue
            header = state.header.model_copy(update={"array_uuid": uuid, "generation": self._generation})
            seal = self._store.box.mac(sealed_part(header, state.content))
            header = header.model_copy(update={"seal": seal})
            try:
                order = SealOrder(group=group, header=header, content=packed)
                self._generation = max(self._generation, self._agent.ask(SealCopy(order=order)))
            except Unavailable:
                return PERIOD_S
            except NotFound:
                continue  # the array is down, which has its own alert
            except (LunetteError, ValueError) as error:
                causes.append(_not_written(id_, name, error))
            else:
                self._written[uuid] = digest
        self._board.show(causes, self._now())
        return PERIOD_S

    def _read(self) -> _State:
        with self._store.read() as tx:
            grouped = [engine.value for engine in ARRAY_ENGINES if volumes_of(engine).carries_sealed_copy]
            sealed = select(Array).where(exportset.is_served(), Array.engine.in_(grouped)).order_by(Array.id)
            header = CopyHeader(
                generation=0,
                written_at=self._now(),
                array_uuid=NO_ARRAY,
                appliance=read_settings(tx).name or "",
                appliance_id=exportset.meta(tx, "appliance_id"),
                version=lunette.__version__,
                schema_revision=tables.revision(tx),
            )
            return _State(
                content=content(tx),
                header=header,
                arrays=[(row.id, row.name, row.uuid, row.group_name) for row in tx.scalars(sealed)],
                without_secret=list(_without_secret(tx, self._store.box)),
                lost=lost_secrets(tx, self._store.box),
            )


def _not_written(array_id: str, name: str, error: Exception) -> Cause:
    return Cause(
        key=f"{FAMILIES[0]}{array_id}",
        severity=Severity.WARNING,
        message=f"The sealed copy on array {name} is not up to date",
        cause=str(error),
        fix="The copy is retried every minute. Leave 8 MiB of the array free, and create a backup (`lunette backup`).",
        grace_s=GRACE_S,
    )


def _without_secret(tx: Session, box: SecretBox) -> Iterator[tuple[str, str, bool]]:
    columns = (
        Host.chap_secret_sealed,
        Host.chap_mutual_secret_sealed,
        Host.dhchap_secret_sealed,
        Host.dhchap_mutual_secret_sealed,
    )
    held = select(Host.id, Host.name, *columns).where(or_(*(column.is_not(None) for column in columns)))
    for id_, name, *found in tx.execute(held):
        sealed = [one for one in found if one is not None]
        if LOST in sealed:
            yield id_, name, False
        elif any(box.open_if_known(one) is None for one in sealed):
            yield id_, name, True


def _missing_secret(host_id: str, name: str, is_let_in: bool) -> Cause:
    why = f"Host {name} cannot connect: set its CHAP or DH-CHAP secret again"
    if is_let_in:
        why = f"The CHAP or DH-CHAP secret of host {name} cannot be read: set it again"
    return Cause(
        key=f"{FAMILIES[1]}{host_id}",
        severity=Severity.WARNING,
        message=why,
        cause=OTHER_KEY if is_let_in else "The appliance was rebuilt from its disks, which do not contain secrets",
        fix=f"Set the secrets that the host uses with `lunette host set {name}`.",
    )


def _lost_setting(key: str) -> Cause:
    name, field = SECRETS[key]
    return Cause(
        key=f"{FAMILIES[2]}{name}.{field}",
        severity=Severity.WARNING,
        message=f"The stored {field.replace('_', ' ')} of the setting {name} cannot be read: enter it again",
        cause=OTHER_KEY,
        fix=(
            f"Restore the key file, or set {name} again, including this value. All other settings can be changed as "
            "usual."
        ),
    )
