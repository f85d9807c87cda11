"""The difference between a site document and the present state, as changes of the API (decision 0010).

This is not a second planner: it only decides which single changes lead to the document and in which order; each is
planned and checked by its own noun when its turn comes. Nothing is removed that the request did not name.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lunette.domain.array_changes import MAX_JOINING
from lunette.domain.arrays import ArrayCreate
from lunette.domain.base import Model
from lunette.domain.dhchap import DhChap
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.hosts import Chap
from lunette.domain.jobs import ResourceState
from lunette.domain.mappings import PortalCreate
from lunette.domain.settings import is_alike
from lunette.domain.site import Site, SiteHost, SiteNoun, SiteRequest, key_of
from lunette.domain.volumes import VolumeCreate, VolumeGrow
from lunette.planner.access.portals import SERVED_BY
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.site import arrays as site_arrays
from lunette.planner.site import credentials, renames
from lunette.planner.site import portals as site_portals
from lunette.planner.site.changes import (
    CREATE_PHASE,
    CREATES,
    DELETE_PHASE,
    JOIN_PHASE,
    PATCH_PHASE,
    PATCHES,
    SHRINK_PHASE,
    Phase,
    SiteChange,
    Verb,
)
from lunette.planner.site.scope import narrow

REPLACEABLE = (SiteNoun.PORTAL, SiteNoun.MAPPING)
"""Nouns without data: their fixed fields change by deleting the old object, if the request names it, and creating it
again.
"""
EXCLUSIVE: Mapping[SiteNoun, tuple[str, ...]] = {
    SiteNoun.HOST: ("iqns", "wwpns", "nqns"),
    SiteNoun.HOST_GROUP: ("hosts",),
}
"""Lists whose items belong to only one entry: an item must leave one entry before another gets it."""
NO_PROPERTY = frozenset({"shared", "wipe", "renamed_from"})
"""Fields that permit something, or describe the way, and are no property of the created object."""
BATCHED = (SiteNoun.VOLUME, SiteNoun.MAPPING)
_PASSING = (ResourceState.CREATING, ResourceState.DELETING)
"""Job states whose end decides whether there is a difference. Resources that change or are stuck can be compared."""


@dataclass(frozen=True)
class KnownSite:
    """The present state, as a document with its secrets. `busy` gives, by key, the state of resources of running jobs;
    `members` the number of members of an md array, by its name: by default, as many as its `disks`.
    """

    site: Site
    busy: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """`changes` in the order they are made; `notes` say what the document does not change."""

    changes: tuple[SiteChange, ...]
    notes: tuple[str, ...]


def difference(request: SiteRequest, known: KnownSite) -> Difference:
    """The changes that bring the site to the document. Raises Invalid or Conflict naming each field that prevents
    it.
    """
    return _Comparison(request, known).run()


class _Comparison:
    """Collects the changes by phase."""

    def __init__(self, request: SiteRequest, known: KnownSite) -> None:
        self._places = {
            key_of(noun, entry): noun.section if noun is SiteNoun.SETTING else f"{noun.section}[{index}]"
            for noun in SiteNoun
            for index, entry in enumerate(request.site.entries(noun))
        }
        self._request = request
        self._renames = renames.renames(known.site, request.site)
        there = renames.by_new_names(known.site, self._renames)
        self._wanted = narrow(request.site, there, request.scope, request.site)
        self._present = narrow(there, there, request.scope, request.site)
        self._busy = {self._renames.key(key): state for key, state in known.busy.items()}
        self._members = known.members
        self._allowed = frozenset(request.destroy)
        self._wipe = frozenset(key.removeprefix("disk/") for key in request.destroy if key.startswith("disk/"))
        self._findings = Findings()
        self._phases: dict[Phase, list[SiteChange]] = {phase: [] for phase in Phase}
        self._left_alone: list[str] = []
        self._taken_over = self._portals_taken_over()

    def run(self) -> Difference:
        for noun, old, new in self._renames.pairs():
            if any(key_of(noun, entry) == f"{noun}/{new}" for entry in self._wanted.entries(noun)):
                self._rename(noun, old, new)
        for noun in SiteNoun:
            self._compare(noun)
        changed = {change.keys[0] for changes in self._phases.values() for change in changes}
        for key in self._busy:
            if key in changed:
                self._refuse_busy(key)
        self._findings.refuse("The site document cannot be applied, and nothing was changed")
        return Difference(tuple(self._in_order()), tuple(self._notes()))

    def _rename(self, noun: SiteNoun, old: str, new: str) -> None:
        if f"{noun}/{new}" in self._busy:
            self._refuse_busy(f"{noun}/{new}")
        place = self._places[f"{noun}/{new}"]
        spec = PATCHES[noun].model_validate({"name": new})
        self._phases[Phase.RENAME].append(SiteChange(Verb.PATCH, noun, (f"{noun}/{old}",), (spec,), (place,)))

    def _portals_taken_over(self) -> dict[str, str]:
        """Portals that cannot be moved in place, with the portal that gets their place."""
        present = {key_of(SiteNoun.PORTAL, one): one for one in self._present.portals or ()}
        wanted = {}
        for entry in self._wanted.portals or ():
            key = key_of(SiteNoun.PORTAL, entry)
            before = present.get(key)
            values = (_staying(before, entry) if before else {}) | _given(entry)
            wanted[key] = PortalCreate.model_construct(**_complete(SiteNoun.PORTAL, values))
        return site_portals.taken_over(wanted, present)

    def _compare(self, noun: SiteNoun) -> None:
        wanted = {key_of(noun, entry): entry for entry in self._wanted.entries(noun)}
        present = {key_of(noun, entry): entry for entry in self._present.entries(noun)}
        for key, entry in wanted.items():
            if self._busy.get(key) in _PASSING:
                self._refuse_busy(key)
            elif key not in present:
                self._create(noun, key, entry)
            else:
                self._change(noun, key, entry, present[key])
        self._remove(noun, [key for key in present if key not in wanted])

    def _refuse_busy(self, key: str) -> None:
        message = f"{key} is {self._busy[key]} now; wait for its job to end, or resolve it if it is stuck, then repeat"
        self._findings.add(Conflict, self._places.get(key, "destroy"), key, message)

    def _create(self, noun: SiteNoun, key: str, entry: Model, before: Model | None = None) -> None:
        """`before` is what it replaces: what the document omits stays unchanged."""
        values = (_staying(before, entry) if before else {}) | _given(entry)
        if isinstance(entry, SiteHost):
            values |= {name: made for name, made, _ in self._credentials(key, values, None)}
        if isinstance(entry, ArrayCreate):
            if entry.encryption is not None:
                message = (
                    f"{key} is encrypted, and a document cannot contain a passphrase: create it with `lunette array "
                    "create`"
                )
                self._findings.add(Invalid, f"{self._places[key]}.encryption", entry.encryption.value, message)
            values["wipe"] = tuple(disk for ids in entry.by_role().values() for disk in ids if disk in self._wipe)
        self._add(CREATE_PHASE[noun], Verb.CREATE, noun, key, CREATES[noun].model_construct(**_complete(noun, values)))

    def _add(self, phase: Phase, verb: Verb, noun: SiteNoun, key: str, spec: Model | None) -> None:
        specs, places = ((spec,), (self._places.get(key, ""),)) if spec is not None else ((), ())
        self._phases[phase].append(SiteChange(verb, noun, (key,), specs, places))

    def _change(self, noun: SiteNoun, key: str, wanted: Model, present: Model) -> None:
        patchable = PATCHES[noun].model_fields.keys() if noun in PATCHES and key not in self._taken_over else ()
        differing = {name: value for name, value in _given(wanted).items() if _differs(name, value, present)}
        if isinstance(wanted, ArrayCreate) and isinstance(present, ArrayCreate):
            members = self._members.get(present.name, len(present.disks))
            for name, joins in site_arrays.joining(wanted, present, self._wipe, members):
                differing.pop(name, None)
                self._join(key, name, joins)
        if isinstance(present, VolumeCreate) and differing.get("size_bytes", 0) > present.size_bytes:
            larger = VolumeGrow(size_bytes=differing.pop("size_bytes"))
            self._add(Phase.GROW_VOLUMES, Verb.GROW, noun, key, larger)
        fixed = {name: value for name, value in differing.items() if name not in patchable and value is not None}
        if fixed and not (noun in REPLACEABLE and key in self._allowed):
            self._refuse_fixed(noun, key, fixed, present)
        elif fixed:
            self._add(DELETE_PHASE[noun], Verb.DELETE, noun, key, None)
            self._create(noun, key, wanted, present)
        else:
            self._patch(noun, key, {name: value for name, value in differing.items() if name in patchable}, present)

    def _join(self, key: str, name: str, spec: site_arrays.Joining | None) -> None:
        """Adds disks to an existing array; a refusal names the list of the document that contains them."""
        if spec is not None:
            phase, verb = JOIN_PHASE[type(spec)]
            place = f"{self._places[key]}.{name}"
            if len(spec.disks) > MAX_JOINING:
                message = (
                    f"{len(spec.disks)} disks would be added to {key}, and at most {MAX_JOINING} can be added at a "
                    "time: add some first"
                )
                self._findings.add(Invalid, place, str(len(spec.disks)), message)
            self._phases[phase].append(SiteChange(verb, SiteNoun.ARRAY, (key,), (spec,), (place,)))

    def _refuse_fixed(self, noun: SiteNoun, key: str, fixed: Mapping[str, object], present: Model) -> None:
        for name, value in fixed.items():
            is_now = _words(getattr(present, name))
            message = f"{key} has {name} {is_now}, which cannot be changed to {_words(value)}"
            message += f", because {self._taken_over[key]} gets its place: " if key in self._taken_over else ": "
            message += _remedy(noun, key, name)
            self._findings.add(Conflict, f"{self._places[key]}.{name}", _words(value), message)

    def _patch(self, noun: SiteNoun, key: str, values: dict[str, object], present: Model) -> None:
        """Items that leave an exclusive list are removed first, in a separate change."""
        shrunk = {
            name: tuple(item for item in getattr(present, name) if item in _items(values[name]))
            for name in EXCLUSIVE.get(noun, ())
            if name in values and not set(getattr(present, name)) <= set(_items(values[name]))
        }
        if shrunk:
            self._add(SHRINK_PHASE[noun], Verb.PATCH, noun, key, PATCHES[noun](**shrunk))
        rest = {name: value for name, value in values.items() if shrunk.get(name) is None or _more(value, shrunk[name])}
        if isinstance(present, SiteHost):
            for name, made, held in list(self._credentials(key, rest, present)):
                if made is not None and made == held:
                    del rest[name]
                else:
                    rest[name] = made
        if rest:
            self._add(PATCH_PHASE[noun], Verb.PATCH, noun, key, PATCHES[noun](**rest))

    def _credentials(
        self, key: str, values: Mapping[str, Any], present: SiteHost | None
    ) -> Iterator[tuple[str, Chap | DhChap | None, Chap | DhChap | None]]:
        """Exclusive items among the values: the field, its new value, and the present items."""
        for name in credentials.FIELDS:
            if (asked := values.get(name)) is not None:
                held = getattr(present, name, None)
                place = f"{self._places[key]}.{name}"
                made = credentials.credentials(self._findings, key, place, asked, held)
                yield name, made, credentials.unchanged(held)

    def _remove(self, noun: SiteNoun, keys: Iterable[str]) -> None:
        for key in keys:
            if key not in self._allowed:
                if getattr(self._request.site, noun.section) is not None:
                    self._left_alone.append(key)
                continue
            phase = DELETE_PHASE[noun]
            if noun is SiteNoun.MAPPING and not self._allowed.isdisjoint(_ends(key)):
                phase = Phase.UNMAP_LEAVING
            self._add(phase, Verb.DELETE, noun, key, None)

    def _in_order(self) -> Iterator[SiteChange]:
        """Phase by phase; volumes and mappings are created in one change, all or none, like the API's batches."""
        for changes in self._phases.values():
            if changes and changes[0].verb is Verb.CREATE and changes[0].noun in BATCHED:
                yield SiteChange(
                    Verb.CREATE,
                    changes[0].noun,
                    tuple(key for change in changes for key in change.keys),
                    tuple(spec for change in changes for spec in change.specs),
                    tuple(place for change in changes for place in change.places),
                )
            else:
                yield from changes

    def _notes(self) -> Iterator[str]:
        if self._renames.idle:
            yield (
                f"Nothing is renamed to {shorten(self._renames.idle)}, which already exists in addition to its "
                "former name: omit renamed_from."
            )
        if held := [key for key in self._busy if key in self._places]:
            yield (
                f"A job is changing {shorten(held)}: the document does not change "
                f"{'it' if len(held) == 1 else 'them'}. Resolve the job if it is stuck."
            )
        if self._left_alone:
            yield (
                f"{len(self._left_alone)} are not in the document and are not changed: {shorten(self._left_alone)}. "
                "List them in destroy to remove them."
            )
        gone = {change.keys[0] for changes in self._phases.values() for change in changes if change.verb is Verb.DELETE}
        idle = [key for key in self._request.destroy if key not in gone and not key.startswith("disk/")]
        if idle:
            yield f"Listed in destroy, but not found: {shorten(idle)}."


