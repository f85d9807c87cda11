"""What is wanted: arrays, volumes, hosts, groups, targets, mappings and portals."""

import datetime as dt
from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import JSON, BigInteger, CheckConstraint, ForeignKey, Index, Row, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from lunette.domain.arrays import MemberRole
from lunette.domain.exports import AdoptedBackstore, AdoptedSubsystem
from lunette.domain.identity import NO_NGUID, VolumeIdentity
from lunette.domain.jobs import ResourceState
from lunette.domain.mappings import Family
from lunette.domain.tuning import ArrayTuning, TuningName
from lunette.store.schema import Base, Resource, utc_now

ONE_OWNER = "(host_id IS NULL) <> (host_group_id IS NULL)"


class Array(Resource, Base):
    """`uuid` is md's form, 32 hex digits; `group_name` the volume group on it; `size_bytes` what its level gives."""

    __tablename__ = "array"

    name: Mapped[str] = mapped_column(String(63), unique=True)
    state: Mapped[str] = mapped_column(String(16), default=ResourceState.CREATING.value)
    engine: Mapped[str] = mapped_column(String(16))
    level: Mapped[str] = mapped_column(String(16))
    uuid: Mapped[str] = mapped_column(String(36), unique=True)
    engine_name: Mapped[str] = mapped_column("md_name", String(63), unique=True)
    group_name: Mapped[str] = mapped_column(String(127), unique=True)
    chunk_bytes: Mapped[int | None] = mapped_column(BigInteger)
    layout: Mapped[str | None] = mapped_column(String(8))
    write_hole: Mapped[str] = mapped_column(String(16))
    member_bytes: Mapped[int] = mapped_column(BigInteger)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    sync_speed_min_bytes_s: Mapped[int | None] = mapped_column(BigInteger)
    sync_speed_max_bytes_s: Mapped[int | None] = mapped_column(BigInteger)
    group_thread_cnt: Mapped[int | None]
    stripe_cache_size: Mapped[int | None]
    skip_copy: Mapped[bool | None]
    scheduler: Mapped[str | None] = mapped_column(String(16))
    health_command: Mapped[str | None] = mapped_column(String(63))
    spare_group: Mapped[str | None] = mapped_column(String(63))
    group_data_disks: Mapped[int | None]
    distributed_spares: Mapped[int | None]
    encryption: Mapped[str | None] = mapped_column(String(16))
    keep_key: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Of an encrypted array: the agent keeps a key that opens it."""
    integrity: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Of LVM RAID: each disk's copy has checksums."""
    growing: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Disks were added to it, or it is reshaped, and what that drops or leaves to do is not done yet."""
    disks: Mapped[list["ArrayDisk"]] = relationship(
        order_by="ArrayDisk.slot", lazy="selectin", cascade="all, delete-orphan", passive_deletes=True
    )

    @property
    def write_mostly(self) -> tuple[str, ...]:
        """Ids of the disks of a mirror that are read only if no other holds the data."""
        return tuple(disk.disk_id for disk in self.disks if disk.write_mostly)

    @write_mostly.setter
    def write_mostly(self, disk_ids: Collection[str] | None) -> None:
        for disk in self.disks:
            disk.write_mostly = disk.disk_id in (disk_ids or ())

    def tuning(self) -> ArrayTuning:
        """What was chosen for it."""
        return ArrayTuning.model_validate({name.value: getattr(self, name.value) for name in TuningName})


class ArrayDisk(Base):
    """A disk belongs to only one array: the unique column is the last safeguard between two racing requests.

    `slot` is the order in which the disks were added; md's slots are read from the machine. `leaving`: md is copying it
    to another disk, and it is removed once that is done. `role`: its purpose; md turns spares into members
    automatically, so all its disks are data disks here.
    """

    __tablename__ = "array_disk"

    disk_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    array_id: Mapped[str] = mapped_column(ForeignKey("array.id", ondelete="CASCADE"), index=True)
    serial: Mapped[str] = mapped_column(String(255))
    slot: Mapped[int]
    leaving: Mapped[bool] = mapped_column(default=False, server_default=false())
    write_mostly: Mapped[bool] = mapped_column(default=False, server_default=false())
    role: Mapped[str] = mapped_column(String(16), default=MemberRole.DATA.value, server_default=MemberRole.DATA.value)


class DiskCount(Base):
    """A drive's count of its own errors, as last reported. `before`: its value until it last grew."""

    __tablename__ = "disk_count"

    disk_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    serial: Mapped[str] = mapped_column(String(255))
    value: Mapped[int] = mapped_column(BigInteger)
    before: Mapped[int | None] = mapped_column(BigInteger)
    grew_at: Mapped[dt.datetime | None]


