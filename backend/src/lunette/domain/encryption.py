"""Encrypted arrays: the method of encryption, and the orders to the agent about keys. No plan contains any of these."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, field_serializer, model_validator

from lunette.domain.base import Model
from lunette.domain.border import ArrayUuid, Id, MdName


class Encryption(StrEnum):
    """Method of encryption of an array."""

    LUKS2 = "luks2"
    """One dm-crypt device with a LUKS2 header between the array and its volumes."""


def _typeable(passphrase: SecretStr) -> SecretStr:
    """It must also be possible to type at a terminal, where a control character ends the line or is lost."""
    if not passphrase.get_secret_value().isprintable():
        raise ValueError("a passphrase must contain only printable characters, without line breaks and tabs")
    return passphrase


NewArrayPassphrase = Annotated[SecretStr, Field(min_length=12, max_length=512), AfterValidator(_typeable)]
"""512: what cryptsetup takes from a terminal."""
ArrayPassphrase = Annotated[SecretStr, Field(min_length=1, max_length=512)]


class ArrayUnlock(Model):
    """Unlocks an encrypted array until the array stops or the appliance restarts."""

    passphrase: ArrayPassphrase
    """Passphrase of the array. A wrong passphrase is refused and changes nothing."""


class ArrayKeyChange(Model):
    """Changes the keys of an encrypted array. Fields that are omitted change nothing."""

    passphrase: ArrayPassphrase
    """Current passphrase of the array."""
    new_passphrase: NewArrayPassphrase | None = None
    """New passphrase of the array, 12 to 512 printable characters. If omitted or `null`, the passphrase stays
    unchanged."""
    keep_old: bool = False
    """Whether the current passphrase remains valid as a second passphrase, for recovery. Requires `new_passphrase`."""
    keep_key: bool | None = None
    """Whether the appliance stores a key of its own and unlocks the array at every start. If omitted or `null`, the
    setting stays unchanged."""

    @model_validator(mode="after")
    def _changes(self) -> "ArrayKeyChange":
        if self.new_passphrase is None and self.keep_key is None:
            raise ValueError("nothing would change: specify new_passphrase, keep_key or both")
        if self.new_passphrase is None and self.keep_old:
            raise ValueError("keep_old requires new_passphrase")
        if self.new_passphrase == self.passphrase:
            raise ValueError("new_passphrase is the current passphrase")
        return self


class _OfArray(Model):
    array_id: Id
    passphrase: SecretStr

    @field_serializer("passphrase", when_used="json")
    def _reveal(self, value: SecretStr) -> str:
        """The document travels to the agent over a socket that only root and the API can reach."""
        return value.get_secret_value()


class KeyLend(_OfArray):
    """Stores a passphrase in memory until the array is created, its job is undone, or the machine restarts."""

    kind: Literal["lend"] = "lend"


class KeyForget(Model):
    """Removes a passphrase that was stored in memory for a job."""

    kind: Literal["forget"] = "forget"
    array_id: Id


class KeyUnlock(_OfArray):
    """Unlocks the array. `uuid` is the UUID in MD; `name` is for messages."""

    kind: Literal["unlock"] = "unlock"
    uuid: ArrayUuid
    name: MdName


class KeyChange(_OfArray):
    """Changes keys as in ArrayKeyChange. Repeating the same order completes an interrupted change."""

    kind: Literal["change"] = "change"
    uuid: ArrayUuid
    name: MdName
    new_passphrase: SecretStr | None
    keep_old: bool
    keep_key: bool | None

    @field_serializer("new_passphrase", when_used="json")
    def _reveal_new(self, value: SecretStr | None) -> str | None:
        return value.get_secret_value() if value else None


KeyOrder = Annotated[KeyLend | KeyForget | KeyUnlock | KeyChange, Field(discriminator="kind")]
