"""Leaving to targetcli, and reading what it wrote (decision 0023)."""

from sqlalchemy.orm import Session

from lunette.domain.observations import Observation
from lunette.domain.targetcli import Inspection, Saveconfig, SavedConfig
from lunette.engine.exports import exportset
from lunette.planner import targetcli
from lunette.providers.exports.lio import saveconfig
from lunette.store.secrets import SecretBox


def export(tx: Session, box: SecretBox, seen: Observation | None, *, secrets: bool) -> Saveconfig:
    """As the database wants it now. Without `seen`, while the agent is away, Fibre Channel ports are left out."""
    spec = exportset.build(tx, box)
    return saveconfig.write(spec, seen.fc_ports if seen else (), secrets=secrets)


def inspect(saved: SavedConfig) -> Inspection:
    """What of a configuration fits, object by object. The machine and the database are not looked at."""
    return targetcli.inspect(saved)