class DiskReading(Base):
    """A drive's readings of one UTC day: its last values, as the JSON of HealthValues, and its maximum temperature."""

    __tablename__ = "disk_reading"
    __table_args__ = (Index(None, "disk_id", "day", unique=True), Index(None, "day"))

    id: Mapped[int] = mapped_column(primary_key=True)
    disk_id: Mapped[str] = mapped_column(String(255))
    serial: Mapped[str] = mapped_column(String(255))
    day: Mapped[str] = mapped_column(String(10))
    read_at: Mapped[dt.datetime]
    state: Mapped[str] = mapped_column(String(16))
    hottest_c: Mapped[int | None]
    told: Mapped[str] = mapped_column(Text)


class VolumeColumns:
    """What a volume is, deleted or not. `backing_name` and the identity never change."""

    array_id: Mapped[str] = mapped_column(ForeignKey("array.id", ondelete="RESTRICT"), index=True)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    provisioning: Mapped[str] = mapped_column(String(16))
    backing_name: Mapped[str] = mapped_column("lv_name", String(127))
    uuid: Mapped[str] = mapped_column(String(36), unique=True)
    serial: Mapped[str] = mapped_column(String(64), unique=True)
    naa: Mapped[str] = mapped_column(String(32), unique=True)
    nguid: Mapped[str] = mapped_column(String(32), unique=True)
    eui64: Mapped[str] = mapped_column(String(16), unique=True)
    description: Mapped[str] = mapped_column(Text, default="")
    backstore: Mapped[str | None] = mapped_column(Text)
    """What a backstore that was adopted shows hosts, as JSON; None: ours."""
    without_nguid: Mapped[bool] = mapped_column(default=False, server_default=false())
    """It was adopted from nvmet, which showed no NGUID for it: hosts see none, and `nguid` is reserved."""

    def identity(self) -> VolumeIdentity:
        """What hosts are shown."""
        return identity_of(self)

    def shown_nguid(self) -> str:
        return _shown_nguid(self)

    def adopted(self) -> AdoptedBackstore | None:
        return adopted_of(self)


def identity_of(volume: VolumeColumns | Row[Any]) -> VolumeIdentity:
    """What hosts are shown of a volume, or of a row with these columns."""
    return VolumeIdentity(
        uuid=volume.uuid, serial=volume.serial, naa=volume.naa, nguid=_shown_nguid(volume), eui64=volume.eui64
    )


def _shown_nguid(volume: VolumeColumns | Row[Any]) -> str:
    return NO_NGUID if volume.without_nguid else volume.nguid


def adopted_of(volume: VolumeColumns | Row[Any]) -> AdoptedBackstore | None:
    """What the adopted backstore of a volume shows hosts, or that of a row with these columns."""
    return AdoptedBackstore.model_validate_json(volume.backstore) if volume.backstore else None


class Volume(Resource, VolumeColumns, Base):
    """`name` is for display and may change."""

    __tablename__ = "volume"
    __table_args__ = (
        UniqueConstraint("array_id", "lv_name"),
        Index(None, "created_at", "id"),
        Index(None, "size_bytes", "id"),
    )

    name: Mapped[str] = mapped_column(String(63), unique=True)
    state: Mapped[str] = mapped_column(String(16), default=ResourceState.CREATING.value, index=True)


class DeletedVolume(Resource, VolumeColumns, Base):
    """A deleted volume that can be recovered. Its ID and identity are unchanged, its name may be taken.

    `due_s` is when it is erased, on the clock of `engine/uptime.py`. During its recovery there is a volume as well.
    """

    __tablename__ = "deleted_volume"
    __table_args__ = (Index(None, "deleted_at", "id"),)

    name: Mapped[str] = mapped_column(String(63), index=True)
    state: Mapped[str] = mapped_column(String(16), default=ResourceState.READY.value)
    held_bytes: Mapped[int] = mapped_column(BigInteger)
    deleted_at: Mapped[dt.datetime] = mapped_column(default=utc_now)
    due_s: Mapped[int] = mapped_column(BigInteger)


class Snapshot(Resource, Base):
    """A volume as it was. `size_bytes` is what the volume had then."""

    __tablename__ = "snapshot"
    __table_args__ = (Index(None, "created_at", "id"),)

    name: Mapped[str] = mapped_column(String(63), unique=True)
    state: Mapped[str] = mapped_column(String(16), default=ResourceState.CREATING.value)
    volume_id: Mapped[str] = mapped_column(ForeignKey("volume.id", ondelete="RESTRICT"), index=True)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    backing_name: Mapped[str] = mapped_column("lv_name", String(127))
    description: Mapped[str] = mapped_column(Text, default="")


