"""Steps that test a host's paths: whether all answer, and whether I/O continues while one is blocked."""

from ipaddress import ip_address
from typing import Literal

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.border import Address, Id, IscsiName, NvmeName, Text
from lunette.domain.steps.base import Step

AWAY_LEAST_S, AWAY_MOST_S, AWAY_S = 20, 120, 45
"""How long a path is down. A host moves its I/O after 15 s (the kit's REPLACEMENT_S): a shorter time shows nothing."""
BACK_S = 120
"""How long a host may take to reconnect: initiators retry every few seconds."""


class HostLink(Model):
    """The connections of one of a host's addresses to one portal, over TCP."""

    portal: Text
    """Its name."""
    address: Address
    """The appliance's address that the host connected to."""
    port: int
    peer: Address
    """The host's address."""

    @property
    def shown(self) -> str:
        """In words: portal, its address and the host's."""
        place = f"[{self.address}]" if ip_address(self.address).version == 6 else self.address
        return f"portal {self.portal} ({place}:{self.port}) from {self.peer}"


class PathsAsk(Step):
    """Checks whether every path of a host answers and passes full-size packets. Changes nothing."""

    kind: Literal["paths.ask"] = "paths.ask"
    host: Text
    initiators: tuple[IscsiName | NvmeName, ...]
    links: tuple[HostLink, ...]

    def describe(self) -> str:
        return f"check that all {len(self.links)} paths of host {self.host} respond"


class PathTry(Step):
    """Blocks one path, only for its host, watches the host's I/O, and restores the path.

    The kernel itself restores it after `away_s`, whatever happens to the agent.
    """

    kind: Literal["path.try"] = "path.try"
    trial_id: Id
    host: Text
    initiators: tuple[IscsiName | NvmeName, ...]
    link: HostLink
    others: tuple[HostLink, ...] = Field(min_length=1)
    """The paths over which the host must continue."""
    sessions: dict[IscsiName, int]
    """The number of sessions of each target that is not shared, by IQN: as many must be connected again."""
    away_s: int = Field(ge=AWAY_LEAST_S, le=AWAY_MOST_S)

    def describe(self) -> str:
        return f"interrupt {self.link.shown} for {self.away_s} s and check that host {self.host} continues I/O"
