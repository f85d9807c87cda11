"""Plans for network interfaces: the new settings, the removed addresses, and the hosts that lose a path."""

from collections.abc import Iterator, Sequence

from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.interfaces import InterfaceChange, InterfaceKind, InterfaceSettings, ObservedInterface
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import InterfaceTry
from lunette.domain.steps.interfaces import InterfaceSetting
from lunette.planner.access import firewall
from lunette.planner.access.portals import KnownPortal, shown
from lunette.planner.checks.findings import Findings
from lunette.planner.network.interface_rules import Paths, check, check_waiting, leaving, table_for, warnings, words
from lunette.planner.network.made_interfaces import lines, others_of


def plan_change(
    interface: ObservedInterface, spec: InterfaceChange, seen: Observation, paths: Paths, trial_id: str
) -> Plan:
    """Changes an interface. Raises Invalid, Conflict or InUse naming the field."""
    findings = Findings()
    if interface.reason is not None:
        findings.add(Conflict, "interface", interface.name, f"Lunette does not manage it: {interface.reason}")
    check_waiting(findings, interface.name, seen)
    before = interface.settings
    if before is None and spec.members is None and spec.dhcp is None and not spec.addresses:
        message = "specify where its addresses come from: Lunette does not configure it yet"
        findings.add(Invalid, "addresses", None, message)
    settings = spec.applied(before or InterfaceSettings())
    settings = settings.model_copy(update={"table": table_for(interface, settings, seen)})
    beside = _members(findings, interface, spec, seen, paths)
    joining = frozenset(one.interface for one in beside)
    check(findings, interface, settings, seen, joining)
    theirs = (address for one in seen.interfaces if one.name in joining for address in one.addresses)
    interface = interface.model_copy(update={"addresses": (*interface.addresses, *theirs)})
    going = leaving(interface, settings)
    losing = [one for one in paths.portals if one.address in going]
    _check_named(findings, losing, spec)
    findings.refuse(f"Interface {interface.name} was not changed")
    title = f"Change interface {interface.name}"
    if settings == before:
        return Plan(title=title, changes=(), steps=())
    hosts = sorted({host for portal in losing for host in paths.connected[portal.name].hosts})
    changes = [PlannedChange(action=Action.CHANGE, noun="interface", name=interface.name, detail=words(settings))]
    changes += [*lines(interface.name, beside), *_interrupted(interface.name, losing, hosts)]
    step = InterfaceTry(trial_id=trial_id, interface=interface.name, settings=settings, beside=beside)
    reported = [
        *warnings(interface, settings, going, paths),
        *firewall.role_changes(interface, settings, paths.caller, seen),
        *(text for portal in losing for text in paths.connected[portal.name].warnings()),
    ]
    return Plan(
        title=title,
        changes=tuple(changes),
        steps=(step,),
        hosts_interrupted=tuple(hosts),
        warnings=tuple(dict.fromkeys(reported)),
    )


def plan_end(interface: ObservedInterface, *, keep: bool) -> Plan:
    """Confirms or reverts the change on trial. Raises Conflict if there is none."""
    words_ = "keeps its current settings, also after a restart" if keep else "returns to its previous settings"
    if interface.trial is None:
        raise Conflict(
            f"No change of interface {interface.name} is waiting for confirmation: it was already confirmed or "
            "reverted."
        )
    return Plan(
        title=f"{'Confirm' if keep else 'Revert'} the change of interface {interface.name}",
        changes=(PlannedChange(action=Action.CHANGE, noun="interface", name=interface.name, detail=words_),),
        steps=(),
    )


def _check_named(findings: Findings, losing: Sequence[KnownPortal], spec: InterfaceChange) -> None:
    """A portal loses its address only if the request names it."""
    for portal in losing:
        if portal.name not in spec.portals:
            where = shown(portal.address, portal.port)
            message = (
                f"portal {portal.name} listens on {where}, which is removed: specify the portal, or delete it first"
            )
            findings.add(InUse, "portals", portal.name, message)


def _interrupted(name: str, losing: Sequence[KnownPortal], hosts: Sequence[str]) -> Iterator[PlannedChange]:
    for portal in losing:
        detail = f"loses its address {portal.address}"
        yield PlannedChange(action=Action.INTERRUPT, noun="portal", name=portal.name, detail=detail)
    for host in hosts:
        yield PlannedChange(action=Action.INTERRUPT, noun="host", name=host, detail=f"loses its paths through {name}")


def _members(
    findings: Findings, interface: ObservedInterface, spec: InterfaceChange, seen: Observation, paths: Paths
) -> tuple[InterfaceSetting, ...]:
    if spec.members is None:
        return ()
    made = interface.settings.made if interface.settings else None
    if made is None or made.kind is not InterfaceKind.BOND:
        findings.add(Invalid, "members", None, f"interface {interface.name} is not a bond that Lunette created")
        return ()
    return others_of(findings, interface.name, made.members, spec.members, seen, paths)
