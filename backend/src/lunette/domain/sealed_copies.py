"""The sealed copy on an array: the appliance's configuration, from which the data disks alone can restore it.

A copy is stored in one of two slots, which are written alternately: a power cut during a write leaves the other slot
intact. A slot consists of the magic, the lengths of header and content, the SHA-256 of both, then both.
"""

import datetime as dt
import hashlib
import struct
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from lunette.domain.base import Model
from lunette.domain.border import ArrayUuid, GroupName, Hex, Id, Text
from lunette.domain.sizes import MIB

FORMAT = 1
SLOT_BYTES = 4 * MIB
SLOTS = 2
SPACE_BYTES = SLOTS * SLOT_BYTES
LOST = ""
"""Stands for a secret that is not in the copy. Its host is not served without a secret."""
_MAGIC = b"lunette-sealed-1"
_PREFIX = struct.Struct(">16sIQ32s")
PREFIX_BYTES = _PREFIX.size
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class CopyHeader(Model):
    """Header of a sealed copy. `generation` counts the copies; the highest number is the newest copy."""

    format: int = FORMAT
    generation: int
    written_at: dt.datetime
    array_uuid: ArrayUuid
    """UUID of the array to which the copy was written. A leftover copy of another array at the same place is
    ignored."""
    appliance_id: Id
    appliance: Text
    version: Text
    schema_revision: Text
    seal: Hex | None = None
    """HMAC-SHA-256 of `sealed_part` with a key of the appliance that wrote the copy. None if written by a version
    without seals."""


class FoundCopy(Model):
    """An array with our mark and its newest complete copy.

    An array with neither header nor problem has no copy.
    """

    array_uuid: str
    array: str
    """Name of the array in MD."""
    header: CopyHeader | None = None
    content: str = ""
    """Content of the copy, in Base64."""
    problem: str | None = None
    """Why the copy cannot be read."""


class SealOrder(Model):
    """A copy to write to an array. The agent uses a higher generation if the array has this one already."""

    group: GroupName
    header: CopyHeader
    content: Annotated[str, Field(max_length=2 * SLOT_BYTES)]
    """Content of the copy, in Base64."""


class RebuildRequest(Model):
    """A request to rebuild the configuration of the appliance from sealed copies."""

    arrays: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    """Names or UUIDs of the arrays to rebuild. If omitted, all arrays that were found, provided that all belong to one
    appliance."""
    degraded: bool = False
    """Whether stopped arrays are started even if disks are missing, as far as their levels allow."""
    adopt: bool = False
    """Whether to accept sealed copies without a seal of this appliance, which another appliance or any person with
    access to the disks may have written."""
    digest: Digest | None = None
    """`digest` of the dry run. Required to rebuild. The request is refused if the disks have changed since the dry
    run."""


class RebuildArray(Model):
    """An array that is missing from the database, with the content of its sealed copy."""

    name: str
    """Name of the array."""
    uuid: str
    """UUID of the array."""
    appliance: str | None
    """Name of the appliance that wrote the sealed copy. `null` if the array has no readable copy."""
    appliance_id: str | None
    """Unique ID of the appliance that wrote the sealed copy. `null` if the array has no readable copy."""
    generation: int | None
    """Generation of the sealed copy; the highest is the newest. `null` if the array has no readable copy."""
    written_at: dt.datetime | None
    """When the sealed copy was written, in UTC. `null` if the array has no readable copy."""
    volumes: int
    """Number of volumes on the array according to the sealed copies."""
    mappings: int
    """Number of mappings of these volumes."""
    sealed_here: bool
    """Whether a key of this appliance has sealed the copy. Any other copy is rebuilt only with `adopt`."""
    chosen: bool
    """Whether the array is part of the rebuild."""
    problem: str | None
    """Why the array cannot be rebuilt. `null` if the array can be rebuilt."""


class RebuildFound(Model):
    """Arrays that can be rebuilt from the disks, and the changes of the rebuild."""

    arrays: tuple[RebuildArray, ...]
    """Arrays on the disks that are missing from the database."""
    hosts: tuple[str, ...]
    """Names of the hosts that the rebuild adds."""
    secrets_missing: tuple[str, ...]
    """Names of those hosts whose CHAP or DH-HMAC-CHAP secret must be set again. Until then, these hosts cannot log
    in."""
    warnings: tuple[str, ...]
    """Differences between the sealed copies and the current state of the disks."""
    changes: tuple[str, ...]
    """Changes of the rebuild, one sentence each. Check in particular which hosts receive access to which volumes."""
    digest: str
    """SHA-256 of all sealed copies that were read. Send the digest with the request to rebuild."""
    rebuilt: bool
    """Whether the arrays were rebuilt. `false` for a dry run, which changes nothing."""


_HEADER = TypeAdapter(CopyHeader)


def pack(header: CopyHeader, content: bytes) -> bytes:
    """The bytes of a slot. Raises ValueError if they do not fit."""
    head = header.model_dump_json().encode()
    made = _PREFIX.pack(_MAGIC, len(head), len(content), _digest(head, content)) + head + content
    if len(made) > SLOT_BYTES:
        raise ValueError(f"{len(made)} bytes do not fit into the {SLOT_BYTES} of a slot")
    return made


def sealed_part(header: CopyHeader, content: bytes) -> bytes:
    """The sealed data: place and content of the copy. Not its generation, which the agent may raise."""
    fields = (header.format, header.array_uuid, header.appliance_id, header.schema_revision)
    return b"\0".join((b"sealed copy", *(str(one).encode() for one in fields), content))


def length(prefix: bytes) -> int:
    """How long the copy is that begins with this; 0 if none does."""
    if len(prefix) < PREFIX_BYTES:
        return 0
    magic, head, content, _ = _PREFIX.unpack_from(prefix)
    whole = PREFIX_BYTES + int(head) + int(content)
    return whole if magic == _MAGIC and whole <= SLOT_BYTES else 0


def unpack(slot: bytes) -> tuple[CopyHeader, bytes] | None:
    """The copy in a slot; None if there is none, or it is torn or damaged."""
    whole = length(slot)
    if not whole or len(slot) < whole:
        return None
    _, size, _, digest = _PREFIX.unpack_from(slot)
    head, content = slot[PREFIX_BYTES : PREFIX_BYTES + size], slot[PREFIX_BYTES + size : whole]
    if _digest(head, content) != digest:
        return None
    try:
        return _HEADER.validate_json(head), content
    except ValidationError:
        return None


def newest(slots: Iterable[bytes], array_uuid: str) -> tuple[int, CopyHeader, bytes] | None:
    """Number, header and content of the newest whole copy of this array; None if there is none."""
    found = [(number, copy) for number, slot in enumerate(slots) if (copy := unpack(slot)) is not None]
    own = [(number, header, content) for number, (header, content) in found if header.array_uuid == array_uuid]
    return max(own, key=lambda one: one[1].generation, default=None)


def _digest(head: bytes, content: bytes) -> bytes:
    return hashlib.sha256(len(head).to_bytes(8, "big") + head + content).digest()
