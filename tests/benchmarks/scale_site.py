"""A site of 10,000 volumes and 500 hosts: its rows in a database, and an agent that says all of it is served.

Nothing below the agent's socket is there: what is measured is the control plane and the page. The agent's answers are
read from their wire form each time, as those of a real one are.
"""

import time
from typing import Any

from sqlalchemy import insert

from backend.tests.wiring import AwayAgent
from lunette.agent.requests import answers
from lunette.domain.agent_protocol import (
    PROTOCOL_VERSION,
    AwaitChange,
    Converge,
    Hello,
    HelloReply,
    Observe,
    ObserveCounters,
    ObserveSessions,
)
from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.counters import Counters
from lunette.domain.exports import (
    ConvergeReport,
    ExportSet,
    ObservedSession,
    PortalReport,
    ServingState,
    TargetReport,
    VolumeReport,
)
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.volumes import ObservedGroup, ObservedVolume
from lunette.providers.volumes.lvm import plan as lvm
from lunette.store import resources as rows
from lunette.store.database import Store

GIB = 1 << 30
GROUP, ARRAY_UUID = "lunette-tank", "0" * 31 + "1"
ADDRESS = "192.0.2.10"
SHARED_EVERY = 5
"""So many volumes apart one is mapped to a second host too."""


def fill(store: Store, volumes: int, hosts: int) -> None:
    """Writes the rows: one array, its volumes spread evenly over the hosts, every fifth of them for two."""
    ids = IdentitySource()
    array, portal = ids.id(), ids.id()
    owners = [ids.id() for _ in range(hosts)]
    cut = [ids.id() for _ in range(volumes)]
    with store.write() as tx:
        tx.execute(insert(rows.Array), [_array(array)])
        tx.execute(insert(rows.Volume), [_volume(ids, one, array, number) for number, one in enumerate(cut, 1)])
        tx.execute(insert(rows.Host), [_host(one, number) for number, one in enumerate(owners, 1)])
        tx.execute(insert(rows.HostInitiator), [_initiator(ids, one, at) for at, one in enumerate(owners, 1)])
        tx.execute(insert(rows.Target), [_target(ids, one) for one in owners])
        tx.execute(insert(rows.Mapping), _mappings(ids, cut, owners))
        tx.execute(
            insert(rows.Portal),
            [{"id": portal, "name": "storage", "protocol": "iscsi", "engine": "lio", "address": ADDRESS, "port": 3260}],
        )


class ServingAgent(AwayAgent):
    """Everything in the database is there and served, and every host is logged in."""

    def __init__(self) -> None:
        self._seen = self._sessions = b""
        self._generation = 0

    def look_at(self, store: Store) -> None:
        """From now on it sees what is in the database."""
        with store.read() as tx:
            volumes = [
                _seen_volume(row.id, row.backing_name, row.size_bytes)
                for row in tx.query(rows.Volume.id, rows.Volume.backing_name, rows.Volume.size_bytes)
            ]
            targets = dict(tx.query(rows.Target.host_id, rows.Target.iqn).all())
            initiators = tx.query(rows.HostInitiator.host_id, rows.HostInitiator.name).all()
        self._seen = _observation(volumes).model_dump_json().encode()
        sessions = tuple(_session(targets[host], name) for host, name in initiators)
        self._sessions = SessionsObservation(taken_at=time.time(), sessions=sessions).model_dump_json().encode()

    @answers(Hello)
    def hello(self) -> HelloReply:
        return HelloReply(version=PROTOCOL_VERSION, agent="scale", ledger_generation=self._generation)

    @answers(Observe)
    def observe(self) -> Observation:
        return Observation.model_validate_json(self._seen).model_copy(update={"taken_at": time.time()})

    @answers(ObserveSessions)
    def sessions(self) -> SessionsObservation:
        return SessionsObservation.model_validate_json(self._sessions).model_copy(update={"taken_at": time.time()})

    @answers(ObserveCounters)
    def counters(self) -> Counters:
        return Counters(
            taken_at=time.time(), clock_s=time.monotonic(), disks={}, volumes={}, arrays={}, sessions=(), ports=()
        )

    @answers(AwaitChange)
    def await_change(self, known: int, timeout_s: float) -> int:
        time.sleep(timeout_s)
        return known

    @answers(Converge)
    def converge(self, wanted: ExportSet) -> ConvergeReport:
        self._generation = wanted.generation
        is_open: Any = {"state": ServingState.OPEN, "reason": None}
        return ConvergeReport(
            generation=wanted.generation,
            accepted=True,
            refusal=None,
            changed=0,
            unexplained=(),
            foreign=(),
            targets=tuple(TargetReport(target_id=one.target_id, **is_open) for one in wanted.targets),
            volumes=tuple(VolumeReport(volume_id=one.volume_id, **is_open) for one in wanted.volumes),
            portals=tuple(PortalReport(portal_id=one.portal_id, **is_open) for one in wanted.portals),
        )


