"""Steps on the encryption of an array. No step contains a key: the agent was given the passphrase, or stores a key."""

from typing import ClassVar, Literal

from pydantic import Field

from lunette.domain.border import ArrayUuid, DmName, Id
from lunette.domain.steps.base import Step


class LuksStep(Step):
    """`array_id` is also the UUID in the LUKS header, `mapping` the name of the opened device in /dev/mapper.

    `array_uuid`: of the array below, in md's form.
    """

    array_id: Id
    array_uuid: ArrayUuid = Field(alias="md_uuid")
    mapping: DmName


class LuksCreate(LuksStep):
    """Writes a LUKS2 header to a blank array, and opens it. Undo closes it and erases its own header."""

    kind: Literal["luks.create"] = "luks.create"
    sector_bytes: int
    """Of the array, so that hosts see the sector size they would see without encryption."""
    keep_key: bool

    def describe(self) -> str:
        kept = ", and store a key on the appliance that unlocks it at every start" if self.keep_key else ""
        return f"encrypt the array (LUKS2) and open it as {self.mapping}{kept}"


class LuksDestroy(LuksStep):
    """Closes the array and erases its header with all keys: its content can never be read again."""

    irreversible: ClassVar[bool] = True
    kind: Literal["luks.destroy"] = "luks.destroy"

    def describe(self) -> str:
        return f"close {self.mapping} and erase its keys: its data can never be read again"
