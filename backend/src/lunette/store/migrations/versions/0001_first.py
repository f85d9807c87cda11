"""The first schema."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from lunette.store.schema import UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None
UTC_TIME = UtcTime()


def upgrade() -> None:
    # One function per table keeps each readable; the order follows the foreign keys.
    _alert()
    _array()
    _event()
    _host()
    _host_group()
    _idempotency_key()
    _job()
    _meta()
    _portal()
    _release()
    _user()
    _api_token()
    _array_disk()
    _host_group_member()
    _host_initiator()
    _job_step()
    _login_session()
    _target()
    _volume()
    _mapping()


def _resource() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.Column("updated_at", UTC_TIME, nullable=False),
    )


def _alert() -> None:
    op.create_table(
        "alert",
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("fix", sa.Text(), nullable=False),
        sa.Column("raised_at", UTC_TIME, nullable=False),
        sa.Column("resolved_at", UTC_TIME, nullable=True),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_alert"),
        sa.UniqueConstraint("key", name="uq_alert_key"),
    )
    op.create_index("ix_alert_resolved_at", "alert", ["resolved_at"], unique=False)


def _array() -> None:
    op.create_table(
        "array",
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("engine", sa.String(length=16), nullable=False),
        sa.Column("level", sa.String(length=16), nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("md_name", sa.String(length=63), nullable=False),
        sa.Column("group_name", sa.String(length=127), nullable=False),
        sa.Column("chunk_bytes", sa.BigInteger(), nullable=True),
        sa.Column("write_hole", sa.String(length=16), nullable=False),
        sa.Column("member_bytes", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_array"),
        sa.UniqueConstraint("group_name", name="uq_array_group_name"),
        sa.UniqueConstraint("md_name", name="uq_array_md_name"),
        sa.UniqueConstraint("name", name="uq_array_name"),
        sa.UniqueConstraint("uuid", name="uq_array_uuid"),
    )


def _event() -> None:
    op.create_table(
        "event",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", UTC_TIME, nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("noun", sa.String(length=32), nullable=False),
        sa.Column("ref", sa.String(length=255), nullable=True),
        sa.Column("actor", sa.String(length=127), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_event"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_event_kind", "event", ["kind"], unique=False)


def _host() -> None:
    op.create_table(
        "host",
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("os_type", sa.String(length=16), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("chap_user", sa.String(length=223), nullable=True),
        sa.Column("chap_secret_sealed", sa.Text(), nullable=True),
        sa.Column("chap_mutual_user", sa.String(length=223), nullable=True),
        sa.Column("chap_mutual_secret_sealed", sa.Text(), nullable=True),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_host"),
        sa.UniqueConstraint("name", name="uq_host_name"),
    )


def _host_group() -> None:
    op.create_table(
        "host_group",
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_host_group"),
        sa.UniqueConstraint("name", name="uq_host_group_name"),
    )


def _idempotency_key() -> None:
    op.create_table(
        "idempotency_key",
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("username", sa.String(length=127), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.PrimaryKeyConstraint("key", "username", name="pk_idempotency_key"),
    )
    op.create_index("ix_idempotency_key_created_at", "idempotency_key", ["created_at"], unique=False)


def _job() -> None:
    op.create_table(
        "job",
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("resource_kind", sa.String(length=32), nullable=False),
        sa.Column("resource_ids", sa.JSON(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("actor", sa.String(length=127), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("error", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("steps_total", sa.Integer(), nullable=False),
        sa.Column("steps_done", sa.Integer(), nullable=False),
        sa.Column("started_at", UTC_TIME, nullable=True),
        sa.Column("finished_at", UTC_TIME, nullable=True),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_job"),
    )
    op.create_index("ix_job_state_created_at", "job", ["state", "created_at"], unique=False)


def _meta() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )


def _portal() -> None:
    op.create_table(
        "portal",
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("protocol", sa.String(length=16), nullable=False),
        sa.Column("engine", sa.String(length=16), nullable=False),
        sa.Column("address", sa.String(length=45), nullable=False),
        sa.Column("port", sa.Integer(), nullable=False),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_portal"),
        sa.UniqueConstraint("name", name="uq_portal_name"),
        sa.UniqueConstraint("protocol", "address", "port", name="uq_portal_protocol_address_port"),
    )


def _release() -> None:
    op.create_table(
        "release",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("ref", sa.String(length=36), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "ref", name="pk_release"),
    )
    op.create_index("ix_release_generation", "release", ["generation"], unique=False)


def _user() -> None:
    op.create_table(
        "user",
        sa.Column("username", sa.String(length=63), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("must_change_password", sa.Boolean(), nullable=False),
        *_resource(),
        sa.PrimaryKeyConstraint("id", name="pk_user"),
        sa.UniqueConstraint("username", name="uq_user_username"),
    )


def _api_token() -> None:
    op.create_table(
        "api_token",
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("expires_at", UTC_TIME, nullable=True),
        sa.Column("last_used_at", UTC_TIME, nullable=True),
        *_resource(),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_api_token_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_api_token"),
        sa.UniqueConstraint("name", name="uq_api_token_name"),
        sa.UniqueConstraint("token_hash", name="uq_api_token_token_hash"),
    )
    op.create_index("ix_api_token_user_id", "api_token", ["user_id"], unique=False)


def _array_disk() -> None:
    op.create_table(
        "array_disk",
        sa.Column("disk_id", sa.String(length=255), nullable=False),
        sa.Column("array_id", sa.String(length=36), nullable=False),
        sa.Column("serial", sa.String(length=255), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["array_id"], ["array.id"], name="fk_array_disk_array_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("disk_id", name="pk_array_disk"),
    )
    op.create_index("ix_array_disk_array_id", "array_disk", ["array_id"], unique=False)


def _host_group_member() -> None:
    op.create_table(
        "host_group_member",
        sa.Column("host_id", sa.String(length=36), nullable=False),
        sa.Column("host_group_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(
            ["host_group_id"], ["host_group.id"], name="fk_host_group_member_host_group_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name="fk_host_group_member_host_id", ondelete="RESTRICT"),
        sa.PrimaryKeyConstraint("host_id", name="pk_host_group_member"),
    )
    op.create_index("ix_host_group_member_host_group_id", "host_group_member", ["host_group_id"], unique=False)


def _host_initiator() -> None:
    op.create_table(
        "host_initiator",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("host_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.String(length=223), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name="fk_host_initiator_host_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_host_initiator"),
        sa.UniqueConstraint("name", name="uq_host_initiator_name"),
    )
    op.create_index("ix_host_initiator_host_id", "host_initiator", ["host_id"], unique=False)


def _job_step() -> None:
    op.create_table(
        "job_step",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("error", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("started_at", UTC_TIME, nullable=True),
        sa.Column("finished_at", UTC_TIME, nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_job_step_job_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "index", name="pk_job_step"),
    )


def _login_session() -> None:
    op.create_table(
        "login_session",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("csrf_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.Column("expires_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_login_session_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name="pk_login_session"),
    )
    op.create_index("ix_login_session_expires_at", "login_session", ["expires_at"], unique=False)
    op.create_index("ix_login_session_user_id", "login_session", ["user_id"], unique=False)


def _target() -> None:
    op.create_table(
        "target",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("host_id", sa.String(length=36), nullable=True),
        sa.Column("host_group_id", sa.String(length=36), nullable=True),
        sa.Column("iqn", sa.String(length=223), nullable=False),
        sa.Column("tag", sa.Integer(), nullable=False),
        sa.CheckConstraint("(host_id IS NULL) <> (host_group_id IS NULL)", name="ck_target_one_owner"),
        sa.ForeignKeyConstraint(
            ["host_group_id"], ["host_group.id"], name="fk_target_host_group_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name="fk_target_host_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_target"),
        sa.UniqueConstraint("host_group_id", name="uq_target_host_group_id"),
        sa.UniqueConstraint("host_id", name="uq_target_host_id"),
        sa.UniqueConstraint("iqn", name="uq_target_iqn"),
    )


def _volume() -> None:
    op.create_table(
        "volume",
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("array_id", sa.String(length=36), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("provisioning", sa.String(length=16), nullable=False),
        sa.Column("lv_name", sa.String(length=127), nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("serial", sa.String(length=64), nullable=False),
        sa.Column("naa", sa.String(length=32), nullable=False),
        sa.Column("nguid", sa.String(length=32), nullable=False),
        sa.Column("eui64", sa.String(length=16), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        *_resource(),
        sa.ForeignKeyConstraint(["array_id"], ["array.id"], name="fk_volume_array_id", ondelete="RESTRICT"),
        sa.PrimaryKeyConstraint("id", name="pk_volume"),
        sa.UniqueConstraint("array_id", "lv_name", name="uq_volume_array_id_lv_name"),
        sa.UniqueConstraint("eui64", name="uq_volume_eui64"),
        sa.UniqueConstraint("naa", name="uq_volume_naa"),
        sa.UniqueConstraint("name", name="uq_volume_name"),
        sa.UniqueConstraint("nguid", name="uq_volume_nguid"),
        sa.UniqueConstraint("serial", name="uq_volume_serial"),
        sa.UniqueConstraint("uuid", name="uq_volume_uuid"),
    )
    op.create_index("ix_volume_array_id", "volume", ["array_id"], unique=False)
    op.create_index("ix_volume_state", "volume", ["state"], unique=False)


def _mapping() -> None:
    op.create_table(
        "mapping",
        sa.Column("volume_id", sa.String(length=36), nullable=False),
        sa.Column("host_id", sa.String(length=36), nullable=True),
        sa.Column("host_group_id", sa.String(length=36), nullable=True),
        sa.Column("lun", sa.Integer(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        *_resource(),
        sa.CheckConstraint("(host_id IS NULL) <> (host_group_id IS NULL)", name="ck_mapping_one_owner"),
        sa.ForeignKeyConstraint(
            ["host_group_id"], ["host_group.id"], name="fk_mapping_host_group_id", ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name="fk_mapping_host_id", ondelete="RESTRICT"),
        sa.ForeignKeyConstraint(["volume_id"], ["volume.id"], name="fk_mapping_volume_id", ondelete="RESTRICT"),
        sa.PrimaryKeyConstraint("id", name="pk_mapping"),
        sa.UniqueConstraint("host_group_id", "lun", name="uq_mapping_host_group_id_lun"),
        sa.UniqueConstraint("host_group_id", "volume_id", name="uq_mapping_host_group_id_volume_id"),
        sa.UniqueConstraint("host_id", "lun", name="uq_mapping_host_id_lun"),
        sa.UniqueConstraint("host_id", "volume_id", name="uq_mapping_host_id_volume_id"),
    )
    op.create_index("ix_mapping_volume_id", "mapping", ["volume_id"], unique=False)