def _given(entry: Model) -> dict[str, Any]:
    """The fields a document gives, in the order of the model."""
    return {name: getattr(entry, name) for name in type(entry).model_fields if name in entry.model_fields_set}


def _staying(before: Model, entry: Model) -> dict[str, Any]:
    """What a replaced object keeps if the document omits it: everything except an engine that was chosen automatically
    and does not serve the new protocol of a portal.
    """
    values = _given(before)
    if isinstance(before, PortalCreate):
        protocol = (values | _given(entry)).get("protocol", before.protocol)
        if before.engine not in SERVED_BY.get(protocol, ()):
            values.pop("engine", None)
    return values


def _complete(noun: SiteNoun, values: dict[str, Any]) -> dict[str, Any]:
    """Values of a spec, with defaults for what the document omits; they are validated already."""
    fields = CREATES[noun].model_fields
    return {name: values.get(name, item.get_default(call_default_factory=True)) for name, item in fields.items()}


def _differs(name: str, value: object, present: Model) -> bool:
    if name in NO_PROPERTY:
        return False
    held = getattr(present, name)
    return not is_alike(value, held) and _comparable(value) != _comparable(held)


def _comparable(value: object) -> object:
    """Lists are compared as sets: the order of disks, initiators and members has no meaning."""
    return frozenset(value) if isinstance(value, tuple) else value