def _array(array: str) -> dict[str, Any]:
    return {
        "id": array,
        "name": "tank",
        "state": "ready",
        "engine": "md",
        "level": "raid6",
        "uuid": ARRAY_UUID,
        "engine_name": "lunette-tank",
        "group_name": GROUP,
        "chunk_bytes": 65536,
        "write_hole": "bitmap",
        "member_bytes": 16384 * GIB,
        "size_bytes": 1_000_000 * GIB,
        "growing": False,
    }


def _volume(ids: IdentitySource, volume: str, array: str, number: int) -> dict[str, Any]:
    return {
        "id": volume,
        "name": f"lun{number:05}",
        "state": "ready",
        "array_id": array,
        "backing_name": f"v-{volume}",
        "size_bytes": (number % 40 + 1) * 10 * GIB,
        "provisioning": "thick",
        "description": "",
        **ids.volume().model_dump(),
    }


def _host(host: str, number: int) -> dict[str, Any]:
    return {"id": host, "name": f"esx{number:03}", "os_type": "esxi", "description": ""}


def _initiator(ids: IdentitySource, host: str, number: int) -> dict[str, Any]:
    name = f"iqn.1998-01.com.example:esx{number:03}"
    return {"id": ids.id(), "host_id": host, "kind": "iqn", "name": name}


def _target(ids: IdentitySource, host: str) -> dict[str, Any]:
    appliance = "0" * 12
    return {
        "id": ids.id(),
        "host_id": host,
        "iqn": ids.target_iqn(appliance),
        "nqn": ids.subsystem_nqn(appliance),
        "tag": 1,
    }


def _mappings(ids: IdentitySource, volumes: list[str], hosts: list[str]) -> list[dict[str, Any]]:
    found, luns = [], dict.fromkeys(hosts, 0)
    for number, volume in enumerate(volumes):
        owners = [hosts[number % len(hosts)]]
        if number % SHARED_EVERY == 0:
            owners.append(hosts[(number + 1) % len(hosts)])
        for host in owners:
            luns[host] += 1
            found.append(
                {
                    "id": ids.id(),
                    "volume_id": volume,
                    "host_id": host,
                    "lun": luns[host],
                    "family": "scsi",
                    "shared": len(owners) > 1,
                }
            )
    return found


def _seen_volume(volume: str, name: str, size_bytes: int) -> ObservedVolume:
    return ObservedVolume(
        volume_id=volume,
        group=GROUP,
        name=name,
        device=f"/dev/{GROUP}/{name}",
        size_bytes=size_bytes,
        active=True,
        open=True,
        sealed=True,
    )


def _session(target: str, initiator: str) -> ObservedSession:
    return ObservedSession.model_validate(
        {
            "target": target,
            "initiator": initiator,
            "protocol": "iscsi",
            "peer": "192.0.2.200",
            "portal": f"{ADDRESS}:3260",
            "state": "LOGGED_IN",
            "since": None,
        }
    )


def _observation(volumes: list[ObservedVolume]) -> Observation:
    array = ObservedArray.model_validate(
        {
            "uuid": ARRAY_UUID,
            "engine": "md",
            "name": "lunette-tank",
            "ours": True,
            "device": "/dev/md/tank",
            "level": "raid6",
            "state": ArrayState.CLEAN,
            "size_bytes": 1_000_000 * GIB,
            "chunk_bytes": 65536,
            "write_hole": "bitmap",
            "members": (),
            "raid_disks": 64,
            "progress": None,
            "mismatch_count": 0,
        }
    )
    pool = ObservedGroup(
        array_uuid=ARRAY_UUID,
        group=GROUP,
        ours=True,
        size_bytes=1_000_000 * GIB,
        free_bytes=1000 * GIB,
        extent_bytes=4 << 20,
    )
    return Observation(
        taken_at=0.0,
        hostname="scale",
        kernel="",
        disks=(),
        arrays=(array,),
        groups=(pool,),
        volumes=tuple(volumes),
        engines=(lvm.capability(),),
        addresses=(ADDRESS,),
    )
