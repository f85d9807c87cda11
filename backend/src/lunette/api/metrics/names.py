"""Adds names to measurements: the counters know IDs and initiators, users know volumes, disks and hosts."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.counters import SessionCounters
from lunette.domain.performance import APPLIANCE, Key, Measured, session_key
from lunette.engine.counters.performance import Measurement
from lunette.store.resources import Array, Host, HostInitiator, Volume


@dataclass(frozen=True)
class Names:
    """Names by ID, and the host of each initiator. `appliance` is the name of the machine."""

    appliance: str
    volumes: dict[str, str]
    arrays: dict[str, str]
    array_of: dict[str, str]
    """The array's name by volume ID."""
    hosts: dict[str, str]
    """The host's name by initiator."""
    host_names: dict[str, str]
    """The host's name by id."""
    measurement: Measurement | None

    @cached_property
    def sessions(self) -> dict[Key, SessionCounters]:
        found = self.measurement.counters.sessions if self.measurement else ()
        return {session_key(one.target, one.initiator): one for one in found}

    @cached_property
    def disks(self) -> frozenset[str]:
        return frozenset(self.measurement.disk_ids.values()) if self.measurement else frozenset()

    def of(self, key: Key) -> str | None:
        """The name of an object; None if it does not exist now."""
        match key.of:
            case Measured.APPLIANCE:
                return self.appliance
            case Measured.VOLUME:
                return self.volumes.get(key.id)
            case Measured.ARRAY:
                return self.arrays.get(key.id)
            case Measured.HOST:
                return self.host_names.get(key.id)
            case Measured.DISK:
                return key.id if key.id in self.disks else None
            case Measured.SESSION:
                return self.sessions[key].initiator if key in self.sessions else None

    def find(self, reference: str) -> Iterator[Key]:
        """The objects with this ID."""
        keys = (APPLIANCE, *(Key(of, reference) for of in Measured if of is not Measured.APPLIANCE))
        return (key for key in keys if key.id == reference and self.of(key) is not None)


def names(tx: Session, appliance: str, measurement: Measurement | None) -> Names:
    """Four queries, however many objects exist."""
    volumes = tx.execute(select(Volume.id, Volume.name, Volume.array_id)).all()
    arrays = dict(tx.execute(select(Array.id, Array.name)).all())
    hosts = dict(tx.execute(select(Host.id, Host.name)).all())
    owners = tx.execute(select(HostInitiator.name, HostInitiator.host_id))
    return Names(
        appliance=appliance,
        volumes={id_: name for id_, name, _ in volumes},
        arrays=arrays,
        array_of={id_: arrays.get(array_id, "") for id_, _, array_id in volumes},
        hosts={initiator: hosts[id_] for initiator, id_ in owners},
        host_names=hosts,
        measurement=measurement,
    )
