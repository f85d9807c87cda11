"""Sources of Debian packages: derived from the machine's own apt, never listed here."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SUITE = "trixie"
COMPONENTS = "main contrib"
ZFS_MODULES = "zfs modules"
"""The section of packages.txt that the image omits: its modules are compiled outside of it."""
FIRMWARE = "firmware"
"""The section that only the ISO has, from a separate component."""


@dataclass(frozen=True)
class Mirrors:
    """The Debian archive and, if this machine knows one, the security archive."""

    archive: str
    security: str | None = None

    def sources(self, components: str = COMPONENTS) -> list[str]:
        """One-line apt sources for the appliance's suite."""
        lines = [f"deb {self.archive} {suite} {components}" for suite in (SUITE, f"{SUITE}-updates")]
        if self.security:
            lines.append(f"deb {self.security} {SUITE}-security {components}")
        return lines


def parse_packages(text: str) -> dict[str, list[str]]:
    """Package names of a packages.txt by section, in order; `[name]` starts a section and `#` a comment."""
    sections: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        word = line.split("#", 1)[0].strip()
        if word.startswith("["):
            section = word.strip("[]")
        elif word:
            sections.setdefault(section, []).append(word)
    return sections


def parse_index_targets(text: str) -> list[dict[str, str]]:
    """The records that `apt-get indextargets` prints."""
    records = []
    for block in text.split("\n\n"):
        pairs = (line.split(": ", 1) for line in block.splitlines() if ": " in line)
        record = {pair[0]: pair[1].strip() for pair in pairs}
        if record:
            records.append(record)
    return records


def derive_mirrors(records: list[dict[str, str]]) -> Mirrors | None:
    """The Debian mirrors among apt's indexes; None if there is none (an Ubuntu machine)."""
    found: dict[str, str] = {}
    for record in records:
        if record.get("Origin") == "Debian" and record.get("Repo-URI", "").startswith(("http://", "https://")):
            found.setdefault(record.get("Label", ""), record["Repo-URI"])
    if "Debian" not in found:
        return None
    return Mirrors(found["Debian"], found.get("Debian-Security"))


def configured_mirrors(environment: Mapping[str, str] | None = None) -> Mirrors | None:
    """LUNETTE_MIRROR (and LUNETTE_SECURITY_MIRROR), else this machine's own Debian mirrors, else None."""
    environment = os.environ if environment is None else environment
    chosen = environment.get("LUNETTE_MIRROR")
    if chosen:
        return Mirrors(chosen, environment.get("LUNETTE_SECURITY_MIRROR"))
    if shutil.which("apt-get") is None:
        return None
    listed = subprocess.run(["apt-get", "indextargets"], capture_output=True, text=True, timeout=60, check=False)
    return derive_mirrors(parse_index_targets(listed.stdout))


def parse_proxies(dump: str) -> dict[str, str]:
    """Proxies in `apt-config dump` as the variables that apt inside mmdebstrap reads, so they stay out of the image."""
    found = {}
    for scheme in ("http", "https"):
        line = re.search(rf'^Acquire::{scheme}::Proxy "([^"]+)";$', dump, re.MULTILINE)
        if line and line.group(1) != "DIRECT":
            found[f"{scheme}_proxy"] = line.group(1)
    return found


def configured_proxies() -> dict[str, str]:
    """The proxies of this machine's apt."""
    if shutil.which("apt-config") is None:
        return {}
    dumped = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, timeout=60, check=False)
    return parse_proxies(dumped.stdout)


def packages(image: Path) -> list[str]:
    """The packages of every image."""
    sections = parse_packages((image / "packages.txt").read_text())
    return [name for section, names in sections.items() if section not in (ZFS_MODULES, FIRMWARE) for name in names]
