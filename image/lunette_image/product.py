"""The product's part of the tree: package, metadata, programs, web pages, units.

The package is copied as it is and its metadata is written from pyproject.toml, so a changed source
file needs no wheel build.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .problem import ImageProblem
from .tree import add_tree, in_root, linked_copy, write_file
from .venv import PYTHON, SITE

HOME = "opt/lunette"
FOLDERS = ("etc/target", "etc/target/pr", "etc/target/alua")
"""LIO uses /etc/target for its state if it exists when target_core_mod is loaded. Only root has access."""
KEPT = ("etc/lvm/devices/system.devices",)
"""Files of image/server that belong to the machine once they exist: LVM writes its devices into this one."""


@dataclass(frozen=True)
class Distribution:
    """What pyproject.toml says about the distribution, as far as an installed one needs it."""

    name: str
    version: str
    scripts: dict[str, str]
    entry_points: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def metadata_folder(self) -> str:
        """Name of the dist-info folder."""
        return f"{re.sub(r'[-_.]+', '_', self.name)}-{self.version}.dist-info"

    def entry_points_text(self) -> str:
        """Content of entry_points.txt."""
        groups = {"console_scripts": self.scripts, **self.entry_points}
        blocks = []
        for group in sorted(groups):
            if groups[group]:
                lines = [f"{name} = {groups[group][name]}" for name in sorted(groups[group])]
                blocks.append("\n".join([f"[{group}]", *lines]))
        return "\n\n".join(blocks) + "\n"


def read_distribution(backend: Path) -> Distribution:
    """The distribution described by backend/pyproject.toml; a dynamic version is read where hatch reads it."""
    document = tomllib.loads((backend / "pyproject.toml").read_text())
    project = document["project"]
    version = project.get("version") or _dynamic_version(backend, document)
    return Distribution(project["name"], version, project.get("scripts", {}), project.get("entry-points", {}))


def _dynamic_version(backend: Path, document: dict[str, Any]) -> str:
    try:
        path = backend / document["tool"]["hatch"]["version"]["path"]
    except KeyError:
        raise ImageProblem(f"{backend}/pyproject.toml names neither a version nor hatch's version file") from None
    found = re.search(r"^(?:__version__|VERSION)\s*(?::[^=]+)?=\s*['\"]([^'\"]+)['\"]", path.read_text(), re.M)
    if found is None:
        raise ImageProblem(f'{path} has no line `__version__ = "…"`')
    return found.group(1)


def script_text(target: str) -> str:
    """A console script for an entry point such as `lunette.cli.main:main`."""
    module, _, function = target.partition(":")
    return f"#!/{HOME}/bin/python3\nimport sys\n\nfrom {module} import {function}\n\nsys.exit({function}())\n"


def add_venv(root: Path, site_packages: Path) -> None:
    """Puts the locked packages into /opt/lunette, which is a virtual environment of the system's Python."""
    (root / SITE).parent.mkdir(parents=True)
    linked_copy(site_packages, root / SITE)
    config = f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {PYTHON}\n"
    write_file(root / HOME / "pyvenv.cfg", config)
    programs = root / HOME / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    for name in ("python", "python3", f"python{PYTHON}"):
        (programs / name).symlink_to(f"/usr/bin/python{PYTHON}")


def add_product(root: Path, backend: Path, ui: Path | None) -> None:
    """Puts the package, its metadata and programs, and the built web pages into the tree."""
    distribution = read_distribution(backend)
    site = root / SITE
    add_tree(backend / "src", site)
    info = site / distribution.metadata_folder
    metadata = f"Metadata-Version: 2.1\nName: {distribution.name}\nVersion: {distribution.version}\n"
    write_file(info / "METADATA", metadata)
    write_file(info / "entry_points.txt", distribution.entry_points_text())
    write_file(info / "INSTALLER", "lunette-image\n")
    for name, target in distribution.scripts.items():
        write_file(root / HOME / "bin" / name, script_text(target), 0o755)
    for package in sorted(path.name for path in (backend / "src").iterdir() if path.is_dir()):
        # Checked against the source's hash, unlike the locked packages: users may edit these files.
        mode = ("--invalidation-mode", "checked-hash")
        in_root(root, f"/usr/bin/python{PYTHON}", "-m", "compileall", "-q", *mode, f"/{SITE}/{package}")
    # Generated from the commands themselves; links of image/server point there.
    in_root(root, f"/{HOME}/bin/python3", "-m", "lunette.cli.manual", "--share", f"/{HOME}/share")
    if ui is not None:
        add_tree(ui, root / HOME / "ui")
