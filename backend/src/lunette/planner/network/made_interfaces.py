"""Plans for VLANs and bonds: creating them from which interfaces, and why not.

An interface that carries a VLAN or belongs to a bond is configured by Lunette from then on, and released with it.
"""

from collections.abc import Sequence

from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.interfaces import (
    BondMode,
    InterfaceCreate,
    InterfaceKind,
    InterfaceSettings,
    Made,
    ObservedInterface,
)
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import InterfaceTry
from lunette.domain.steps.interfaces import InterfaceSetting
from lunette.planner.checks.findings import Findings
from lunette.planner.network.interface_rules import (
    Paths,
    check,
    check_waiting,
    leaving,
    listening,
    table_for,
    warnings,
    words,
)

MIIMON_MS = 100
"""Link monitoring interval recommended in the kernel's documentation; its default, 0, never monitors."""
_TAKEN = ("lo", "all", "default", "bonding_masters")
"""Names that the kernel reserves."""
_NO_MEMBERS = ("vlan", "bond", "bridge")


def plan_create(spec: InterfaceCreate, seen: Observation, paths: Paths, trial_id: str) -> Plan:
    """Creates a VLAN or a bond. Raises Invalid, Conflict or InUse naming the field."""
    findings = Findings()
    check_waiting(findings, spec.name, seen)
    if spec.name in _TAKEN or any(one.name == spec.name for one in seen.interfaces):
        findings.add(Conflict, "name", spec.name, f"an interface named {spec.name} already exists")
    _check_fields(findings, spec)
    if spec.kind is InterfaceKind.VLAN:
        beside = _onto_parent(findings, spec, seen)
    else:
        beside = others_of(findings, spec.name, (), spec.members, seen, paths)
    settings = _settings(spec)
    blank = _blank(spec.name, spec.members, seen)
    settings = settings.model_copy(update={"table": table_for(blank, settings, seen)})
    check(findings, blank, settings, seen, frozenset(spec.members))
    findings.refuse(f"Interface {spec.name} was not created")
    step = InterfaceTry(trial_id=trial_id, interface=spec.name, settings=settings, beside=beside)
    first = PlannedChange(action=Action.CREATE, noun="interface", name=spec.name, detail=words(settings))
    reported = warnings(blank, settings, leaving(blank, settings), paths)
    return Plan(
        title=f"Create interface {spec.name}",
        changes=(first, *lines(spec.name, beside)),
        steps=(step,),
        warnings=tuple(dict.fromkeys(reported)),
    )


def plan_remove(interface: ObservedInterface, seen: Observation, paths: Paths, trial_id: str) -> Plan:
    """Removes a VLAN or bond; its interfaces are released. Raises Conflict or InUse."""
    findings = Findings()
    name, made = interface.name, interface.settings.made if interface.settings else None
    check_waiting(findings, name, seen)
    if interface.reason is not None:
        findings.add(Conflict, "interface", name, f"Lunette does not manage it: {interface.reason}")
    elif made is None:
        findings.add(
            Conflict,
            "interface",
            name,
            "Lunette did not create it: only VLANs and bonds that Lunette created can be removed",
        )
    for above in seen.interfaces:
        if above.parent == name:
            message = f"VLAN {above.vlan_id} (interface {above.name}) runs on it: remove that first"
            findings.add(InUse, "interface", name, message)
    for portal in listening(interface, paths):
        message = f"portal {portal.name} listens on {portal.address}: delete the portal first"
        findings.add(InUse, "interface", name, message)
    findings.refuse(f"Interface {name} was not removed")
    beside = _off_parent(name, made, seen) if made else ()
    step = InterfaceTry(trial_id=trial_id, interface=name, settings=None, beside=beside)
    gone = ", ".join(one.address for one in interface.addresses)
    first = PlannedChange(
        action=Action.DESTROY, noun="interface", name=name, detail=f"with {gone}" if gone else "is removed"
    )
    reported = warnings(interface, InterfaceSettings(), leaving(interface, InterfaceSettings()), paths)
    return Plan(
        title=f"Remove interface {name}",
        changes=(first, *lines(name, beside)),
        steps=(step,),
        warnings=tuple(dict.fromkeys(reported)),
    )


def others_of(
    findings: Findings,
    bond: str,
    before: Sequence[str],
    members: Sequence[str],
    seen: Observation,
    paths: Paths,
) -> tuple[InterfaceSetting, ...]:
    """The effect on interfaces that join or leave a bond."""
    known = {one.name: one for one in seen.interfaces}
    for index, name in enumerate(members):
        if name in members[:index]:
            findings.add(Invalid, "members", name, f"interface {name} is listed twice")
        elif name not in known:
            findings.add(Invalid, "members", name, f"network interface {name} was not found")
        elif name not in before:
            _check_member(findings, known[name], seen, paths)
    joining = [
        InterfaceSetting(interface=name, settings=InterfaceSettings(bond=bond))
        for name in members
        if name not in before
    ]
    return (*joining, *(InterfaceSetting(interface=name, settings=None) for name in before if name not in members))


def lines(name: str, beside: Sequence[InterfaceSetting]) -> list[PlannedChange]:
    """The lines of the plan about the other interfaces."""

    def detail(settings: InterfaceSettings | None) -> str:
        if settings is None:
            return "Lunette no longer configures it"
        return f"belongs to {settings.bond}" if settings.bond else f"carries {', '.join(settings.vlans) or 'no VLAN'}"

    return [
        PlannedChange(action=Action.CHANGE, noun="interface", name=one.interface, detail=detail(one.settings))
        for one in beside
        if one.interface != name
    ]


