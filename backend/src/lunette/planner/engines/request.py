"""The basis of a change of an existing array: the array, the machine, and the named disks."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from lunette.domain.arrays import ArrayState, ObservedArray, ObservedMember
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, FieldProblem, InUse, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep, MemberDisk
from lunette.planner.checks.findings import Findings
from lunette.planner.checks.taking import take_disks, wiping
from lunette.planner.engines.known_array import KnownArray
from lunette.providers.arrays.md.plan import survives


class ArrayChangeRequest:
    """A request for a change of one array: the array as observed, and everything that speaks against the change.

    Raises Conflict immediately if the array does not run. `what` says what does not happen then.
    """

    takes_unidentified_disks: ClassVar[bool] = False
    """Current state of the array."""

    def __init__(
        self, array: KnownArray, seen: Observation, what: str, owners: Mapping[str, str] | None = None
    ) -> None:
        self.array, self.seen, self.what = array, seen, what
        self.findings = Findings()
        self.add = self.findings.add
        self._owners = owners or {}
        self.found = self._running()
        self.disk_bytes = self.found.disk_bytes or 0

    def refuse(self) -> None:
        """Raises if anything was found."""
        self.findings.refuse(self.what)

    def own(self, reference: str) -> tuple[MemberDisk, ObservedMember | None]:
        """The array's disk of this ID or link, and its place in the array. Refuses immediately if it is not one of its
        disks.
        """
        disk = self.seen.disk(reference)
        names = {reference, disk.id} if disk else {reference}
        for member in self.array.members:
            if member.disk_id in names:
                place = next((m for m in self.found.members if m.disk_id == member.disk_id), None)
                return member, place
        own = ", ".join(member.disk_id for member in self.array.members)
        message = f"disk {reference} is not a member of array {self.array.name}; its disks are {own}"
        raise Invalid(
            f"{self.what}: {message}.", errors=(FieldProblem(field="disk", value=reference, message=message),)
        )

    def take(
        self, fields: Mapping[str, str], wipe: Sequence[str], least_bytes: int | None = None
    ) -> tuple[list[ObservedDisk], tuple[AnyStep, ...], list[PlannedChange]]:
        """The new disks, the steps that wipe them, and the data they destroy. Refuses immediately what is wrong with
        any.

        `least_bytes` is the required capacity; by default, that of a member.
        """
        least = self.disk_bytes if least_bytes is None else least_bytes
        disks, wiped = take_disks(
            self.findings, fields, wipe, self.seen, self._owners, any_disk=self.takes_unidentified_disks
        )
        sectors = {disk.logical_block_bytes for m in self.array.members if (disk := self.seen.disk(m.disk_id))}
        for field, disk in zip(fields, disks, strict=True):
            if disk and disk.size_bytes < least:
                message = (
                    f"disk {disk.id} has {format_size(disk.size_bytes)}, but {format_size(least)} are required: use "
                    "a larger disk"
                )
                self.add(Invalid, field, disk.id, message)
            if disk and sectors and disk.logical_block_bytes not in sectors:
                have = " or ".join(str(size) for size in sorted(sectors))
                message = (
                    f"disk {disk.id} has {disk.logical_block_bytes}-byte sectors, but those of the array have {have}"
                )
                self.add(Invalid, field, disk.id, message)
        self.refuse()
        whole = [disk for disk in disks if disk]
        steps, lost = wiping(whole, wiped)
        return whole, steps, lost

    def check_redundant(self, place: ObservedMember) -> None:
        """Refuses unless the array works without this member."""
        found, name = self.found, self.array.name
        if found.state is ArrayState.RESYNCING:
            message = f"array {name} is still resyncing and not redundant yet: wait until the resync has finished"
            self.add(InUse, "disk", place.disk_id, message)
            return
        left = frozenset(
            m.slot for m in found.members if m.state == "in_sync" and m.slot is not None and m.disk_id != place.disk_id
        )
        if not survives(found.level, found.raid_disks, left, found.layout):
            message = (
                f"array {name} ({found.level}, {found.state.value}) would be lost without disk {place.disk_id}: it "
                "has no redundancy left. Add a disk and wait for the rebuild first"
            )
            self.add(InUse, "disk", place.disk_id, message)

    def changed(self, detail: str) -> PlannedChange:
        return PlannedChange(action=Action.CHANGE, noun="array", name=self.array.name, detail=detail)

    def _running(self) -> ObservedArray:
        found = next((a for a in self.seen.arrays if a.uuid == self.array.uuid), None)
        if found is None or found.state in (ArrayState.MISSING, ArrayState.FAILED):
            state = found.state.value if found else ArrayState.MISSING.value
            message = f"array {self.array.name} is {state}: attach its missing disks first"
            raise Conflict(f"{self.what}: {message}.")
        return found
