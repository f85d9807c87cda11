"""Several interfaces, VLANs and bonds of an installation document: words and rules are those of the API.

They are planned one after another as the product would plan them on this machine (`lunette.planner`), without applying
anything. The result is the files that the agent would have stored (docs/decisions/0031): the first start has this
network, and the appliance shows and changes it as its own.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from lunette.domain.errors import Conflict, Invalid
from lunette.domain.interfaces import (
    Configured,
    InterfaceChange,
    InterfaceCreate,
    InterfaceRole,
    InterfaceSettings,
    ObservedAddress,
    ObservedInterface,
)
from lunette.domain.observations import Observation
from lunette.domain.steps import InterfaceTry
from lunette.planner.network.interface_rules import Paths
from lunette.planner.network.interfaces import plan_change
from lunette.planner.network.made_interfaces import plan_create
from lunette.providers.network import files

NAME_OR_MAC = r"^([A-Za-z][A-Za-z0-9_.-]{0,14}|([0-9a-f]{2}:){5}[0-9a-f]{2})$"
KEPT = files.KEPT.removeprefix("/")
"""Below the data partition, as below the root of the installed system."""
_NOBODY = Paths((), {}, None)
"""An appliance that is being installed has no portals yet."""


class Present(Configured):
    """Settings of a network adapter."""

    name: Annotated[str, Field(pattern=NAME_OR_MAC)]
    """The kernel's name, or the hardware address in lower case."""


def _which(value: Any) -> str:
    return "made" if isinstance(value, InterfaceCreate) or (isinstance(value, dict) and "kind" in value) else "present"


Spec = Annotated[Annotated[InterfaceCreate, Tag("made")] | Annotated[Present, Tag("present")], Discriminator(_which)]
"""With `kind` a VLAN or bond as in `interface create`, without one a network adapter."""
Planned = tuple[tuple[str, InterfaceSettings], ...]


def planned(specs: Sequence[InterfaceCreate | Present], there: Sequence[ObservedInterface]) -> Planned:
    """The settings of each interface, in the order of the document. Raises what the product would refuse."""
    seen, found = tuple(there), dict[str, InterfaceSettings]()
    for number, spec in enumerate(specs):
        step = _step(spec, seen, f"installation-{number}")
        for one in step.all:
            if one.settings is not None:
                found[one.interface] = one.settings
                seen = _as_if(seen, one.interface, one.settings)
    return tuple(found.items())


def contents(network: Planned) -> dict[str, bytes]:
    """The files that the agent stores, by name."""
    return {
        name: content
        for interface, settings in network
        for name, content in files.every(interface, settings).items()
        if content is not None
    }


def carriers(network: Planned, name: str) -> set[str]:
    """The network adapters below an interface."""
    made = dict(network)[name].made if name in dict(network) else None
    if made is None:
        return {name}
    return {
        card for below in (*made.members, *([made.parent] if made.parent else [])) for card in carriers(network, below)
    }


def for_the_web_page(specs: Sequence[InterfaceCreate | Present]) -> list[InterfaceCreate | Present]:
    """Interfaces through which the web page is reachable: the firewall blocks it on interfaces of the role storage."""
    return [one for one in specs if one.role is not InterfaceRole.STORAGE and (one.dhcp or one.addresses)]


def card_name(name: str, there: Sequence[ObservedInterface]) -> str:
    """The kernel's name of an adapter given by name or hardware address. Raises Invalid, Conflict."""
    found = [one.name for one in there if name in (one.name, one.mac) and (one.kind == "physical" or name == one.name)]
    if not found:
        known = ", ".join(f"{one.name} ({one.mac})" for one in there if one.kind == "physical") or "none"
        raise Invalid(f"network interface {name} does not exist. This machine has: {known}")
    if len(found) > 1:
        raise Conflict(f"several interfaces have the hardware address {name}: {', '.join(found)}. Specify one of them")
    return found[0]


def _step(spec: InterfaceCreate | Present, seen: tuple[ObservedInterface, ...], trial: str) -> InterfaceTry:
    around = Observation(
        taken_at=0.0,
        hostname="",
        kernel="",
        disks=(),
        arrays=(),
        groups=(),
        volumes=(),
        engines=(),
        addresses=(),
        interfaces=seen,
    )
    if isinstance(spec, InterfaceCreate):
        plan = plan_create(spec, around, _NOBODY, trial)
    else:
        name = card_name(spec.name, seen)
        given = spec.model_dump(exclude={"name"}, mode="json")
        interface = next(one for one in seen if one.name == name)
        plan = plan_change(interface, InterfaceChange.model_validate(given), around, _NOBODY, trial)
    steps = [step for step in plan.steps if isinstance(step, InterfaceTry)]
    if not steps:
        raise Conflict(f"interface {spec.name} is specified twice in the document")
    return steps[0]


def _as_if(
    seen: tuple[ObservedInterface, ...], name: str, settings: InterfaceSettings
) -> tuple[ObservedInterface, ...]:
    """The machine as it would be after this change."""
    made = settings.made
    before = next((one for one in seen if one.name == name), None) or ObservedInterface(
        name=name,
        mac=None,
        kind=made.kind.value if made else "physical",
        link=True,
        state="up",
        speed_mbit_s=None,
        mtu_bytes=1500,
        mtu_min_bytes=None,
        mtu_max_bytes=None,
        addresses=(),
        configured_by=None,
        settings=None,
        reason=None,
        trial=None,
        parent=made.parent if made else None,
        vlan_id=made.vlan_id if made else None,
    )
    after = before.model_copy(
        update={
            "settings": settings,
            "mtu_bytes": settings.mtu_bytes or before.mtu_bytes,
            "master": settings.bond,
            "addresses": tuple(ObservedAddress(address=str(one), dynamic=False) for one in settings.addresses),
            "reason": f"it belongs to {settings.bond}" if settings.bond else before.reason,
        }
    )
    return (*(one for one in seen if one.name != name), after)
