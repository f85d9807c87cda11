"""Chooses the builder for the operating system of the host, and reports what is missing before a kit can help."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from lunette.domain.hosts import OsType
from lunette.domain.kits import HostKit
from lunette.domain.mappings import NVME_PROTOCOLS, Family, Protocol
from lunette.planner.kits import esxi, linux, proxmox, windows
from lunette.planner.kits.facts import KEEP_S, KitFacts
from lunette.planner.kits.parts import KitParts

_BUILDERS: dict[OsType, Callable[[KitFacts], KitParts]] = {
    OsType.LINUX: linux.build,
    OsType.PROXMOX: proxmox.build,
    OsType.ESXI: esxi.build,
    OsType.WINDOWS: windows.build,
}

_LOOK_FOR_TARGETS = (OsType.LINUX, OsType.PROXMOX, OsType.WINDOWS)
"""Systems on which users, or the kit itself, query the appliance for targets. Other systems get each target by name."""


def build(facts: KitFacts) -> HostKit:
    """The kit of a host. If there is nothing to set up, it has no files and commands, and the warnings say why."""
    if facts.os_type not in _LOOK_FOR_TARGETS:
        facts = replace(facts, discovery=None)
    parts = _BUILDERS.get(facts.os_type, _by_hand)(facts)
    return HostKit(
        host=facts.host,
        os_type=facts.os_type,
        proof=parts.proof,
        files=parts.files,
        commands=parts.commands,
        check=parts.check,
        needs_secrets=facts.needs_secrets,
        has_secrets=facts.needs_secrets and facts.has_secrets,
        warnings=(*facts.warnings, *_missing(facts), *_everywhere(facts), *parts.warnings),
        notes=parts.notes,
    )


def _missing(facts: KitFacts) -> Iterator[str]:
    """The problems that keep the host from its volumes, by family."""
    if not facts.targets:
        yield f"No volume is mapped to host {facts.host}, so there is nothing to connect to: map a volume first."
    scsi, nvme = facts.targets_of(Family.SCSI), facts.targets_of(Family.NVME)
    if scsi and not (facts.iqns or facts.wwpns):
        yield f"Host {facts.host} has no initiator for its volumes over SCSI: enter its IQN or WWPN."
    if scsi and facts.iqns and not facts.portals_of(Protocol.ISCSI, Protocol.ISER):
        yield "No portal serves iSCSI: add one on an address that the host can reach."
    if scsi and facts.wwpns and not facts.fc_ports:
        yield "No Fibre Channel port of the appliance is in target mode: set one to target mode."
    if nvme and not facts.nqns:
        yield f"Host {facts.host} has no initiator for its volumes over NVMe: enter its NQN."
    if nvme and facts.nqns and not facts.portals_of(*NVME_PROTOCOLS):
        yield "No portal serves NVMe: add one on an address that the host can reach."


def _everywhere(facts: KitFacts) -> Iterator[str]:
    """Warns if a portal on every address is expanded to addresses that the host may not reach."""
    for name in dict.fromkeys(one.name for one in facts.portals):
        places = [one.shown for one in facts.portals if one.name == name]
        if len(places) > 1:
            yield (
                f"Portal {name} listens on every address, so the setup kit connects to each: {', '.join(places)}. If "
                "the host cannot reach all of them, replace the portal with portals on the addresses that it can "
                "reach."
            )


def _by_hand(facts: KitFacts) -> KitParts:
    """For other operating systems: the addresses and targets to connect to."""
    targets = [
        f"{'Target' if target.family is Family.SCSI else 'Subsystem'} {target.name} with "
        + ", ".join(f"{volume.name} ({volume.lun})" for volume in target.volumes)
        for target in facts.targets
    ]
    portals = [f"Portal {one.name}: {one.shown} over {one.protocol.value}" for one in facts.portals]
    ports = [f"Fibre Channel port {one}" for one in facts.fc_ports if facts.wwpns]
    waiting = f"Give the host timeouts of {facts.wait_s(KEEP_S)} s or more. {facts.measured}"
    return KitParts(notes=(*targets, *portals, *ports, waiting))
