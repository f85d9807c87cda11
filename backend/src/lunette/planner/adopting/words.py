"""The plan of an adoption, in words."""

from collections.abc import Iterator

from lunette.domain.hosts import InitiatorKind
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.units import counted
from lunette.planner.access.numbers import number_name
from lunette.planner.access.portals import shown
from lunette.planner.adopting.judge import Judge
from lunette.planner.adopting.rows import Rows
from lunette.planner.checks.findings import shorten
from lunette.planner.engines.md.write_hole import losing_log_adopted


def describe(judge: Judge, rows: Rows) -> Plan:
    """The plan, with one line for each row; empty if there is nothing to do."""
    return Plan(
        title=_title(len(judge.adopted), len(judge.nvme.adopted)),
        changes=tuple(_changes(rows)),
        steps=tuple(rows.steps),
        warnings=tuple(_warnings(judge, rows)),
    )


def _title(targets: int, subsystems: int) -> str:
    counts = ((targets, "iSCSI target"), (subsystems, "NVMe subsystem"))
    reported = [counted(count, noun) for count, noun in counts if count]
    return f"Adopt {' and '.join(reported) or '0 iSCSI targets'}"


def _changes(rows: Rows) -> Iterator[PlannedChange]:
    arrays = {array.id: array.name for array in rows.arrays}
    owners = {host.id: host.name for host in rows.hosts} | {group.id: group.name for group in rows.groups}
    volumes = {volume.id: volume.name for volume in rows.volumes}
    for array in rows.arrays:
        detail = f"{array.seen.level} of {len(array.seen.members)} disks, unchanged, md array {array.engine_name}"
        yield _new("array", array.name, detail)
    for volume in rows.volumes:
        where = f"{volume.group}/{volume.backing_name}"
        on = f" on array {arrays[volume.array_id]}" if volume.array_id in arrays else ""
        kept = f"NAA {volume.identity.naa}" if volume.backstore else f"UUID {volume.identity.uuid}"
        detail = f"{where} ({format_size(volume.size_bytes)}){on}, {kept} unchanged"
        yield _new("volume", volume.name, detail)
    for host in rows.hosts:
        is_nvme = host.kind is InitiatorKind.NQN
        proof = "DH-HMAC-CHAP" if is_nvme else "CHAP"
        has = host.dhchap if is_nvme else host.chap
        yield _new("host", host.name, f"{host.initiator} with {f'unchanged {proof}' if has else f'no {proof}'}")
    for group in rows.groups:
        yield _new("host group", group.name, shorten([owners[one] for one in group.host_ids]))
    for target in rows.targets:
        owner = owners[target.host_id or target.host_group_id or ""]
        luns = [
            one for one in rows.mappings if (one.host_id, one.host_group_id) == (target.host_id, target.host_group_id)
        ]
        name = target.nqn if target.subsystem else target.iqn
        for one in luns:
            number = number_name(one.family, one.lun)
            yield _new("mapping", volumes[one.volume_id], f"{number} of {owner} at {name}, unchanged")
    for portal in rows.portals:
        yield _new("portal", portal.name, f"{portal.protocol.value} on {shown(portal.address, portal.port)}")


def _warnings(judge: Judge, rows: Rows) -> Iterator[str]:
    staying = [target.wwn for target in judge.foreign.saved.targets if target not in judge.adopted]
    staying += [one.nqn for one in judge.foreign.subsystems if one not in judge.nvme.adopted]
    if staying:
        yield (
            f"{shorten(staying)} stay unchanged. Lunette does not restore them after a boot. A service that does must "
            "not also restore what is adopted."
        )
    if rows.targets and (rows.portals or judge.facts.portals):
        yield (
            "Every portal leads to all targets or subsystems of its family: those that were available at some "
            "addresses become available at all of them."
        )
    for array in rows.arrays:
        yield from losing_log_adopted(array.seen, judge.seen)
    taken = {(volume.group, volume.backing_name) for volume in rows.volumes}
    for name in sorted({volume.group for volume in rows.volumes}):
        group = judge.foreign.group(name)
        others = [one.name for one in group.volumes if one.is_open and (name, one.name) not in taken] if group else []
        others = [one for one in others if not (group and (found := group.volume(one)) and found.is_ours)]
        if others:
            yield (
                f"In use outside Lunette in volume group {name}: {shorten(others)}. They stay unchanged, and are "
                "deactivated with the group at shutdown."
            )


def _new(noun: str, name: str, detail: str) -> PlannedChange:
    return PlannedChange(action=Action.CREATE, noun=noun, name=name, detail=detail)
