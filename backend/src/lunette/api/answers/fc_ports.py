"""FC ports: their observed state joined with their desired state."""

from lunette.api.answers.base import Answer, ExportState
from lunette.api.answers.seen import Observed
from lunette.domain.fc import FcMode, ObservedFcPort
from lunette.store.resources import FcPort as FcPortRow


class FcRemote(Answer):
    """A remote port on the fabric with a login to an FC port of the appliance."""

    wwpn: str
    """WWPN of the remote port. Empty if the kernel reports no valid name."""
    wwnn: str
    """WWNN of the remote port. Empty if the kernel reports no valid name."""
    roles: tuple[str, ...]
    """Roles of the remote port as the kernel reports them, such as `FCP Initiator`. Empty if unknown."""
    state: str
    """State of the remote port as the kernel reports it, such as `Online` or `Blocked`."""
    host: str | None
    """Name of the host that has the WWPN as an initiator, or null if no host has."""


class FcHardware(Answer):
    """Observed properties of an FC port."""

    wwnn: str
    """WWNN of the FC port. Empty if the kernel reports no valid name."""
    driver: str
    """Kernel driver of the FC port, such as `qla2xxx`."""
    model: str | None
    """Model of the adapter, or null if the driver does not report one."""
    firmware: str | None
    """Firmware version of the adapter, or null if the driver does not report one."""
    symbolic_name: str | None
    """Symbolic name of the FC port on the fabric, or null if the driver does not report one."""
    link: str
    """Link state as the kernel reports it, such as `Online`, `Linkdown` or `Offline`."""
    speed: str | None
    """Link speed as the kernel reports it, such as `16 Gbit`, or null if unknown."""
    topology: str | None
    """Port type as the kernel reports it, which shows the topology, or null if unknown."""
    mode: FcMode
    """Current mode of the FC port."""
    modes: tuple[FcMode, ...]
    """Modes that the FC port can take while the appliance runs."""
    target_reason: str | None
    """Reason why the FC port cannot be a target, or null if the port can."""
    remotes: tuple[FcRemote, ...]
    """Remote ports with a login to the FC port."""
    reaches: int
    """Number of SCSI targets of other systems that the appliance reaches through the FC port."""


class FcPort(Answer):
    """A port of a Fibre Channel adapter in the appliance."""

    wwpn: str
    """WWPN of the FC port."""
    id: str | None
    """Unique ID of the FC port, or null if Lunette does not manage the port."""
    mode: FcMode | None
    """Desired mode of the FC port, or null if Lunette does not manage the port and leaves the driver's mode."""
    state: ExportState
    """Whether the FC port is in its desired mode now; `none` if Lunette does not manage the port."""
    reason: str | None
    """Reason why the FC port is not in its desired mode, or why initiators have no access. Null if there is none."""
    observed: FcHardware | None
    """Observed properties of the FC port, or null if the port is missing or the agent does not answer."""
    age_s: float | None
    """Age of the observed state in seconds, or null if the agent does not answer."""


def fc_ports_answer(rows: dict[str, FcPortRow], seen: Observed, owners: dict[str, str]) -> list[FcPort]:
    """All ports by WWPN: the ports present, and managed ports that are missing. `owners` gives the host of a WWPN."""
    there = {port.wwpn: port for port in (seen.observation.fc_ports if seen.observation else ())}
    return [_answer(wwpn, rows.get(wwpn), there.get(wwpn), seen, owners) for wwpn in sorted({*rows, *there})]


def _answer(
    wwpn: str, row: FcPortRow | None, port: ObservedFcPort | None, seen: Observed, owners: dict[str, str]
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
