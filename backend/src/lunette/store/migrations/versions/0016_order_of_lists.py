"""Indexes that have the order in which long lists are shown; the id breaks ties."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_ORDERS = (
    ("volume", "created_at"),
    ("volume", "size_bytes"),
    ("mapping", "created_at"),
    ("host", "created_at"),
    ("snapshot", "created_at"),
    ("deleted_volume", "deleted_at"),
    ("job", "created_at"),
)


def upgrade() -> None:
    for table, column in _ORDERS:
        op.create_index(f"ix_{table}_{column}_id", table, [column, "id"])
