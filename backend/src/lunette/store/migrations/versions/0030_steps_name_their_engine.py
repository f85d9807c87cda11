"""Steps of volumes and snapshots name their engine: those of the first versions, which knew LVM alone, did not."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_KINDS = (
    "volume.cut",
    "volumes.seal",
    "volume.delete",
    "volume.grow",
    "volume.roll_back",
    "snapshot.take",
    "snapshot.delete",
)
_STEP = sa.table(
    "job_step",
    sa.column("job_id", sa.String),
    sa.column("index", sa.Integer),
    sa.column("kind", sa.String),
    sa.column("payload", sa.JSON),
)


def upgrade() -> None:
    connection = op.get_bind()
    for step in connection.execute(sa.select(_STEP).where(_STEP.c.kind.in_(_KINDS))).all():
        if isinstance(step.payload, dict) and step.payload.get("kind") == step.kind and "engine" not in step.payload:
            this = (_STEP.c.job_id == step.job_id) & (_STEP.c.index == step.index)
            connection.execute(sa.update(_STEP).where(this).values(payload={**step.payload, "engine": "lvm"}))
