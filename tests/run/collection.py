"""Ansible's own checks of the collection: `collection lint`, `collection docs [FOLDER]`, `collection sanity`.

They want the collection as it is installed, so a copy is made under …/ansible_collections/lunette/appliance. `lint` is
ansible-lint at its production profile; `docs` checks the documentation and writes it as RST, into FOLDER if one is
named; `sanity` is every test of `ansible-test sanity` that runs without containers.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.run.command import ROOT, cache_folder

_BIN = Path(sys.executable).parent
_NO_PART_OF_IT = ("generator", ".ansible", "__pycache__")
_GET_PIP = """\
import os
import subprocess
import sys

# Made by tests.run.collection: ansible-test would download this program from a place that not every machine reaches.
options = [one for one in sys.argv[1:] if one.startswith("-") and one not in ("--no-setuptools", "--no-wheel")]
pip = [{pip!r}, "--python", sys.executable, "install", "pip", "setuptools", "wheel"]
sys.exit(subprocess.call([*pip, *options], env=dict(os.environ)))
"""


@contextmanager
def installed() -> Iterator[Path]:
    """A copy of the collection where Ansible looks for one; in a repository of its own, since its tools ask git."""
    with tempfile.TemporaryDirectory(prefix="lunette-collection-") as folder:
        copy = Path(folder) / "ansible_collections/lunette/appliance"
        shutil.copytree(ROOT / "ansible", copy, ignore=shutil.ignore_patterns(*_NO_PART_OF_IT))
        for argv in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(argv, cwd=copy, check=True)
        yield copy


def lint(copy: Path) -> int:
    """ansible-lint, offline."""
    return _run(copy, "ansible-lint", "--offline")


def docs(copy: Path, target: Path | None = None) -> int:
    """antsibull-docs: first that everything can be documented, then the pages."""
    folder = target or copy.parent / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    pages = ("collection", "--use-current", "--squash-hierarchy", "--fail-on-error", "--dest-dir", str(folder))
    return _run(copy, "antsibull-docs", "lint-collection-docs", "--plugin-docs", "--skip-rstcheck", ".") or _run(
        copy, "antsibull-docs", *pages, "lunette.appliance"
    )


def sanity(copy: Path) -> int:
    """ansible-test sanity. It keeps environments with the tools it pins itself, in our cache."""
    home = cache_folder() / "ansible-test"
    downloads = home / ".ansible/test/cache"
    downloads.mkdir(parents=True, exist_ok=True)
    pip, version = cache_folder() / "tools/bin/pip", f"{sys.version_info.major}.{sys.version_info.minor}"
    (downloads / "get_pip_24_2.py").write_text(_GET_PIP.format(pip=str(pip)))
    return _run(copy, "ansible-test", "sanity", "--color", "no", "--python", version, env={"HOME": str(home)})


def _run(copy: Path, program: str, *arguments: str, env: Mapping[str, str] | None = None) -> int:
    collections = str(copy.parents[2])
    settings = {
        "ANSIBLE_COLLECTIONS_PATH": collections,
        "ANSIBLE_HOME": f"{collections}/home",
        "NO_COLOR": "1",
        "PATH": f"{_BIN}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
    }
    argv = [str(_BIN / program), *arguments]
    return subprocess.run(argv, cwd=copy, env={**os.environ, **settings, **(env or {})}, check=False).returncode


_CHECKS: dict[str, Callable[..., int]] = {"lint": lint, "docs": docs, "sanity": sanity}


def main() -> int:
    """The check that is named, on a copy of the collection."""
    name, *folders = sys.argv[1:]
    with installed() as copy:
        return _CHECKS[name](copy, *[Path(folder).resolve() for folder in folders])


if __name__ == "__main__":
    sys.exit(main())
