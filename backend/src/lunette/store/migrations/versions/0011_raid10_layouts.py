"""Arrays keep where the copies of a raid10 lie; until now that was mdadm's default."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("array", sa.Column("layout", sa.String(8), nullable=True))
    op.execute(sa.text("""UPDATE "array" SET layout = 'n2' WHERE level = 'raid10'"""))