class DeletedSnapshot(Resource, Base):
    """A deleted snapshot that can be recovered, or will be erased with its volume. `volume_id` is of a volume or of a
    deleted one. `due_s` as for a deleted volume. During its recovery there is a snapshot as well.
    """

    __tablename__ = "deleted_snapshot"
    __table_args__ = (Index(None, "deleted_at", "id"),)

    name: Mapped[str] = mapped_column(String(63), index=True)
    state: Mapped[str] = mapped_column(String(16), default=ResourceState.READY.value)
    volume_id: Mapped[str] = mapped_column(String(36), index=True)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    backing_name: Mapped[str] = mapped_column("lv_name", String(127))
    description: Mapped[str] = mapped_column(Text, default="")
    deleted_at: Mapped[dt.datetime] = mapped_column(default=utc_now)
    due_s: Mapped[int] = mapped_column(BigInteger)


class Host(Resource, Base):
    """Secrets and keys are sealed with the store's key; the CHAP names are not secret."""

    __tablename__ = "host"
    __table_args__ = (Index(None, "created_at", "id"),)

    name: Mapped[str] = mapped_column(String(63), unique=True)
    os_type: Mapped[str] = mapped_column(String(16))
    description: Mapped[str] = mapped_column(Text, default="")
    chap_user: Mapped[str | None] = mapped_column(String(223))
    chap_secret_sealed: Mapped[str | None] = mapped_column(Text)
    chap_mutual_user: Mapped[str | None] = mapped_column(String(223))
    chap_mutual_secret_sealed: Mapped[str | None] = mapped_column(Text)
    dhchap_secret_sealed: Mapped[str | None] = mapped_column(Text)
    dhchap_mutual_secret_sealed: Mapped[str | None] = mapped_column(Text)
    dhchap_hash: Mapped[str | None] = mapped_column(String(8))
    dhchap_group: Mapped[str | None] = mapped_column(String(16))
    opens_without_missing_after_s: Mapped[int | None] = mapped_column()
    initiators: Mapped[list["HostInitiator"]] = relationship(
        order_by="HostInitiator.name", lazy="selectin", cascade="all, delete-orphan", passive_deletes=True
    )


class HostPathTrial(Base):
    """What came of the last time that each of a host's paths was taken away in turn."""

    __tablename__ = "host_path_trial"

    host_id: Mapped[str] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"), primary_key=True)
    at: Mapped[dt.datetime]
    is_passed: Mapped[bool]
    words: Mapped[list[str]] = mapped_column(JSON)
    job_id: Mapped[str] = mapped_column(String(36))
    """Of a job that may have been forgotten since."""


class HostLogin(Base):
    """Of each host that has been logged in. `last_seen_at` None: it may have been, before logins were recorded."""

    __tablename__ = "host_login"

    host_id: Mapped[str] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"), primary_key=True)
    last_seen_at: Mapped[dt.datetime | None]


class HostInitiator(Base):
    """One initiator name. `kind` is iqn, wwpn or nqn."""

    __tablename__ = "host_initiator"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(8))
    name: Mapped[str] = mapped_column(String(223), unique=True)


class HostGroup(Resource, Base):
    __tablename__ = "host_group"

    name: Mapped[str] = mapped_column(String(63), unique=True)
    description: Mapped[str] = mapped_column(Text, default="")
    opens_without_missing_after_s: Mapped[int | None] = mapped_column()
    members: Mapped[list["HostGroupMember"]] = relationship(
        order_by="HostGroupMember.host_id", lazy="selectin", cascade="all, delete-orphan", passive_deletes=True
    )


class HostGroupMember(Base):
    """A host is in one group at most."""

    __tablename__ = "host_group_member"

    host_id: Mapped[str] = mapped_column(ForeignKey("host.id", ondelete="RESTRICT"), primary_key=True)
    host_group_id: Mapped[str] = mapped_column(ForeignKey("host_group.id", ondelete="CASCADE"), index=True)


