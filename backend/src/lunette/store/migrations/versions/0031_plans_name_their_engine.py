"""Steps in the plans of jobs name their engine, as 0030 did for the steps of the journal."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
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
_JOB = sa.table("job", sa.column("id", sa.String), sa.column("plan", sa.JSON))


def upgrade() -> None:
    """One job at a time, as the plan of one can have thousands of steps."""
    connection = op.get_bind()
    for job_id in connection.scalars(sa.select(_JOB.c.id)).all():
        this = _JOB.c.id == job_id
        plan: Any = connection.scalar(sa.select(_JOB.c.plan).where(this))
        steps = plan.get("steps") if isinstance(plan, dict) else None
        if isinstance(steps, list) and any(map(_is_nameless, steps)):
            named = [{**step, "engine": "lvm"} if _is_nameless(step) else step for step in steps]
            connection.execute(sa.update(_JOB).where(this).values(plan={**plan, "steps": named}))


def _is_nameless(step: Any) -> bool:
    return isinstance(step, dict) and step.get("kind") in _KINDS and "engine" not in step