def _items(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else ()


def _more(value: object, shrunk: tuple[object, ...]) -> bool:
    return set(_items(value)) != set(shrunk)


def _remedy(noun: SiteNoun, key: str, name: str) -> str:
    """What to do about a field that cannot change. Never suggests deleting what holds data."""
    if noun in REPLACEABLE:
        return (
            f"list {key} in destroy if it can be deleted and created again: the plan names the hosts that this "
            "interrupts"
        )
    called = key.partition("/")[2]
    others = {
        (
            SiteNoun.VOLUME,
            "size_bytes",
        ): "data of hosts at its end would be lost. Create a smaller volume and copy the data on the host",
        (SiteNoun.ARRAY, "level"): f"change it with `lunette array reshape {called}`, if md supports this",
        (
            SiteNoun.ARRAY,
            "disks",
        ): f"replace a disk with `lunette array replace {called}`; more disks can be added to the document",
        **dict.fromkeys(
            ((SiteNoun.ARRAY, role) for role in ("spares", "log", "cache", "special")),
            f"remove a disk with `lunette array remove {called}`; more disks can be added to the document",
        ),
    }
    other = others.get((noun, name), "it cannot change after creation")
    return f"{other}. In the document, specify the current value"


def _ends(key: str) -> Collection[str]:
    """The keys of what a mapping connects: `mapping/v/host/h` has volume/v and host/h."""
    _, volume, noun, owner = key.split("/")
    return (f"{SiteNoun.VOLUME}/{volume}", f"{noun}/{owner}")


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
