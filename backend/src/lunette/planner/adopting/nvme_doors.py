"""What leads to a subsystem of nvmet: its ports, which become portals, and the keys of its hosts."""

from ipaddress import ip_address

from pydantic import ValidationError

from lunette.domain.adopting import Foreign, ForeignNvmeHost, ForeignNvmePort
from lunette.domain.dhchap import DhChap
from lunette.domain.errors import LunetteError
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import ExportEngine, PortalCreate, Protocol
from lunette.domain.observations import Observation
from lunette.planner.access import portals
from lunette.planner.adopting.facts import Facts

PROTOCOLS = {"tcp": Protocol.NVME_TCP, "rdma": Protocol.NVME_RDMA}


class Refused(Exception):
    """Why something does not fit."""


class Doors:
    """Judges ports. A port that serves subsystems of ours already is a portal, and needs no row."""

    def __init__(self, foreign: Foreign, seen: Observation, facts: Facts) -> None:
        self._seen = seen
        self._present = facts.portals
        self.ports = {port.name: port for port in foreign.nvme_ports}

    def refusal(self, port: ForeignNvmePort) -> str | None:
        """Why it cannot become a portal as it stands."""
        if port.transport not in PROTOCOLS:
            return (
                f"Ports over {port.transport or 'nothing yet'} are not taken over, only over tcp and rdma: map its "
                "volumes anew, with the hosts off it."
            )
        if port.unusual:
            return (
                f"It has {port.unusual[0]}, which Lunette does not keep: take that away, or make the port anew without "
                "it and with the hosts off it."
            )
        if port.is_ours:
            return None
        try:
            address, number = ip_address(port.address), int(port.service)
        except ValueError:
            return f"{port.where} is no address and port number, which Lunette keeps: make it anew with these."
        if (str(address), str(number), f"ipv{address.version}") != (port.address, port.service, port.family):
            return f"Lunette would call it {address} port {number}: make it anew under that name first."
        spec = PortalCreate(
            name="adopted",
            protocol=PROTOCOLS[port.transport],
            address=str(address),
            port=number,
            engine=ExportEngine.NVMET,
        )
        try:
            portals.plan_create(spec, self._seen, False, self._present, IdentitySource())
        except LunetteError as error:
            return f"{error.errors[0].message if error.errors else error.detail}."
        return None


def dhchap_of(host: ForeignNvmeHost) -> DhChap | None:
    """What a host must show; None if it is not asked. Raises Refused, without a key in its words."""
    if host.key is None:
        if host.mutual_key is not None:
            raise Refused("It has a dhchap_ctrl_key and no dhchap_key, so neither is asked for: clear it, or set both.")
        return None
    try:
        return DhChap.model_validate(
            {
                "secret": host.key,
                "mutual_secret": host.mutual_key,
                "dh_group": host.dh_group,
                "hash": host.hash.removeprefix("hmac(").removesuffix(")"),
            }
        )
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, found["loc"])) or "its keys"
        words = found["msg"].removeprefix("Value error, ")
        raise Refused(f"Its DH-HMAC-CHAP does not fit ({field}): {words}. Change it on both sides first.") from error
