"""Which events belong to one job, and which of them stands for it."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

EVENT = sa.table(
    "event",
    sa.column("seq", sa.Integer()),
    sa.column("kind", sa.String()),
    sa.column("noun", sa.String()),
    sa.column("ref", sa.String()),
    sa.column("data", sa.JSON()),
    sa.column("job_id", sa.String()),
    sa.column("is_folded", sa.Boolean()),
)


def upgrade() -> None:
    op.add_column("event", sa.Column("job_id", sa.String(length=36), nullable=True))
    op.add_column("event", sa.Column("is_folded", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_event_job_id", "event", ["job_id"])
    of_job = (EVENT.c.noun == "job") & (EVENT.c.kind != "job.progress")
    op.execute(EVENT.update().where(of_job).values(job_id=EVENT.c.ref))
    named = EVENT.c.data["job_id"].as_string()
    op.execute(EVENT.update().where(named.is_not(None)).values(job_id=named))
    last_of_objects = sa.func.max(sa.case((EVENT.c.noun != "job", EVENT.c.seq)))
    standing = sa.select(sa.func.coalesce(last_of_objects, sa.func.max(EVENT.c.seq)))
    standing = standing.where(EVENT.c.job_id.is_not(None)).group_by(EVENT.c.job_id)
    folded = EVENT.c.job_id.is_not(None) & EVENT.c.seq.not_in(standing)
    op.execute(EVENT.update().where(folded).values(is_folded=sa.true()))
