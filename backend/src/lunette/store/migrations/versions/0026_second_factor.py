"""A second factor for users."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "second_factor",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("secret_sealed", sa.Text(), nullable=True),
        sa.Column("next_sealed", sa.Text(), nullable=True),
        sa.Column("next_login", sa.String(length=64), nullable=True),
        sa.Column("last_period", sa.BigInteger(), nullable=False),
        sa.Column("recovery_hashes", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_second_factor_user_id_user", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name="pk_second_factor"),
    )
