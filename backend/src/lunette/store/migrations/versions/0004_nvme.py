"""NVMe: a subsystem name for every owner, the family of a mapping, DH-HMAC-CHAP keys of a host."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Owners that are there get the subsystem name that goes with their target's name; their mappings are SCSI."""
    for name, kind in _KEYS.items():
        op.add_column("host", sa.Column(name, kind, nullable=True))
    op.add_column("mapping", sa.Column("family", sa.String(length=8), nullable=False, server_default="scsi"))
    op.add_column("target", sa.Column("nqn", sa.String(length=223), nullable=True))
    op.execute("UPDATE target SET nqn = 'nqn' || substr(iqn, 4)")
    with op.batch_alter_table("target") as target:
        target.alter_column("nqn", existing_type=sa.String(length=223), nullable=False)
        target.create_unique_constraint("uq_target_nqn", ["nqn"])


_KEYS: dict[str, sa.types.TypeEngine[str]] = {
    "dhchap_secret_sealed": sa.Text(),
    "dhchap_mutual_secret_sealed": sa.Text(),
    "dhchap_hash": sa.String(length=8),
    "dhchap_group": sa.String(length=16),
}
