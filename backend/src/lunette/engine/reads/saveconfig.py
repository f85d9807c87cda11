"""Export to targetcli, and inspection of its configuration (decision 0023)."""

from sqlalchemy.orm import Session

from lunette.domain.observations import Observation
from lunette.domain.targetcli import Inspection, Saveconfig, SavedConfig
from lunette.engine.exports import exportset
from lunette.planner import targetcli
from lunette.providers.exports.lio import saveconfig
from lunette.store.secrets import SecretBox


def export(tx: Session, box: SecretBox, seen: Observation | None, *, secrets: bool) -> Saveconfig:
    """The present desired state. Without `seen`, while the agent is down, Fibre Channel ports are omitted."""
    spec = exportset.build(tx, box)
    return saveconfig.write(spec, seen.fc_ports if seen else (), secrets=secrets)


def inspect(saved: SavedConfig) -> Inspection:
    """Judges a configuration, object by object. The machine and the database are not consulted."""
    return targetcli.inspect(saved)
