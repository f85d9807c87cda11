"""The content of SPDK's target, parsed from its answers. Pure."""

from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from typing import Any
from uuid import UUID

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.identity import NO_NGUID, SUBSYSTEM_AUTHORITY
from lunette.providers.exports.spdk.requests import TRANSPORT
from lunette.providers.exports.spdk.tree import DISCOVERY, MARK, Bdev, Host, Listener, Namespace, Subsystem
from lunette.providers.reading import reader


class SpdkState(Model):
    has_transport: bool = False
    discovery: frozenset[Listener] = frozenset()
    subsystems: dict[str, Subsystem] = Field(default_factory=dict)
    """Lunette's, of any appliance ID."""
    foreign: tuple[str, ...] = ()
    taken: frozenset[Listener] = frozenset()
    """Where foreign subsystems listen."""
    bdevs: dict[str, Bdev] = Field(default_factory=dict)
    """Ours."""
    files: dict[str, str] = Field(default_factory=dict)
    """The open device of each bdev, by its name; includes foreign ones."""
    keys: frozenset[str] = frozenset()
    """Ours."""


@reader("SPDK")
def read(answers: Sequence[Any]) -> SpdkState:
    """The answers to `requests.looks`, in that order."""
    transports, subsystems, bdevs, keys = answers
    found = [_subsystem(one) for one in subsystems if one["subtype"] == "NVMe"]
    ours = {one.nqn: one for one in found if one.nqn.startswith(f"{SUBSYSTEM_AUTHORITY}:")}
    others = [one for one in found if one.nqn not in ours]
    aio = [one for one in bdevs if "aio" in (one.get("driver_specific") or {})]
    return SpdkState(
        has_transport=any(one["trtype"] == TRANSPORT for one in transports),
        discovery=frozenset(place for one in subsystems if one["nqn"] == DISCOVERY for place in _listeners(one)),
        subsystems=ours,
        foreign=tuple(one.nqn for one in others),
        taken=frozenset(place for one in others for place in one.listeners),
        bdevs={one["name"]: _bdev(one) for one in aio if one["name"].startswith(MARK)},
        files={one["name"]: one["driver_specific"]["aio"]["filename"] for one in aio},
        keys=frozenset(one["name"] for one in keys if one["name"].startswith(MARK) and not one.get("removed")),
    )


def _bdev(reported: Mapping[str, Any]) -> Bdev:
    return Bdev(
        name=reported["name"],
        uuid=reported["uuid"],
        device=reported["driver_specific"]["aio"]["filename"],
        size_bytes=reported["block_size"] * reported["num_blocks"],
    )


def _subsystem(reported: Mapping[str, Any]) -> Subsystem:
    namespaces = [
        Namespace(
            nsid=one["nsid"],
            bdev=one["bdev_name"],
            uuid=one.get("uuid", ""),
            nguid=UUID(one["nguid"]).hex if one.get("nguid") else NO_NGUID,
        )
        for one in reported["namespaces"]
    ]
    hosts = [
        Host(nqn=one["nqn"], key=one.get("dhchap_key"), mutual_key=one.get("dhchap_ctrlr_key"))
        for one in reported["hosts"]
    ]
    return Subsystem(
        nqn=reported["nqn"],
        serial=reported["serial_number"],
        model=reported["model_number"],
        namespaces={one.nsid: one for one in namespaces},
        hosts={one.nqn: one for one in hosts},
        listeners=frozenset(_listeners(reported)),
    )


def _listeners(reported: Mapping[str, Any]) -> list[Listener]:
    return [
        Listener(address=str(ip_address(one["traddr"])), port=int(one["trsvcid"]))
        for one in reported["listen_addresses"]
        if one["trtype"] == TRANSPORT
    ]