class Target(Base):
    """The permanent names of one host or one group, over SCSI and over NVMe."""

    __tablename__ = "target"
    __table_args__ = (CheckConstraint(ONE_OWNER, name="one_owner"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    host_id: Mapped[str | None] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"), unique=True)
    host_group_id: Mapped[str | None] = mapped_column(ForeignKey("host_group.id", ondelete="CASCADE"), unique=True)
    iqn: Mapped[str] = mapped_column(String(223), unique=True)
    nqn: Mapped[str] = mapped_column(String(223), unique=True)
    tag: Mapped[int] = mapped_column(default=1)
    subsystem: Mapped[str | None] = mapped_column(Text)
    """What a subsystem that was adopted shows hosts, as JSON; None: ours."""

    def adopted(self) -> AdoptedSubsystem | None:
        return AdoptedSubsystem.model_validate_json(self.subsystem) if self.subsystem else None


class Mapping(Resource, Base):
    """A volume under one number for one owner."""

    __tablename__ = "mapping"
    __table_args__ = (
        CheckConstraint(ONE_OWNER, name="one_owner"),
        UniqueConstraint("host_id", "lun"),
        UniqueConstraint("host_id", "volume_id"),
        UniqueConstraint("host_group_id", "lun"),
        UniqueConstraint("host_group_id", "volume_id"),
        Index(None, "created_at", "id"),
    )

    volume_id: Mapped[str] = mapped_column(ForeignKey("volume.id", ondelete="RESTRICT"), index=True)
    host_id: Mapped[str | None] = mapped_column(ForeignKey("host.id", ondelete="RESTRICT"))
    host_group_id: Mapped[str | None] = mapped_column(ForeignKey("host_group.id", ondelete="RESTRICT"))
    lun: Mapped[int]
    family: Mapped[str] = mapped_column(String(8), server_default=Family.SCSI.value)
    shared: Mapped[bool] = mapped_column(default=False)


class HeldNumber(Base):
    """A LUN under which an initiator may still have the device of an unmapped volume (decision 0055).

    It may refer to deleted objects: a host that is restored after a deletion has its previous target.
    """

    __tablename__ = "held_number"

    initiator: Mapped[str] = mapped_column(String(223), primary_key=True)
    target_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    lun: Mapped[int] = mapped_column(primary_key=True)
    volume_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))
    volume_name: Mapped[str] = mapped_column(String(63))
    due_s: Mapped[int] = mapped_column(BigInteger)
    """When it is free in any case, on the clock of `engine/uptime.py`."""
    generation: Mapped[int] = mapped_column(BigInteger)
    """Of the exports without it."""
    is_settled: Mapped[bool] = mapped_column(default=False)
    """The volume is no longer served, and `isid` is of the only session at that time."""
    isid: Mapped[str | None] = mapped_column(String(12))
    """Without one, only the time counts."""


class Portal(Resource, Base):
    __tablename__ = "portal"
    __table_args__ = (UniqueConstraint("protocol", "address", "port"),)

    name: Mapped[str] = mapped_column(String(63), unique=True)
    protocol: Mapped[str] = mapped_column(String(16))
    engine: Mapped[str] = mapped_column(String(16))
    address: Mapped[str] = mapped_column(String(45))
    port: Mapped[int]
    """NO_PORT over Fibre Channel: a WWPN is one listener."""
    adopted: Mapped[str | None] = mapped_column(String(16))
    """The folder in nvmet's `ports` that others made for it; None: made here."""
    listener_id: Mapped[str | None] = mapped_column(String(36))
    """ID of its listener in the export document; None: that of the portal. It is another one at each new place."""
    formers: Mapped[list["FormerListener"]] = relationship(
        cascade="all, delete-orphan", order_by="FormerListener.id", passive_deletes=True, lazy="selectin"
    )

    @property
    def listeners(self) -> list["Listener"]:
        """Where it listens: its place, then those that it has left and that are not closed yet."""
        own = Listener(self.listener_id or self.id, self.address, self.port, self.adopted)
        return [own, *(Listener(one.id, one.address, one.port, one.adopted) for one in self.formers)]


class Listener(NamedTuple):
    """One place of a portal, with its ID in the export document."""

    id: str
    address: str
    port: int
    adopted: str | None


class FormerListener(Base):
    """Where a portal listened before it was moved; it is closed once the portal listens at its new place."""

    __tablename__ = "former_listener"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    portal_id: Mapped[str] = mapped_column(ForeignKey("portal.id", ondelete="CASCADE"), index=True)
    address: Mapped[str] = mapped_column(String(45))
    port: Mapped[int]
    adopted: Mapped[str | None] = mapped_column(String(16))


class FcPort(Resource, Base):
    """A Fibre Channel port that is managed here; one without a row is left as its driver made it."""

    __tablename__ = "fc_port"

    wwpn: Mapped[str] = mapped_column(String(23), unique=True)
    mode: Mapped[str] = mapped_column(String(16))


class ReleaseRow(Base):
    """The permission to stop serving one object; it stays until the agent acknowledges the generation."""

    __tablename__ = "release"
    __table_args__ = (Index("ix_release_generation", "generation"),)

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    ref: Mapped[str] = mapped_column(String(36), primary_key=True)
    generation: Mapped[int]


class Meta(Base):
    """Facts about this database: database_id, appliance_id, export_generation."""

    __tablename__ = "meta"

    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[str] = mapped_column(Text)
