"""Numbers under which hosts may still have the devices of volumes that were unmapped."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "held_number",
        sa.Column("initiator", sa.String(length=223), nullable=False),
        sa.Column("target_id", sa.String(length=36), nullable=False),
        sa.Column("lun", sa.Integer(), nullable=False),
        sa.Column("volume_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("volume_name", sa.String(length=63), nullable=False),
        sa.Column("due_s", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("is_settled", sa.Boolean(), nullable=False),
        sa.Column("isid", sa.String(length=12), nullable=True),
        sa.PrimaryKeyConstraint("initiator", "target_id", "lun", "volume_id", name="pk_held_number"),
    )
