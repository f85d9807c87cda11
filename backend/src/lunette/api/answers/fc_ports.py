"""Fibre Channel ports: what the machine shows, joined with what they are to be."""

from lunette.api.answers.base import Answer, ExportState
from lunette.api.answers.seen import Seen
from lunette.domain.fc import FcMode, ObservedFcPort
from lunette.store.resources import FcPort as FcPortRow


class FcRemote(Answer):
    """A port on the fabric that is logged in to ours. `host` is whose initiator it is entered as."""

    wwpn: str
    wwnn: str
    roles: tuple[str, ...]
    state: str
    host: str | None


class FcHardware(Answer):
    """What the port says of itself now. Null is what its driver does not tell."""

    wwnn: str
    driver: str
    model: str | None
    firmware: str | None
    symbolic_name: str | None
    link: str
    """Online, Linkdown, Offline, …"""
    speed: str | None
    topology: str | None
    mode: FcMode
    """What it is now."""
    modes: tuple[FcMode, ...]
    """What it can be asked to be."""
    target_reason: str | None
    """Why it cannot serve as a target."""
    remotes: tuple[FcRemote, ...]
    reaches: int
    """Targets of others that this machine reaches through it."""


class FcPort(Answer):
    """A Fibre Channel port. `id` and `mode` are null while nobody manages it: then it is left as its driver made it."""

    wwpn: str
    id: str | None
    mode: FcMode | None
    state: ExportState
    """Whether it is what it is to be; `reason` also tells whom it keeps out."""
    reason: str | None
    observed: FcHardware | None
    age_s: float | None


def fc_ports_answer(rows: dict[str, FcPortRow], seen: Seen, owners: dict[str, str]) -> list[FcPort]:
    """All ports by WWPN: those that are there, and managed ones that are not. `owners` gives the host of a WWPN."""
    there = {port.wwpn: port for port in (seen.observation.fc_ports if seen.observation else ())}
    return [_answer(wwpn, rows.get(wwpn), there.get(wwpn), seen, owners) for wwpn in sorted({*rows, *there})]


def _answer(
    wwpn: str, row: FcPortRow | None, port: ObservedFcPort | None, seen: Seen, owners: dict[str, str]
) -> FcPort:
    export = seen.fc_port_export(row.id if row else None)
    return FcPort(
        wwpn=wwpn,
        id=row.id if row else None,
        mode=FcMode(row.mode) if row else None,
        state=export.state,
        reason=export.reason,
        observed=_hardware(port, owners) if port else None,
        age_s=seen.age_s if seen.observation else None,
    )


def _hardware(port: ObservedFcPort, owners: dict[str, str]) -> FcHardware:
    return FcHardware(
        wwnn=port.wwnn,
        driver=port.driver,
        model=port.model,
        firmware=port.firmware,
        symbolic_name=port.symbolic_name,
        link=port.state,
        speed=port.speed,
        topology=port.topology,
        mode=port.mode,
        modes=port.modes,
        target_reason=port.reason,
        reaches=port.disks,
        remotes=tuple(
            FcRemote(wwpn=one.wwpn, wwnn=one.wwnn, roles=one.roles, state=one.state, host=owners.get(one.wwpn))
            for one in port.remotes
        ),
    )
