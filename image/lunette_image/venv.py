"""Layer `venv`: the locked Python packages, for the appliance's Python, fetched outside of it."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from .cache import Cache, content_key
from .problem import ImageProblem
from .progress import run, step
from .tree import in_root, linked_copy

PYTHON = "3.13"
# trixie has glibc 2.41; wheels for an older one are taken as well.
PLATFORM = "x86_64-manylinux_2_40"
SITE = f"opt/lunette/lib/python{PYTHON}/site-packages"
TIMEOUT_S = 600


def venv_layer(cache: Cache, base: Path, lock: Path, uv: str | None = None) -> Path:
    """The site-packages folder for one lock file."""
    if not lock.is_file():
        raise ImageProblem(f"{lock} is missing: make it with `uv pip compile --universal --generate-hashes`")
    key = content_key([Path(__file__), lock], PYTHON, PLATFORM)
    return cache.layer("venv", key, lambda work: _build(work, base, lock, find_uv(uv)))


def find_uv(chosen: str | None = None) -> str:
    """The uv program: the one asked for, LUNETTE_UV, or the one on the path."""
    found = chosen or os.environ.get("LUNETTE_UV") or shutil.which("uv")
    if not found or not shutil.which(found):
        raise ImageProblem(
            f"uv is not {'at ' + found if found else 'on the path'}: "
            "install it with pip in a virtual environment and name it with --uv or LUNETTE_UV"
        )
    return found


def install_argv(uv: str, lock: Path, target: Path) -> Sequence[str]:
    """The command that fills a site-packages folder: wheels only, every hash checked."""
    return (
        *(uv, "pip", "install", "--quiet", "--target", str(target)),
        *("--python-version", PYTHON, "--python-platform", PLATFORM),
        *("--only-binary", ":all:", "--require-hashes", "--no-deps", "--link-mode", "copy"),
        *("-r", str(lock)),
    )


def _build(work: Path, base: Path, lock: Path, uv: str) -> None:
    target = work / "site-packages"
    env = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    with step("venv: locked Python packages"):
        run(install_argv(uv, lock, target), timeout_s=TIMEOUT_S, log=work / "uv.log", env=env)
        # Their scripts carry this machine's interpreter; the product makes its own.
        shutil.rmtree(target / "bin", ignore_errors=True)
        (target / ".lock").unlink(missing_ok=True)
    with step("venv: compiling to byte code"):
        compile_site(base, target, work)


def compile_site(base: Path, site: Path, work: Path) -> None:
    """Byte-compile a site-packages folder with the appliance's own Python.

    The compiled files are never checked against the sources: emulated machines start faster.
    """
    root = work / "root"
    linked_copy(base / "root", root)
    inside = root / SITE
    inside.parent.mkdir(parents=True)
    site.rename(inside)
    mode = ("--invalidation-mode", "unchecked-hash")
    in_root(root, f"/usr/bin/python{PYTHON}", "-m", "compileall", "-q", *mode, f"/{SITE}", timeout_s=TIMEOUT_S)
    inside.rename(site)
    shutil.rmtree(root)
