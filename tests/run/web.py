"""The web page in a real browser against a real appliance, and its pictures.

python -m tests.run.web e2e RESULTS.xml     what `make test` runs
python -m tests.run.web slow RESULTS.xml    what only the whole matrix runs: the tests with the tag @slow
python -m tests.run.web zfs RESULTS.xml     the test with a ZFS pool, which needs QEMU
python -m tests.run.web screenshots         `make screenshots`: writes docs/images/
"""

import os
import secrets
import shutil
import ssl
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance, read_one_time_password
from tests.lab.hands import Hands, offered
from tests.lab.hosts import lab_hosts
from tests.lab.scene import DISK_BYTES, MIB, provision
from tests.machines import pace
from tests.machines.images import zfs_image
from tests.machines.machine import Machine
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml
from tests.run.command import ROOT

_PICTURES = {
    "overview-light.png": "overview.png",
    "mappings-light.png": "mappings.png",
    "topology-dark.png": "topology.png",
}
"""Those the documents show, and their names in docs/images."""


def e2e(results: Path, *choice: str) -> int:
    """Runs the browser tests that Playwright's options choose, from the first login of a fresh appliance on; 0 if all
    passed. The first of them make, by hand in the browser, what the others work on.
    """
    with fresh_appliance() as (machine, environment):
        arguments = ["--project", "e2e", "--reporter", "list,junit", *choice]
        return playwright(machine, arguments, {**environment, "PLAYWRIGHT_JUNIT_OUTPUT_FILE": str(results.resolve())})


@contextmanager
def fresh_appliance() -> Iterator[tuple[Machine, dict[str, str]]]:
    """A machine before the first login, and the environment that its tests need.

    On user-mode Linux, where everything but NVMe runs at native speed.
    """
    machine = Uml("web", disks=5, disk_mib=DISK_BYTES // MIB, hot=4)
    with machine:
        machine.start()
        machine.wait_for_api()
        pace.measure_guest(machine)
        with offered(Hands(machine).acts()) as hands:
            yield (
                machine,
                {
                    "LUNETTE_HANDS": hands,
                    "LUNETTE_ONE_TIME_PASSWORD": read_one_time_password(machine),
                    "LUNETTE_PASSWORD": secrets.token_urlsafe(18),
                },
            )


def zfs(results: Path) -> int:
    """Runs the browser test with a ZFS pool; 0 if it passed. User-mode Linux has no ZFS."""
    zfs_image()
    machine = Qemu("web-zfs", nvme=5, disk_mib=512)
    with appliance(machine) as made, offered(Hands(machine).acts()) as hands:
        environment = {"LUNETTE_HANDS": hands, "LUNETTE_PASSWORD": made.access.password}
        arguments = ["--project", "zfs", "--reporter", "list,junit"]
        return playwright(machine, arguments, {**environment, "PLAYWRIGHT_JUNIT_OUTPUT_FILE": str(results.resolve())})


def screenshots() -> int:
    """Takes every picture and keeps those the documents show."""
    with _scene() as made, tempfile.TemporaryDirectory() as folder:
        environment = {"LUNETTE_PASSWORD": made.access.password, "LUNETTE_SCREENSHOTS": folder}
        code = playwright(made.machine, ["--project", "screenshots", "--reporter", "list"], environment)
        if code == 0:
            for taken, kept in _PICTURES.items():
                shutil.copyfile(Path(folder) / taken, ROOT / "docs/images" / kept)
        return code


@contextmanager
def _scene() -> Iterator[Appliance]:
    """An appliance that serves the scene, with its four hosts logged in."""
    machine = Qemu("web", nvme=8, scsi=4, disk_mib=DISK_BYTES // MIB)
    with appliance(machine) as made, lab_hosts("web-hosts") as hosts:
        scene = provision(made.client, made.disk_ids("nvme"), print)
        wait_until("every mapping is served", lambda: all(m["state"] == "open" for m in made.client.list("/mappings")))
        with hosts.logged_in(scene, machine):
            yield made


def playwright(machine: Machine, arguments: list[str], environment: Mapping[str, str]) -> int:
    """Runs tests against this machine; 0 if all passed."""
    argv = ["node_modules/.bin/playwright", "test", *arguments]
    settings = {
        "LUNETTE_URL": machine.api_url,
        "LUNETTE_CHROMIUM": shutil.which("chromium") or "",
        "LUNETTE_SPKI": public_key_hash(machine.api_url),
        pace.ENVIRONMENT: f"{pace.factor():.2f}",  # that of the appliance too: the page waits for it
    }
    environment = {**os.environ, **settings, **environment}
    return subprocess.run(argv, cwd=ROOT / "frontend", env=environment, check=False).returncode


def public_key_hash(url: str) -> str:
    """The SHA-256 of the public key that a server shows, in base64: with it, Chromium trusts the certificate.

    If it is to trust any certificate, as Playwright can, Chromium asks again for each connection, and sometimes fails.
    """
    where = urlsplit(url)
    shown = ssl.get_server_certificate((where.hostname or "", where.port or 443), timeout=60 * pace.factor())
    key = x509.load_pem_x509_certificate(shown.encode()).public_key()
    return b64encode(sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()).decode()


def main() -> int:
    """Runs what the first argument says."""
    match sys.argv[1:]:
        case ["e2e", results]:
            return e2e(Path(results), "--grep-invert", "@slow")
        case ["slow", results]:
            return e2e(Path(results), "--grep", "@slow")
        case ["zfs", results]:
            return zfs(Path(results))
        case ["screenshots"]:
            return screenshots()
        case _:
            print(__doc__, file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())
