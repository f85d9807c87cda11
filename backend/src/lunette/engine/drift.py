"""Gathers what the database knows and what the last looks at the machine told; the planner finds the differences."""

from sqlalchemy import literal, select
from sqlalchemy.orm import Session

from lunette.domain.drift import DriftReport
from lunette.domain.exports import ConvergeReport
from lunette.domain.observations import Observation
from lunette.planner import drift as planner
from lunette.planner.drift import DriftFacts, Known
from lunette.store.resources import Array, DeletedVolume, FcPort, Host, HostGroup, Portal, Snapshot, Target, Volume


def report(tx: Session, seen: Observation | None, exports: ConvergeReport | None, away: str | None) -> DriftReport:
    """Every difference. `exports` is the agent's own comparison in the last round of the reconciler."""
    unseen = [f"arrays and volumes: {away}"] if seen is None else []
    unseen += [] if exports is not None else ["exports: the agent has not answered since this process started"]
    return DriftReport(
        items=planner.find(_facts(tx), seen, exports),
        complete=not unseen,
        unseen=tuple(unseen),
        repaired=exports.changed if exports is not None else None,
    )


def _facts(tx: Session) -> DriftFacts:
    arrays = tx.execute(select(Array.id, Array.uuid, Array.name, Array.state)).all()
    volumes = tx.execute(select(Volume.id, Volume.name, Volume.state)).all()
    deleted = tx.execute(select(DeletedVolume.id, DeletedVolume.name, literal("deleted"))).all()
    portals = tx.execute(select(Portal.id, Portal.name)).all()
    ports = tx.execute(select(FcPort.id, FcPort.wwpn)).all()
    of_hosts = tx.execute(select(Target.id, Host.name).join(Host, Host.id == Target.host_id)).all()
    of_groups = tx.execute(
        select(Target.id, HostGroup.name).join(HostGroup, HostGroup.id == Target.host_group_id)
    ).all()
    names = dict(portals) | dict(ports) | dict(of_hosts) | dict(of_groups)
    names |= {id_: name for id_, name, _ in volumes} | {id_: name for id_, _, name, _ in arrays}
    return DriftFacts(
        arrays=[Known(uuid, name, state) for _, uuid, name, state in arrays],
        volumes=[Known(id_, name, state) for id_, name, state in (*volumes, *deleted)],
        snapshot_ids=frozenset(tx.scalars(select(Snapshot.id))),
        names=names,
    )
