"""Access to a subsystem of nvmet: its ports, which become portals, and the keys of its hosts."""

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


class KeysRefused(Exception):
    """Why something does not fit."""


class NvmePorts:
    """Judges ports. A port that already serves subsystems of Lunette is a portal, and needs no row."""

    def __init__(self, foreign: Foreign, seen: Observation, facts: Facts) -> None:
        self._seen = seen
        self._present = facts.portals
        self.ports = {port.name: port for port in foreign.nvme_ports}

    def refusal(self, port: ForeignNvmePort) -> str | None:
        """Why a port cannot become a portal unchanged."""
        if port.transport not in PROTOCOLS:
            return (
                f"Ports over {port.transport or 'nothing yet'} cannot be adopted, only ports over tcp and rdma: "
                "disconnect the hosts and map its volumes in Lunette."
            )
        if port.unusual:
            return (
                f"It has {port.unusual[0]}, which Lunette does not support: remove that, or disconnect the hosts and "
                "create the port again without it."
            )
        if port.is_ours:
            return None
        try:
            address, number = ip_address(port.address), int(port.service)
        except ValueError:
            return f"{port.where} is not an address and port number: create the port again with both."
        if (str(address), str(number), f"ipv{address.version}") != (port.address, port.service, port.family):
            return f"Lunette writes this as {address} port {number}: create the port again in that notation first."
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
    """The credentials that a host must present, or None. Raises KeysRefused, without a key in the message."""
    if host.key is None:
        if host.mutual_key is not None:
            raise KeysRefused("It has a dhchap_ctrl_key but no dhchap_key, so neither is used: clear it, or set both.")
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
        raise KeysRefused(
            f"Its DH-HMAC-CHAP does not fit ({field}): {words}. Change it on both sides first."
        ) from error
