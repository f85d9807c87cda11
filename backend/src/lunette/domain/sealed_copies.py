"""The sealed copy an array carries: what the appliance knows, so that the data disks alone can tell it (DESIGN R12).

A copy lies in one of two slots, which are written in turns: a power cut in the middle of a write leaves the other one.
A slot is the magic, the lengths of header and content, the SHA-256 of both, then both.
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
"""In the place of a secret: there was one, and it is not in the copy. Whoever has it is not served without one."""
_MAGIC = b"lunette-sealed-1"
_PREFIX = struct.Struct(">16sIQ32s")
PREFIX_BYTES = _PREFIX.size
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class CopyHeader(Model):
    """What a copy says of itself. `generation` counts the copies; the highest is the newest."""

    format: int = FORMAT
    generation: int
    written_at: dt.datetime
    array_uuid: ArrayUuid
    """Of the array it was written to: what is left of another array's copy at this place counts for nothing."""
    appliance_id: Id
    appliance: Text
    version: Text
    schema_revision: Text
    seal: Hex | None = None
    """HMAC-SHA-256 of `sealed_part` with a key of the appliance that wrote it. None: by a version without seals."""


class FoundCopy(Model):
    """An array with our mark and the newest whole copy on it. With neither header nor problem it has no copy."""

    array_uuid: str
    array: str
    """md's own name of it."""
    header: CopyHeader | None = None
    content: str = ""
    """As base64."""
    problem: str | None = None
    """Why it cannot be read."""


class SealOrder(Model):
    """What is to be written to an array; the agent takes a higher generation where the array has it already."""

    group: GroupName
    header: CopyHeader
    content: Annotated[str, Field(max_length=2 * SLOT_BYTES)]
    """As base64."""


class RebuildRequest(Model):
    """`arrays` are names or UUIDs of arrays that were found; none: all, if all are of one appliance.

    `degraded`: arrays that are down are started without disks that are missing, as far as their level survives it.
    """

    arrays: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    degraded: bool = False
    adopt: bool = False
    """Take up copies that no key of this appliance has sealed: another one wrote them, or whoever had the disks."""
    digest: Digest | None = None
    """`digest` of the dry run that was looked at. Needed to rebuild; refused where the disks say something else now."""


class RebuildArray(Model):
    """An array with our mark that the database does not know, and what its copy would bring back."""

    name: str
    uuid: str
    appliance: str | None
    appliance_id: str | None
    generation: int | None
    written_at: dt.datetime | None
    volumes: int
    mappings: int
    sealed_here: bool
    """Its copy has the seal of a key that this appliance has. Any other is rebuilt only if `adopt` says so."""
    chosen: bool
    problem: str | None
    """Why it cannot be rebuilt."""


class RebuildFound(Model):
    """What was found on the disks, and what rebuilding from it changes."""

    arrays: tuple[RebuildArray, ...]
    hosts: tuple[str, ...]
    """Hosts that come back, by name."""
    secrets_missing: tuple[str, ...]
    """Hosts of them whose CHAP or DH-CHAP secret must be set again: until then they are not let in."""
    warnings: tuple[str, ...]
    changes: tuple[str, ...]
    """All that rebuilding does, a sentence each: above all who is let in to what."""
    digest: str
    """SHA-256 of all the copies that were read. The request to rebuild gives it back, so that nothing else is taken."""
    rebuilt: bool
    """False for a dry run: nothing was changed."""


_HEADER = TypeAdapter(CopyHeader)


def pack(header: CopyHeader, content: bytes) -> bytes:
    """The bytes of a slot. Raises ValueError if they do not fit."""
    head = header.model_dump_json().encode()
    made = _PREFIX.pack(_MAGIC, len(head), len(content), _digest(head, content)) + head + content
    if len(made) > SLOT_BYTES:
        raise ValueError(f"{len(made)} bytes do not fit into the {SLOT_BYTES} of a slot")
    return made


def sealed_part(header: CopyHeader, content: bytes) -> bytes:
    """What the seal is of: where the copy lies and what is in it. Not its generation, which the agent may raise."""
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
