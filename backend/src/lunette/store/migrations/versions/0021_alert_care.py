"""An alert can be acknowledged and silenced."""

import sqlalchemy as sa
from alembic import op

from lunette.store.schema import UtcTime

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("acknowledged_at", "silenced_until"):
        op.add_column("alert", sa.Column(name, UtcTime(), nullable=True))
    op.add_column("alert", sa.Column("acknowledged_by", sa.String(127), nullable=True))
    op.add_column("alert", sa.Column("note", sa.Text(), nullable=False, server_default=""))
