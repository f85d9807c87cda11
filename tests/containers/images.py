"""Stand-ins for the images that docker-compose.yml takes from a registry, made of Debian packages."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from lunette_image.apt import SUITE, configured_mirrors, configured_proxies
from tests.containers.engine import Docker
from tests.run.command import ROOT, cache_folder

LABEL = "lunette.test"
"""On every image that is made from these, so that they are found again and removed."""
DEBIAN, NODE, POSTGRES = (f"lunette-test-{name}" for name in ("debian", "node", "postgres"))
ENVIRONMENT = {"LUNETTE_DEBIAN_IMAGE": DEBIAN, "LUNETTE_NODE_IMAGE": NODE, "LUNETTE_POSTGRES_IMAGE": POSTGRES}
_AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
_TRUSTED = "/usr/local/share/ca-certificates/machine.crt"


def make(docker: Docker) -> None:
    """Makes those that the engine does not have."""
    if not _has(docker, DEBIAN):
        trust = [f"--change=ENV {name}={_TRUSTED}" for name in ("NODE_EXTRA_CA_CERTS", "PIP_CERT")]
        docker.run("docker", "import", *trust, f"--change=LABEL {LABEL}=1", str(_debian()), DEBIAN)
    if not _has(docker, NODE):
        deps = (ROOT / "tests/run/deps").read_text()
        version = re.findall(r"^node_wheel=(.+)$", deps, re.MULTILINE)[0]
        _build(docker, NODE, "--build-arg", f"NODE_WHEEL={version}")
    if not _has(docker, POSTGRES):
        _build(docker, POSTGRES)


def remove(docker: Docker) -> None:
    """Removes these images and all that were built on them, except those in use."""
    for option in (["--all"], []):
        docker.run("docker", "image", "prune", "--force", *option, f"--filter=label={LABEL}", check=False)


def _has(docker: Docker, image: str) -> bool:
    return docker.run("docker", "image", "inspect", image, check=False).returncode == 0


def _build(docker: Docker, image: str, *options: str) -> None:
    folder = Path(__file__).parent / image.removeprefix("lunette-test-")
    docker.run("docker", "build", "--tag", image, *options, str(folder), deadline_s=900)


def _debian() -> Path:
    """A small Debian with this machine's package source and certificate authorities."""
    kept = cache_folder() / f"containers/{SUITE}.tar"
    if kept.exists():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    draft = kept.with_suffix(".new.tar")
    mirrors = configured_mirrors()
    authorities = f'mkdir -p "$1/usr/local/share/ca-certificates" && cp {_AUTHORITIES} "$1{_TRUSTED}"'
    subprocess.run(
        [
            *("mmdebstrap", "--mode=root", "--variant=minbase", f"--customize-hook={authorities}", SUITE, str(draft)),
            *(mirrors.sources() if mirrors else []),
        ],
        env={**os.environ, **configured_proxies()},
        capture_output=True,
        timeout=900,
        check=True,
    )
    draft.rename(kept)
    return kept
