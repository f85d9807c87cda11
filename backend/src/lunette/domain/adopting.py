"""Taking over what LIO serves for others: what the agent finds, and what is answered (decision 0033)."""

from typing import Annotated

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.exports import AdoptedBackstore
from lunette.domain.targetcli import Finding, SavedConfig

MAX_TARGETS = 4096


class ForeignBackstore(Model):
    """A backstore over a block device, beyond what a saveconfig says of it."""

    reference: str
    """How LUNs name it in the configuration."""
    company_id: str
    """The IEEE company its NAA is made with, in hex."""
    group: str | None
    """The volume group and the logical volume it serves; None: it serves none that LVM shows."""
    lv_name: str | None
    kept: AdoptedBackstore
    """What stays as it is."""


class ForeignVolume(Model):
    name: str
    size_bytes: int
    is_open: bool
    is_plain: bool
    """False for thin volumes and pools, which lean on others."""
    is_ours: bool


class ForeignGroup(Model):
    """A volume group with what it lies on."""

    name: str
    uuid: str
    extent_bytes: int
    arrays: tuple[str, ...]
    """UUIDs of the md arrays it lies on."""
    devices: int
    """How many devices it lies on, arrays or not."""
    marked_for: str | None
    """The UUID of the array it was made on or taken over for by Lunette; None: it carries no mark."""
    md_name: str
    """What the array calls itself, with its home host; empty where it is not on exactly one."""
    volumes: tuple[ForeignVolume, ...]

    def volume(self, name: str) -> ForeignVolume | None:
        return next((volume for volume in self.volumes if volume.name == name), None)


class Foreign(Model):
    """What LIO serves and Lunette does not, with the secrets of its hosts, and what lies beneath it."""

    saved: SavedConfig
    backstores: tuple[ForeignBackstore, ...]
    groups: tuple[ForeignGroup, ...]

    def backstore(self, reference: str) -> ForeignBackstore | None:
        return next((one for one in self.backstores if one.reference == reference), None)

    def group(self, name: str | None) -> ForeignGroup | None:
        return next((group for group in self.groups if group.name == name), None)


class AdoptRequest(Model):
    """What to take over: targets by their names; none named means all that can be."""

    targets: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=223)], ...], Field(max_length=MAX_TARGETS)
    ] = ()


class Verdict(Model):
    """Every object that LIO serves for others: what it becomes, or why it stays as it is and what to do about it."""

    targets: tuple[str, ...]
    """Names of the targets that are taken over, each with all that is in it."""
    findings: tuple[Finding, ...]
