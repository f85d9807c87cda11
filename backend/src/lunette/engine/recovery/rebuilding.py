"""Rebuilds a lost database from the sealed copies on the data disks (docs/decisions/0032).

Only an appliance without arrays and hosts takes the identity of the previous one, because its exports carry that in
their names. Afterward, further arrays of the same appliance can be added. Existing rows are never changed.
"""

import base64
import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Table, UniqueConstraint, insert, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine, MemberRole, ObservedArray
from lunette.domain.errors import Conflict, FieldProblem, Invalid, LunetteError, PreconditionFailed
from lunette.domain.exports import ExportSet
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.domain.sealed_copies import FORMAT, LOST, CopyHeader, FoundCopy, RebuildArray, RebuildFound, sealed_part
from lunette.engine.background.sealer import TABLES
from lunette.engine.context import uptime
from lunette.engine.context.change import ChangeContext
from lunette.engine.exports import exportset
from lunette.engine.journal.disk_rows import observed_roles
from lunette.engine.recovery.rebuild_changes import Row, Rows, changes
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.volume_engines import hides_volumes
from lunette.store.backup import tables
from lunette.store.database import store_of
from lunette.store.resources import Array, Host, HostGroup, HostLogin, Meta, Portal
from lunette.store.secrets import SecretBox
from lunette.store.settings import read_settings

_NOTHING = "Nothing was changed:"


@dataclass
class _Offer:
    """An array that could be rebuilt, and the rows of its appliance: those of its newest copy."""

    found: FoundCopy
    content: bytes
    rows: Rows = field(default_factory=dict)
    problem: str | None = None
    sealed_here: bool = False
    """True if its own copy and the one with its rows were sealed by this appliance."""

    @property
    def header(self) -> CopyHeader | None:
        return self.found.header

    @property
    def row(self) -> Row | None:
        return next((row for row in self.rows.get("array", ()) if row["uuid"] == self.found.array_uuid), None)

    @property
    def name(self) -> str:
        return self.row["name"] if self.row else self.found.array


@dataclass(frozen=True)
class RebuildSelection:
    """Names or UUIDs of arrays; empty for all. `adopt`: also accepts copies without a seal of this appliance.

    `digest`: of the content that a dry run read. Required except for a dry run.
    """

    arrays: Sequence[str] = ()
    adopt: bool = False
    digest: str | None = None
    dry_run: bool = False


@dataclass(frozen=True)
class Disks:
    """Facts from the agent: the copies, its exports, and the observed machine."""

    copies: Sequence[FoundCopy]
    served: ExportSet | None
    seen: Observation


def rebuild(context: ChangeContext, disks: Disks, wanted: RebuildSelection) -> RebuildFound:
    """Adds the rows of the chosen arrays to the database.

    Raises Conflict, Invalid or PreconditionFailed, and then changed nothing.
    """
    tx = context.tx
    known = set(tx.scalars(select(Array.uuid)))
    copies = [copy for copy in disks.copies if copy.array_uuid not in known]
    digest = _digest(copies)
    _check_seen(digest, wanted)
    offers = _offers(store_of(tx).box, copies)
    chosen = _choose(offers, wanted.arrays)
    if not chosen:
        return _answer(digest, offers, [], {}, (), ())
    _check_seals(chosen, wanted)
    appliance_id = _appliance(tx, chosen, disks.served)
    rows = _selected(chosen)
    warnings = [*_settle(tx, rows, disks.seen)]
    missing = _new(tx, rows)
    if refusals := [*_conflicts(tx, missing)]:
        raise Conflict(f"{_NOTHING} {'; '.join(refusals[:10])}. Rename or delete the existing objects, then try again.")
    answer = _answer(digest, offers, chosen, missing, warnings, [*changes(tx, missing)])
    for table in TABLES:
        if missing[table.name]:
            tx.execute(insert(table), missing[table.name])
    tx.add_all(HostLogin(host_id=row["id"]) for row in missing["host"])
    own = tx.get_one(Meta, "appliance_id")
    if own.value != appliance_id:
        own.value = appliance_id
        tx.get_one(Meta, "database_id").value = str(
            uuid.uuid4()
        )  # by which the agent, which serves nothing, accepts it
    exportset.changed(tx, context.services)
    names = ", ".join(sorted(offer.name for offer in chosen))
    context.emit("appliance.rebuilt", f"{context.actor.name} rebuilt {names} from the data disks")
    return answer


