"""Setup kits: files, ordered commands and a check script that connect a host to its volumes."""

from enum import StrEnum

from lunette.domain.base import Model
from lunette.domain.hosts import OsType


class KitProof(StrEnum):
    """How a setup kit was verified."""

    TESTED = "tested"
    """The tests of the project apply such a kit to a real host."""
    DOCUMENTED = "documented"
    """The kit is based on documentation and was not tested."""


class KitFile(Model):
    """One file of a setup kit, owned by the superuser."""

    path: str
    """Absolute path of the file on the host."""
    mode: str
    """File mode in octal, such as `0644`."""
    content: str
    """Content of the file."""
    purpose: str
    """Purpose of the file."""
    is_secret: bool
    """Whether the file contains secrets or placeholders for them."""


class KitCommand(Model):
    """One command of a setup kit for the superuser's shell; it can be repeated."""

    run: str
    """Command to run."""
    unless: str | None
    """Command that succeeds if `run` is not needed; `null` if `run` is always needed."""
    purpose: str
    """Purpose of the command."""


class HostKit(Model):
    """Setup kit of a host: the files are written first, then the commands run in order."""

    host: str
    """Name of the host."""
    os_type: OsType
    """Operating system of the host."""
    proof: KitProof
    """How the setup kit was verified."""
    files: tuple[KitFile, ...]
    """Files to write on the host."""
    commands: tuple[KitCommand, ...]
    """Commands to run on the host, in order."""
    check: str | None
    """Command that checks whether the host sees its volumes; `null` if there is nothing to set up."""
    needs_secrets: bool
    """Whether the setup kit needs secrets."""
    has_secrets: bool
    """Whether the setup kit contains its secrets. If secrets are needed but not included, placeholders replace them."""
    warnings: tuple[str, ...]
    """Problems that need attention, with the action to take."""
    notes: tuple[str, ...]
    """Additional information."""
