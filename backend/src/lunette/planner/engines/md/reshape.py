"""Plans for changing the level of an md array while hosts use it: decision 0048."""

from collections.abc import Mapping

from lunette.domain.array_changes import ArrayReshape
from lunette.domain.arrays import Level, WriteHole
from lunette.domain.errors import Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import AnyStep, MdRelevel, MdWriteHole
from lunette.planner.checks.ailing import ailing
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.md.growth import adding, must_be_quiet
from lunette.planner.engines.md.request import MdRequest
from lunette.providers.arrays.md.plan import LEVELS, MAX_DISKS

_BECOMES = {facts.level.value: facts.becomes for facts in LEVELS}
_NEW_ARRAY = "create a new array and move the volumes to it"
_Q = (
    "All of the second parity is on the new disk, so every write also goes to that disk: small writes are "
    "permanently slower than on an array created as raid6."
)
_AS_BEFORE = (
    "Until the new disk has been rebuilt, the array tolerates the loss of one disk, as before. Existing blocks do "
    "not move. If the power fails during writes meanwhile, md treats the array as dirty and degraded: the array "
    "stays stopped, with its data intact, until it is force-started."
)
_NO_LOG = (
    "A raid6 has no partial parity log. After this change the write hole is open, as on every raid6: a power "
    "failure followed by the loss of a disk can damage blocks that were not being written. A bitmap keeps resyncs "
    "short."
)


def plan_reshape(array: KnownArray, spec: ArrayReshape, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """A raid5 becomes a raid6. Refuses an array that is degraded or busy, and every level that md cannot safely change
    to.
    """
    ask = MdRequest(array, seen, f"Array {array.name} was not changed", owners)
    found, name, level = ask.found, array.name, spec.level
    _check(ask, spec, level)
    ask.refuse()
    disks, wipes, lost = ask.take({f"disks[{n}]": reference for n, reference in enumerate(spec.disks)}, spec.wipe)
    steps: list[AnyStep] = adding(ask, disks, wipes)
    logs = found.write_hole is WriteHole.PPL
    if logs:
        steps.append(MdWriteHole(**ask.which, policy=WriteHole.BITMAP, was=WriteHole.PPL))
    steps.append(MdRelevel(**ask.which, from_level=Level(found.level), to_level=level, from_disks=found.raid_disks))
    which = [f"disk {disk.id}" for disk in disks] or ["a spare of the array"]
    return Plan(
        title=f"Change array {name} to {level.value}",
        changes=(
            *lost,
            ask.changed(f"{which[0]} becomes a member and stores the second parity"),
            ask.changed(
                f"{found.level} of {found.raid_disks} disks becomes {level.value} of {found.raid_disks + 1}: it "
                "tolerates the loss of any two disks when the new one has been rebuilt; the capacity for volumes "
                "does not change"
            ),
        ),
        steps=tuple(steps),
        warnings=(*((_NO_LOG,) if logs else ()), _AS_BEFORE, _Q, *ailing(disks)),
    )


def _check(ask: MdRequest, spec: ArrayReshape, level: Level) -> None:
    found, name = ask.found, ask.array.name
    becomes = _BECOMES.get(found.level, ())
    if found.level == level:
        ask.add(Invalid, "level", level.value, f"array {name} is already {level.value}")
    elif level not in becomes:
        can = f"a {found.level} can be changed to {' or '.join(one.value for one in becomes) or 'no other level'}"
        ask.add(Invalid, "level", level.value, f"array {name} is {found.level}, and {can}: {_NEW_ARRAY}")
    elif found.raid_disks < 3:
        message = f"array {name} has {found.raid_disks} disks, and md requires at least three: grow it by a disk first"
        ask.add(Invalid, "level", level.value, message)
    else:
        must_be_quiet(ask, "level", level.value)
    spares = sum(member.slot is None and member.state == "spare" for member in found.members)
    if len(spec.disks) > 1:
        message = f"{level.value} needs one more disk: specify one, and grow the array by the others afterward"
        ask.add(Invalid, "disks", len(spec.disks), message)
    elif not spec.disks and not spares:
        ask.add(
            Invalid, "disks", 0, f"{level.value} needs one more disk, and array {name} has no spare: specify a disk"
        )
    elif found.raid_disks + len(spec.disks) + spares > MAX_DISKS:
        ask.add(Invalid, "disks", len(spec.disks), f"md supports up to {MAX_DISKS} disks, spares included")
