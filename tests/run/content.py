"""What must not be in the tree: hosts of package registries and mirrors, secrets, and large files.

Package sources are configured on each machine. The hosts configured on this one are searched for too, so that a
private mirror does not end up in a lock file.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.run.command import ROOT
from tests.run.tree import files

# Written in pieces, so that this file is not its own first finding.
_REGISTRIES = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
        ("snapshot", "debian", "org"),
        ("archive", "ubuntu", "com"),
        ("security", "ubuntu", "com"),
    )
]
_HOST = re.compile(r"https?://(?:[^@/\s]*@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)", re.IGNORECASE)
_PRIVATE_KEY = "-----BEGIN " + "PRIVATE KEY-----"
_LARGEST_BYTES = 1_500_000


def _hosts_of_this_machine() -> set[str]:
    """Hosts in the configuration of apt, pip and npm."""
    places = [
        Path("/etc/pip.conf"),
        Path.home() / ".config/pip/pip.conf",
        Path.home() / ".npmrc",
        Path("/etc/npmrc"),
        Path("/etc/apt/sources.list"),
        *Path("/etc/apt").glob("sources.list.d/*"),
    ]
    return {
        host.lower() for place in places if place.is_file() for host in _HOST.findall(place.read_text(errors="replace"))
    }


def problems(path: Path, hosts: set[str]) -> Iterator[str]:
    """What one file must not contain."""
    size = path.stat().st_size
    if size > _LARGEST_BYTES:
        yield f"{size} bytes, the largest file allowed has {_LARGEST_BYTES}: make it when it is needed"
        return
    text = path.read_text(errors="replace")
    lowered = text.lower()
    for host in sorted(hosts):
        if host in lowered:
            yield f"names the package host {host}: package sources belong to the machine's configuration"
    if path.suffix == ".lock" and _HOST.search(text):
        yield "a lock file records versions and hashes, never addresses"
    if path.name == "package-lock.json" and '"resolved"' in text:
        yield "has download addresses: npm's omit-lockfile-registry-resolved keeps them out (frontend/.npmrc)"
    if _PRIVATE_KEY in text:
        yield "contains a private key"


def main() -> int:
    """Prints every finding with its file; 1 if there is one."""
    hosts = set(_REGISTRIES) | _hosts_of_this_machine()
    found = [f"{path.relative_to(ROOT)}: {problem}" for path in files() for problem in problems(path, hosts)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
