"""How things were before and after each change that can be undone."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_SEQ = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "kept_state",
        sa.Column("event_seq", _SEQ, autoincrement=False, nullable=False),
        sa.Column("noun", sa.String(length=32), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("undone_by", _SEQ, nullable=True),
        sa.ForeignKeyConstraint(["event_seq"], ["event.seq"], name="fk_kept_state_event_seq", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["undone_by"], ["event.seq"], name="fk_kept_state_undone_by", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("event_seq", name="pk_kept_state"),
    )
