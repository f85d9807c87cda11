"""The facade the API drives: every change of the appliance, and what the machine is now.

Each change runs in the request's write transaction: it checks against the database and a recent observation, writes
rows, events, releases and (for arrays and volumes) a job, and wakes the workers once the transaction is durable.
"""

import datetime as dt
from collections.abc import Sequence

from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayCreate
from lunette.domain.exports import ConvergeReport
from lunette.domain.hosts import HostCreate, HostGroupCreate, HostGroupPatch, HostPatch
from lunette.domain.identity import IdentitySource
from lunette.domain.jobs import Resolution
from lunette.domain.mappings import MappingCreate, PortalCreate
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.volumes import VolumeCreate, VolumePatch
from lunette.engine.outcome import Actor, Outcome
from lunette.store.database import Store
from lunette.system.agent_port import AgentPort


class Control:
    """Made once per process. `tx` is a session of `store.write()`; with `dry_run` nothing is written."""

    def __init__(self, store: Store, agent: AgentPort, identities: IdentitySource | None = None) -> None:
        self.store = store
        self.agent = agent
        self.identities = identities or IdentitySource()

    def start(self) -> None:
        """Starts the workers and the reconciler, and takes up the jobs an earlier process left."""
        raise NotImplementedError

    def stop(self) -> None:
        """Stops the threads within a few seconds; a job that runs is taken up again at the next start."""
        raise NotImplementedError

    @property
    def exports_at(self) -> dt.datetime | None:
        """When the last converge report came."""
        raise NotImplementedError

    def exports(self) -> ConvergeReport | None:
        """The last converge report; None before the first."""
        raise NotImplementedError

    def observation(self, max_age_s: float = 2.0) -> Observation:
        """A snapshot of the machine that is at most `max_age_s` old. Raises Unavailable if the agent is away."""
        raise NotImplementedError

    def sessions(self) -> SessionsObservation:
        """Who is logged in now. Raises Unavailable if the agent is away."""
        raise NotImplementedError

    def create_array(self, tx: Session, actor: Actor, wish: ArrayCreate, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def delete_array(self, tx: Session, actor: Actor, array_id: str, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def create_volumes(
        self, tx: Session, actor: Actor, wishes: Sequence[VolumeCreate], dry_run: bool = False
    ) -> Outcome:
        raise NotImplementedError

    def patch_volume(
        self, tx: Session, actor: Actor, volume_id: str, patch: VolumePatch, dry_run: bool = False
    ) -> Outcome:
        raise NotImplementedError

    def delete_volume(self, tx: Session, actor: Actor, volume_id: str, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def create_host(self, tx: Session, actor: Actor, wish: HostCreate, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def patch_host(self, tx: Session, actor: Actor, host_id: str, patch: HostPatch, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def delete_host(self, tx: Session, actor: Actor, host_id: str, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def create_host_group(self, tx: Session, actor: Actor, wish: HostGroupCreate, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def patch_host_group(
        self, tx: Session, actor: Actor, host_group_id: str, patch: HostGroupPatch, dry_run: bool = False
    ) -> Outcome:
        raise NotImplementedError

    def delete_host_group(self, tx: Session, actor: Actor, host_group_id: str, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def create_portal(self, tx: Session, actor: Actor, wish: PortalCreate, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def delete_portal(self, tx: Session, actor: Actor, portal_id: str, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def create_mappings(
        self, tx: Session, actor: Actor, wishes: Sequence[MappingCreate], dry_run: bool = False
    ) -> Outcome:
        raise NotImplementedError

    def delete_mapping(self, tx: Session, actor: Actor, mapping_id: str, dry_run: bool = False) -> Outcome:
        raise NotImplementedError

    def resolve_job(self, tx: Session, actor: Actor, job_id: str, how: Resolution, dry_run: bool = False) -> Outcome:
        """Decides about a stuck job. Raises Conflict if the job is not stuck."""
        raise NotImplementedError