def _digest(copies: Sequence[FoundCopy]) -> str:
    """Digest of the content of all copies. The reasons why a copy cannot be read are not part of it."""
    lines = sorted(copy.model_dump_json(exclude={"problem"}) for copy in copies)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _check_seen(digest: str, wanted: RebuildSelection) -> None:
    """Raises Invalid or PreconditionFailed unless the dry run was reviewed: disks can be exchanged."""
    if wanted.digest is None and not wanted.dry_run:
        raise Invalid(
            f"{_NOTHING} do a dry run first, review the result, and send the `digest` from its response.",
            errors=(FieldProblem(field="digest", value=None, message="must be the digest from the dry run"),),
        )
    if wanted.digest not in (None, digest):
        raise PreconditionFailed(
            f"{_NOTHING} the content of the disks is not the same as in the dry run: disks were replaced, added or "
            "removed, or their copies were rewritten. Repeat the dry run, review its changes, and send its digest."
        )


def _check_seals(chosen: Sequence[_Offer], wanted: RebuildSelection) -> None:
    """Raises Conflict for a copy that anyone may have written, unless it is to be adopted."""
    others = sorted(offer.name for offer in chosen if not offer.sealed_here)
    if others and not wanted.adopt and not wanted.dry_run:
        raise Conflict(
            f"{_NOTHING} the copies on {', '.join(others[:10])} were not sealed with a key of this appliance, so "
            "anyone with access to the disks may have written them. A dry run shows what they change: if that is what "
            "you expect, repeat the request with `adopt`."
        )


def _offers(box: SecretBox, copies: Sequence[FoundCopy]) -> list[_Offer]:
    """Every unknown array, with the rows of the newest copy of its appliance that contains it.

    A copy that was sealed here takes precedence over any other, however new that one claims to be.
    """
    offers = [_Offer(copy, base64.b64decode(copy.content)) for copy in copies]
    for offer in offers:
        offer.sealed_here = _is_sealed(box, offer)
    newest: dict[str, Rows] = {}
    problems: dict[str, str] = {}
    for offer in sorted(offers, key=_weight, reverse=True):
        header = offer.header
        if header is None or header.appliance_id in newest:
            continue
        if header.format > FORMAT or tables.is_newer(header.schema_revision):
            problems[header.appliance_id] = f"its copy was written by the newer version {header.version}: upgrade first"
            newest[header.appliance_id] = {}
            continue
        try:
            packed = tables.unpacked(offer.content, header.schema_revision)
            with packed as (_, engine), engine.connect() as source:
                newest[header.appliance_id] = {
                    table.name: [dict(row) for row in source.execute(select(table)).mappings()] for table in TABLES
                }
        except LunetteError as error:
            why = error.detail.removeprefix(f"{_NOTHING} ")
            problems[header.appliance_id] = f"the copy on {offer.found.array} cannot be used: {why}"
    for offer in offers:
        id_ = offer.header.appliance_id if offer.header else ""
        offer.rows, offer.problem = newest.get(id_, {}), offer.found.problem or problems.get(id_)
        if offer.problem is None and offer.header is None:
            offer.problem = "it has no sealed copy: restore a backup"
        elif offer.problem is None and offer.row is None:
            offer.problem = "the newest copy of its appliance does not contain it: it was forgotten there"
        elif offer.problem is None and offer.row and offer.row["state"] == ResourceState.CREATING:
            offer.problem = "it was being created when the copy was written"
    return offers


def _weight(offer: _Offer) -> tuple[bool, int]:
    return offer.sealed_here, offer.header.generation if offer.header else 0


def _is_sealed(box: SecretBox, offer: _Offer) -> bool:
    header = offer.header
    if header is None or header.seal is None or header.array_uuid != offer.found.array_uuid:
        return False
    return box.has_made(header.seal, sealed_part(header, offer.content))


def _choose(offers: Sequence[_Offer], wanted: Sequence[str]) -> list[_Offer]:
    for name in wanted:
        same = [offer for offer in offers if name in (offer.name, offer.found.array_uuid)]
        if len(same) != 1:
            words = "several arrays have this name; use the UUID" if same else "no unknown array has this name or UUID"
            raise Invalid(f"{_NOTHING} {name}: {words}. A dry run shows the arrays that can be rebuilt.")
        if same[0].problem:
            raise Conflict(f"{_NOTHING} array {name}: {same[0].problem}.")
    if wanted:
        return [offer for offer in offers if offer.name in wanted or offer.found.array_uuid in wanted]
    good = [offer for offer in offers if offer.problem is None]
    return good if len({offer.header.appliance_id for offer in good if offer.header}) == 1 else []