def _check_fields(findings: Findings, spec: InterfaceCreate) -> None:
    is_vlan = spec.kind is InterfaceKind.VLAN
    for field in ("parent", "vlan_id"):
        value = getattr(spec, field)
        if is_vlan and value is None:
            findings.add(Invalid, field, None, "a VLAN needs a parent interface and a VLAN ID")
        if not is_vlan and value is not None:
            findings.add(Invalid, field, value, "a bond has members, but no parent and no VLAN ID")
    for field in ("members", "mode", "lacp_rate", "miimon_ms"):
        if is_vlan and getattr(spec, field):
            findings.add(Invalid, field, getattr(spec, field), "a VLAN is not a bond")
    if not is_vlan and not spec.members:
        findings.add(Invalid, "members", None, "a bond needs members")
    if not is_vlan and spec.lacp_rate is not None and spec.mode is not BondMode.LACP:
        findings.add(Invalid, "lacp_rate", spec.lacp_rate.value, "only a bond in mode 802.3ad uses LACP")


def _settings(spec: InterfaceCreate) -> InterfaceSettings:
    is_vlan = spec.kind is InterfaceKind.VLAN
    made = Made(
        kind=spec.kind,
        parent=spec.parent,
        vlan_id=spec.vlan_id,
        members=spec.members,
        lacp_rate=spec.lacp_rate,
        mode=None if is_vlan else spec.mode or BondMode.ACTIVE_BACKUP,
        miimon_ms=None if is_vlan else spec.miimon_ms or MIIMON_MS,
    )
    return spec.settings(made)


def _blank(name: str, members: Sequence[str], seen: Observation) -> ObservedInterface:
    """Represents an interface that does not exist yet; the addresses of its members are those that may be removed."""
    addresses = tuple(address for one in seen.interfaces if one.name in members for address in one.addresses)
    return ObservedInterface(
        name=name,
        mac=None,
        kind="",
        link=False,
        state="",
        speed_mbit_s=None,
        mtu_bytes=0,
        mtu_min_bytes=None,
        mtu_max_bytes=None,
        addresses=addresses,
        configured_by=None,
        settings=None,
        reason=None,
        trial=None,
    )


def _onto_parent(findings: Findings, spec: InterfaceCreate, seen: Observation) -> tuple[InterfaceSetting, ...]:
    parent = next((one for one in seen.interfaces if one.name == spec.parent), None)
    if parent is None:
        if spec.parent is not None:
            findings.add(Invalid, "parent", spec.parent, f"network interface {spec.parent} was not found")
        return ()
    for other in seen.interfaces:
        if other.parent == parent.name and other.vlan_id == spec.vlan_id:
            message = f"VLAN {spec.vlan_id} of {parent.name} already exists as interface {other.name}"
            findings.add(Conflict, "vlan_id", spec.vlan_id, message)
    if parent.reason is not None:
        findings.add(Conflict, "parent", parent.name, f"Lunette does not manage it: {parent.reason}")
    elif parent.kind == InterfaceKind.VLAN.value:
        findings.add(Invalid, "parent", parent.name, f"{parent.name} is itself a VLAN")
    elif parent.settings is None and parent.addresses:
        message = f"{parent.name} has addresses that Lunette does not configure yet: change it first to retain them"
        findings.add(Conflict, "parent", parent.name, message)
    before = parent.settings or InterfaceSettings()
    most = before.mtu_bytes or parent.mtu_bytes
    if spec.mtu_bytes is not None and spec.mtu_bytes > most:
        message = f"its parent {parent.name} has an MTU of {most} bytes: a VLAN cannot have a larger one"
        findings.add(Invalid, "mtu_bytes", spec.mtu_bytes, message)
    after = before.model_copy(update={"vlans": (*before.vlans, spec.name)})
    return (InterfaceSetting(interface=parent.name, settings=after),)


def _off_parent(name: str, made: Made, seen: Observation) -> tuple[InterfaceSetting, ...]:
    if made.kind is InterfaceKind.BOND:
        return tuple(InterfaceSetting(interface=member, settings=None) for member in made.members)
    parent = next((one for one in seen.interfaces if one.name == made.parent), None)
    if parent is None or parent.settings is None:
        return ()
    vlans = tuple(one for one in parent.settings.vlans if one != name)
    after = parent.settings.model_copy(update={"vlans": vlans})
    return (InterfaceSetting(interface=parent.name, settings=None if after == InterfaceSettings() else after),)


def _check_member(findings: Findings, one: ObservedInterface, seen: Observation, paths: Paths) -> None:
    def refuse(message: str) -> None:
        findings.add(Conflict, "members", one.name, message)

    if one.reason is not None:
        refuse(f"Lunette does not manage {one.name}: {one.reason}")
    elif one.kind in _NO_MEMBERS:
        refuse(f"{one.name} is a {one.kind}: members of a bond must be physical interfaces")
    carried = next((other for other in seen.interfaces if other.parent == one.name), None)
    if carried is not None:
        refuse(f"VLAN {carried.vlan_id} (interface {carried.name}) runs on {one.name}: remove that first")
    for portal in listening(one, paths):
        message = f"portal {portal.name} listens on {portal.address} of {one.name}: delete the portal first"
        findings.add(InUse, "members", one.name, message)
