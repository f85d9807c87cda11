"""Encrypted arrays: how, and what the agent is asked to do with their keys. Nothing here is ever part of a plan."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, field_serializer, model_validator

from lunette.domain.base import Model
from lunette.domain.border import ArrayUuid, Id, MdName


class Encryption(StrEnum):
    """luks2: one dm-crypt mapping with a LUKS2 header between the array and its volumes."""

    LUKS2 = "luks2"


def _typeable(passphrase: SecretStr) -> SecretStr:
    """It must also be what somebody types at a terminal, where a control character ends the line or is lost."""
    if not passphrase.get_secret_value().isprintable():
        raise ValueError("a passphrase has printable characters only, without line breaks and tabs")
    return passphrase


NewArrayPassphrase = Annotated[SecretStr, Field(min_length=12, max_length=512), AfterValidator(_typeable)]
"""512: what cryptsetup takes from a terminal."""
ArrayPassphrase = Annotated[SecretStr, Field(min_length=1, max_length=512)]


class ArrayUnlock(Model):
    """Opens an encrypted array until it is stopped or the appliance restarts."""

    passphrase: ArrayPassphrase


class ArrayKeyChange(Model):
    """Changes who opens an encrypted array. `passphrase` opens it now; what is left out stays as it is."""

    passphrase: ArrayPassphrase
    new_passphrase: NewArrayPassphrase | None = None
    """Opens it from now on."""
    keep_old: bool = False
    """The passphrase given opens it as well from now on: a second one, for recovery."""
    keep_key: bool | None = None
    """Whether the appliance keeps a key of its own and unlocks the array by itself at every start."""

    @model_validator(mode="after")
    def _changes(self) -> "ArrayKeyChange":
        if self.new_passphrase is None and self.keep_key is None:
            raise ValueError("nothing is changed: give new_passphrase, keep_key or both")
        if self.new_passphrase is None and self.keep_old:
            raise ValueError("keep_old goes with new_passphrase")
        if self.new_passphrase == self.passphrase:
            raise ValueError("new_passphrase is the passphrase it has")
        return self


class _OfArray(Model):
    array_id: Id
    passphrase: SecretStr

    @field_serializer("passphrase", when_used="json")
    def _reveal(self, value: SecretStr) -> str:
        """The document travels to the agent over a socket that only root and the API can reach."""
        return value.get_secret_value()


class KeyLend(_OfArray):
    """Holds a passphrase in memory until the array stands, its job is taken back, or the machine restarts."""

    kind: Literal["lend"] = "lend"


class KeyForget(Model):
    """Drops a passphrase that was lent for a job."""

    kind: Literal["forget"] = "forget"
    array_id: Id


class KeyUnlock(_OfArray):
    """Opens the array. `uuid`: md's UUID, `name` for people."""

    kind: Literal["unlock"] = "unlock"
    uuid: ArrayUuid
    name: MdName


class KeyChange(_OfArray):
    """As ArrayKeyChange says. What was cut short is done again by the same order."""

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
