"""Layer `venv`: the locked Python packages, for the appliance's Python, fetched outside of it."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .cache import Cache, cache_root, content_key
from .problem import ImageProblem
from .progress import run, step
from .tree import in_root, linked_copy

PYTHON = "3.13"
# trixie has glibc 2.41; wheels for an older one are accepted as well.
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
    """The uv program: the specified one, LUNETTE_UV, the one on the path, or the one `make` installed."""
    asked = chosen or os.environ.get("LUNETTE_UV")
    if asked and not shutil.which(asked):
        raise ImageProblem(f"uv is not at {asked}: name an existing program with --uv or LUNETTE_UV")
    found = asked or shutil.which("uv") or shutil.which(cache_root() / "tools/bin/uv")
    if not found:
        raise ImageProblem("uv is not on the path: run `make deps`, or name the program with --uv or LUNETTE_UV")
    return str(found)


def uv_environment(uv: str) -> dict[str, str]:
    """uv's environment; a package index configured for pip is passed on, because uv does not read pip's files."""
    env = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    pip = shutil.which(Path(uv).with_name("pip")) or shutil.which("pip3")
    if pip and "UV_DEFAULT_INDEX" not in env:
        asked = subprocess.run(
            [pip, "config", "get", "global.index-url"], capture_output=True, text=True, timeout=60, check=False
        )
        if asked.returncode == 0 and asked.stdout.strip():
            env["UV_DEFAULT_INDEX"] = asked.stdout.strip()
    return env


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
    with step("venv: locked Python packages"):
        run(install_argv(uv, lock, target), timeout_s=TIMEOUT_S, log=work / "uv.log", env=uv_environment(uv))
        # Their scripts contain this machine's interpreter; the product creates its own.
        shutil.rmtree(target / "bin", ignore_errors=True)
        (target / ".lock").unlink(missing_ok=True)
    with step("venv: compiling to byte code"):
        compile_site(base, target, work)


def compile_site(base: Path, site: Path, work: Path) -> None:
    """Byte-compiles a site-packages folder with the appliance's own Python.

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
