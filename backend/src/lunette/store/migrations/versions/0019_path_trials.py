"""What came of the last trial of each host's paths."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "host_path_trial",
        sa.Column("host_id", sa.String(length=36), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_passed", sa.Boolean(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name="fk_host_path_trial_host_id_host", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("host_id", name="pk_host_path_trial"),
    )
