"""When each host was last logged in. For the hosts of before, it is not known whether they ever were."""

import sqlalchemy as sa
from alembic import op

from lunette.store.schema import UtcTime

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "host_login",
        sa.Column("host_id", sa.String(length=36), nullable=False),
        sa.Column("last_seen_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name="fk_host_login_host_id_host", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("host_id", name="pk_host_login"),
    )
    op.execute("INSERT INTO host_login (host_id) SELECT id FROM host")