def _appliance(tx: Session, chosen: Sequence[_Offer], served: ExportSet | None) -> str:
    """The appliance of the arrays. Raises Conflict if it cannot be this one."""
    ids = {offer.header.appliance_id for offer in chosen if offer.header}
    own = exportset.meta(tx, "appliance_id")
    if len(ids) > 1:
        raise Conflict(f"{_NOTHING} these arrays belong to {len(ids)} appliances. Specify arrays of only one.")
    found = ids.pop()
    mine = [*tx.scalars(select(Array.name)), *tx.scalars(select(Host.name)), *tx.scalars(select(HostGroup.name))]
    if found != own and mine:
        raise Conflict(
            f"{_NOTHING} these arrays belong to appliance {found}, but appliance {own} already has {mine[0]}. Rebuild "
            "them on an appliance that has no arrays and no hosts."
        )
    if found != own and served is not None and not served.is_empty:
        raise Conflict(
            f"{_NOTHING} these arrays belong to appliance {found}, but appliance {own} already serves exports here: "
            "delete its portals and all its other objects, then try again."
        )
    return found


def _selected(chosen: Sequence[_Offer]) -> Rows:
    """The rows of the chosen arrays; all hosts, groups and portals are included, because they belong to the
    appliance.
    """
    rows = {name: list(found) for name, found in chosen[0].rows.items()}
    uuids = {offer.found.array_uuid for offer in chosen}
    rows["array"] = [row for row in rows["array"] if row["uuid"] in uuids]
    arrays = {row["id"] for row in rows["array"]}
    for name in ("array_disk", "volume", "deleted_volume"):
        rows[name] = [row for row in rows[name] if row["array_id"] in arrays and _was_made(row)]
    for name in ("volume", "snapshot"):  # one that was being recovered is in both tables
        kept = {row["id"] for row in rows[f"deleted_{name}"]}
        rows[name] = [row for row in rows[name] if row["id"] not in kept]
    volumes = {row["id"] for row in rows["volume"]}
    for name in ("snapshot", "mapping"):
        rows[name] = [row for row in rows[name] if row["volume_id"] in volumes and _was_made(row)]
    volumes |= {row["id"] for row in rows["deleted_volume"]}
    rows["deleted_snapshot"] = [row for row in rows["deleted_snapshot"] if row["volume_id"] in volumes]
    return rows


def _was_made(row: Row) -> bool:
    return row.get("state") != ResourceState.CREATING


def _settle(tx: Session, rows: Rows, seen: Observation) -> Iterator[str]:
    """Adjusts rows to the present state of the disks: no interrupted change continues."""
    observed = {array.uuid: array for array in seen.arrays}
    serials = {disk.id: disk.serial for disk in seen.disks}
    for row in rows["array_disk"]:
        row.setdefault("role", MemberRole.DATA.value)  # a copy from before there were roles
        row.setdefault("write_mostly", False)
    for row in rows["array"]:
        roles = observed_roles(seen, row["uuid"])
        places = observed[row["uuid"]].members if row["uuid"] in observed else ()
        members = {m.disk_id: m for m in places if m.disk_id}
        before = {disk["disk_id"]: disk for disk in rows["array_disk"] if disk["array_id"] == row["id"]}
        for number, id_ in enumerate(one for one in members if one not in before):
            slot = len(before) + number
            disk = {
                "disk_id": id_,
                "array_id": row["id"],
                "serial": serials.get(id_, ""),
                "slot": slot,
                "leaving": False,
                "write_mostly": members[id_].write_mostly,
                "role": roles.get(id_, MemberRole.DATA.value),
            }
            rows["array_disk"].append(disk)
            yield f"Disk {id_} is now in array {row['name']}"
        row["growing"] = row["growing"] or row["state"] != ResourceState.READY or _has_another_level(row, observed)
    sizes = {volume.volume_id: volume.size_bytes for volume in seen.volumes}
    for row in rows["volume"]:
        row["size_bytes"] = sizes.get(row["id"], row["size_bytes"])
    for name in ("array", "volume", "snapshot", "deleted_volume", "deleted_snapshot"):
        for row in rows[name]:
            if row["state"] != ResourceState.READY:
                yield f"{name.replace('_', ' ').capitalize()} {row['name']} was {row['state']}: check its current state"
                row["state"] = ResourceState.READY.value
    _start_over(tx, rows)
    groups = {pool.group for pool in seen.groups}
    for row in rows["array"]:
        if row["group_name"] in groups and not hides_volumes(seen, ArrayEngine(row["engine"]), row["group_name"]):
            gone = [v for v in rows["volume"] if v["array_id"] == row["id"] and v["id"] not in sizes]
            yield from (f"Volume {volume['name']} is no longer on array {row['name']}" for volume in gone)


