"""Return type of a builder: the parts of a kit that depend on the operating system."""

from dataclasses import dataclass
from importlib.resources import files

from lunette.domain.kits import KitCommand, KitFile, KitProof


@dataclass(frozen=True)
class KitParts:
    files: tuple[KitFile, ...] = ()
    commands: tuple[KitCommand, ...] = ()
    check: str | None = None
    proof: KitProof = KitProof.DOCUMENTED
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def command(run: str, purpose: str, unless: str | None = None) -> KitCommand:
    return KitCommand(run=run, unless=unless, purpose=purpose)


def script(package: str, name: str) -> str:
    """A script that is the same for every host, from the directory of the builder."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
