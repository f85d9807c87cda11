"""Plans for Fibre Channel ports: which HBA port serves, and which paths are lost if one stops."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.fc import FcMode, FcPortCreate, ObservedFcPort
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.planner.access.connected import Connected
from lunette.planner.checks.findings import Findings, shorten

NO_DUAL = "dual mode is not supported: use separate ports, one as target and one as initiator (decision 0016)"


@dataclass(frozen=True)
class NewFcPort:
    id: str
    plan: Plan


def plan_create(spec: FcPortCreate, seen: Observation, managed: Sequence[str], identities: IdentitySource) -> NewFcPort:
    """Starts managing a port. Raises Invalid, Conflict or InUse naming the field."""
    findings = Findings()
    if spec.wwpn in managed:
        message = f"port {spec.wwpn} is already managed; change its mode instead"
        findings.add(Conflict, "wwpn", spec.wwpn, message)
    _check(findings, spec.wwpn, spec.mode, seen)
    findings.refuse(f"Fibre Channel port {spec.wwpn} was not added")
    return NewFcPort(id=identities.id(), plan=_plan(spec.wwpn, Action.CREATE, spec.mode, seen, Connected()))


def plan_mode(wwpn: str, before: FcMode, mode: FcMode, seen: Observation, connected: Connected) -> Plan:
    """Changes the mode; `connected` are the hosts logged in to the port now."""
    findings = Findings()
    if mode is not before:
        _check(findings, wwpn, mode, seen)
    findings.refuse(f"Fibre Channel port {wwpn} was not changed")
    if mode is before:
        return Plan(title=f"Change Fibre Channel port {wwpn}", changes=(), steps=())
    return _plan(wwpn, Action.CHANGE, mode, seen, connected if before is FcMode.TARGET else Connected())


def plan_delete(wwpn: str, mode: FcMode, connected: Connected) -> Plan:
    """Stops managing the port; a target stops serving. `connected` are its hosts now."""
    serves = mode is FcMode.TARGET
    words = "stops serving and is no longer managed" if serves else "keeps its mode and is no longer managed"
    cut_off = connected if serves else Connected()
    return Plan(
        title=f"Stop managing Fibre Channel port {wwpn}",
        changes=(
            PlannedChange(action=Action.DESTROY, noun="fc_port", name=wwpn, detail=words),
            *_losses(wwpn, cut_off),
        ),
        steps=(),
        hosts_interrupted=cut_off.hosts,
        warnings=cut_off.warnings(),
    )


def _losses(wwpn: str, connected: Connected) -> Iterator[PlannedChange]:
    for host in connected.hosts:
        yield PlannedChange(action=Action.INTERRUPT, noun="host", name=host, detail=f"loses its paths through {wwpn}")


def _check(findings: Findings, wwpn: str, mode: FcMode, seen: Observation) -> None:
    port = next((one for one in seen.fc_ports if one.wwpn == wwpn), None)
    if port is None:
        there = ", ".join(one.wwpn for one in seen.fc_ports) or "none"
        findings.add(Invalid, "wwpn", wwpn, f"Fibre Channel port {wwpn} was not found; this appliance has: {there}")
    elif mode is FcMode.DUAL:
        findings.add(Invalid, "mode", mode.value, NO_DUAL)
    elif mode is FcMode.TARGET and port.reason:
        findings.add(Invalid, "mode", mode.value, port.reason)
    elif mode not in port.modes:
        offered = ", ".join(one.value for one in port.modes) or "no other mode"
        message = (
            f"driver {port.driver} cannot change it to {mode.value} while the system is running; it offers: {offered}"
        )
        findings.add(Invalid, "mode", mode.value, message)
    elif port.disks and _gives_up(port, mode):
        message = (
            f"the appliance is connected through it to {port.disks} targets of other systems, whose disks would be "
            "lost: remove these first"
        )
        findings.add(InUse, "mode", mode.value, message)


def _gives_up(port: ObservedFcPort, mode: FcMode) -> bool:
    """True if the port stops being an initiator. An initiator that can be disabled is one half of a port, switched
    off.
    """
    return mode is not FcMode.INITIATOR and FcMode.DISABLED in port.modes


def _plan(wwpn: str, action: Action, mode: FcMode, seen: Observation, connected: Connected) -> Plan:
    port = next(one for one in seen.fc_ports if one.wwpn == wwpn)
    changes = [PlannedChange(action=action, noun="fc_port", name=wwpn, detail=f"becomes {mode.value} ({port.driver})")]
    changes += _losses(wwpn, connected)
    warnings = list(connected.warnings())
    if mode is FcMode.TARGET and port.remotes:
        names = shorten([remote.wwpn for remote in port.remotes])
        warnings.append(f"Ports on its fabric log in again, and their I/O pauses for seconds: {names}.")
    return Plan(
        title=f"Set Fibre Channel port {wwpn} to mode {mode.value}",
        changes=tuple(changes),
        steps=(),
        hosts_interrupted=connected.hosts,
        warnings=tuple(warnings),
    )
