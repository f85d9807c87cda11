"""Initiator kits: what a host needs to use its volumes, as files, commands in order, and a script that checks."""

from enum import StrEnum

from lunette.domain.base import Model
from lunette.domain.hosts import OsType


class KitProof(StrEnum):
    """tested: applied on a real host by the project's own tests. documented: written against the vendor's words."""

    TESTED = "tested"
    DOCUMENTED = "documented"


class KitFile(Model):
    """One file to write, owned by the superuser. `mode` is octal; `is_secret`: it holds, or has room for, secrets."""

    path: str
    mode: str
    content: str
    purpose: str
    is_secret: bool


class KitCommand(Model):
    """One command for the superuser's shell. It can be repeated; where `unless` succeeds there is nothing to do."""

    run: str
    unless: str | None
    purpose: str


class HostKit(Model):
    """A kit. Files first, then the commands in order; `check` is the command that tells whether all is well."""

    host: str
    os_type: OsType
    proof: KitProof
    files: tuple[KitFile, ...]
    commands: tuple[KitCommand, ...]
    check: str | None
    """None where there is nothing to check, as nothing is to be set up."""
    needs_secrets: bool
    has_secrets: bool
    """False where they are asked for and placeholders stand in their place."""
    warnings: tuple[str, ...]
    """What is not as it should be, with what to do."""
    notes: tuple[str, ...]
    """What is good to know."""