def _start_over(tx: Session, rows: Rows) -> None:
    """Retention periods start again now: the clock and the count are those of this database."""
    clock, settings = uptime.read(tx), read_settings(tx)
    for row in (*rows["deleted_volume"], *rows["deleted_snapshot"]):
        row["due_s"] = clock.due_s(settings.deleted_keep_hours)
    for row in rows["held_number"]:
        row |= {"due_s": clock.due_s(settings.number_held_hours), "generation": 0}


def _has_another_level(row: Row, observed: Mapping[str, ObservedArray]) -> bool:
    """True if the array has another level now: the copy is older than that change."""
    found = observed.get(row["uuid"])
    if found is None or not ARRAY_ENGINES[ArrayEngine(row["engine"])].changes_level:
        return False
    return bool(found.level != row["level"])


def _new(tx: Session, rows: Rows) -> Rows:
    """Rows that are not here yet, by key. Existing rows stay unchanged."""
    missing = {}
    for table in TABLES:
        keys = list(table.primary_key.columns)
        here = {tuple(row) for row in tx.execute(select(*keys))}
        missing[table.name] = [row for row in rows[table.name] if tuple(row[key.name] for key in keys) not in here]
    portals = {(row.protocol, row.address, row.port) for row in tx.scalars(select(Portal))}
    missing["portal"] = [
        row for row in missing["portal"] if (row["protocol"], row["address"], row["port"]) not in portals
    ]
    return missing


def _conflicts(tx: Session, rows: Rows) -> Iterator[str]:
    """Existing rows with the same name, number or identity."""
    for table in TABLES:
        if not rows[table.name]:
            continue
        for unique in table.constraints:
            if isinstance(unique, UniqueConstraint):
                yield from _taken(tx, table, [column.name for column in unique.columns], rows[table.name])


def _taken(tx: Session, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    here = {tuple(row) for row in tx.execute(select(*(table.c[name] for name in columns)))}
    for row in rows:
        values = tuple(row[name] for name in columns)
        if None not in values and values in here:
            what = " and ".join(f"{name} {value}" for name, value in zip(columns, values, strict=True))
            yield f"a {table.name.replace('_', ' ')} with {what} already exists"


def _answer(
    digest: str,
    offers: Sequence[_Offer],
    chosen: Sequence[_Offer],
    missing: Rows,
    warnings: Sequence[str],
    does: Sequence[str],
) -> RebuildFound:
    hosts = missing.get("host", [])
    secrets = [row for row in hosts if LOST in (row["chap_secret_sealed"], row["dhchap_secret_sealed"])]
    return RebuildFound(
        arrays=tuple(_shown(offer, chosen=offer in chosen) for offer in offers),
        hosts=tuple(sorted(row["name"] for row in hosts)),
        secrets_missing=tuple(sorted(row["name"] for row in secrets)),
        warnings=tuple(warnings),
        changes=tuple(does),
        digest=digest,
        rebuilt=bool(chosen),
    )


def _shown(offer: _Offer, *, chosen: bool) -> RebuildArray:
    row, header = offer.row, offer.header
    volumes = {one["id"] for one in offer.rows.get("volume", ()) if row and one["array_id"] == row["id"]}
    return RebuildArray(
        name=offer.name,
        uuid=offer.found.array_uuid,
        appliance=header.appliance if header else None,
        appliance_id=header.appliance_id if header else None,
        generation=header.generation if header else None,
        written_at=header.written_at if header else None,
        volumes=len(volumes),
        mappings=sum(one["volume_id"] in volumes for one in offer.rows.get("mapping", ())),
        sealed_here=offer.sealed_here,
        chosen=chosen,
        problem=offer.problem,
    )
