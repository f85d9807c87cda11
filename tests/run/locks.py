"""The Python lock files: `locks` checks that they hold what pyproject.toml requires, `locks write` creates them again.

The check needs no network: it asks whether every pinned requirement is in the lock in that version.
"""

import re
import subprocess
import sys
import tomllib

from tests.run.command import ROOT, cache_folder

_BACKEND = ROOT / "backend"
_RUNTIME = _BACKEND / "requirements.lock"
_DEV = _BACKEND / "requirements-dev.lock"
_REMEDY = "run `backend/.venv/bin/python -m tests.run.locks write`"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)")


def _pins(lines: list[str]) -> dict[str, str]:
    found = [match for line in lines if (match := _PIN.match(line))]
    return {re.sub(r"[-_.]+", "-", match[1]).lower(): match[2] for match in found}


def stale() -> list[str]:
    """What the lock files lack or hold in another version than pyproject.toml asks for."""
    project = tomllib.loads((_BACKEND / "pyproject.toml").read_text())
    runtime = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["postgres"]]
    wanted = {_RUNTIME: runtime, _DEV: [*runtime, *project["dependency-groups"]["dev"]]}
    return [
        f"{path.relative_to(ROOT)}: {name} should be {version} and is {locked.get(name, 'missing')}: {_REMEDY}"
        for path, requirements in wanted.items()
        for locked in [_pins(path.read_text().splitlines())]
        for name, version in _pins(requirements).items()
        if locked.get(name) != version
    ]


def write() -> None:
    """Resolves both lock files with uv; the runtime lock constrains the other, so they never differ."""
    uv = cache_folder() / "tools/bin/uv"
    common = [str(uv), "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header"]
    common += ["--python-version", "3.11", "--extra", "postgres"]
    dev = ["--group", "dev", "-c", "requirements.lock"]
    for arguments in ([*common, "-o", _RUNTIME.name], [*common, *dev, "-o", _DEV.name]):
        subprocess.run([*arguments, "pyproject.toml"], cwd=_BACKEND, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Checks, or writes if the argument is `write`."""
    if sys.argv[1:] == ["write"]:
        write()
        return 0
    found = stale()
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
