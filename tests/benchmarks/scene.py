"""`python -m tests.benchmarks.scene`: how fast the API builds the scene of the lab, and how fast one host reads and
writes a volume of it.

On emulated machines the numbers compare versions of Lunette with one another, on the same computer; they say nothing
about hardware. `qemu-img bench` is the host: one connection, sequential, writes without a flush between them.
"""

import re
import subprocess
import sys
import time
from dataclasses import dataclass

from tests.benchmarks.output import print_kernel, print_table
from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import DISK_BYTES, MIB, PORTAL_PORT, Scene, provision
from tests.machines.qemu import Qemu

KIB = 1024
_DEADLINE_S = 600


@dataclass(frozen=True)
class Load:
    """One pattern: `requests` of `block_bytes`, `depth` of them at a time."""

    name: str
    block_bytes: int
    depth: int
    requests: int
    writes: bool


LOADS = (
    Load("read 4 KiB, depth 1", 4 * KIB, 1, 2_000, writes=False),
    Load("read 4 KiB, depth 32", 4 * KIB, 32, 10_000, writes=False),
    Load("write 4 KiB, depth 32", 4 * KIB, 32, 5_000, writes=True),
    Load("read 1 MiB, depth 8", 1024 * KIB, 8, 200, writes=False),
    Load("write 1 MiB, depth 8", 1024 * KIB, 8, 200, writes=True),
)


def main() -> int:
    """Boots, builds the scene, measures, tells two tables."""
    machine = Qemu("bench", nvme=8, disk_mib=DISK_BYTES // MIB)
    print(f"booting ({machine.accelerator})", flush=True)
    started = time.monotonic()
    with appliance(machine) as made:
        print_kernel(f"{made.machine.check('uname -r').strip()} (QEMU)")
        rows = [("boot to first login", f"{time.monotonic() - started:.1f} s")]
        started = time.monotonic()
        scene = provision(made.client, made.disk_ids("nvme"), print)
        wait_until("every mapping is served", lambda: all(m["state"] == "open" for m in made.client.list("/mappings")))
        rows.append(("RAID5, 32 volumes, 4 hosts, all open", f"{time.monotonic() - started:.1f} s"))
        print_table("Building the scene", ("step", "time"), rows)
        figures = [(load.name, *_measure(made, scene, load)) for load in LOADS]
        print_table("One host", ("load", "requests/s", "MiB/s"), figures)
    return 0


def _measure(made: Appliance, scene: Scene, load: Load) -> tuple[str, str]:
    """Requests and MiB per second on the first volume of the host that needs no credentials."""
    host = next(host for host in scene.hosts if host.chap is None)
    portal = f"{made.machine.address}:{made.machine.forward(PORTAL_PORT)}"
    place = {"transport": "tcp", "portal": portal, "target": scene.targets[host.name], "lun": "1"}
    place["initiator-name"] = host.iqn
    options = ",".join(["driver=raw", "file.driver=iscsi", *(f"file.{key}={value}" for key, value in place.items())])
    argv = ["qemu-img", "bench", "--image-opts", "-t", "none", "-c", str(load.requests), "-d", str(load.depth)]
    argv += ["-s", str(load.block_bytes), *(["-w"] if load.writes else []), options]
    print(f"  … {load.name}", flush=True)
    said = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=_DEADLINE_S).stdout
    took = re.search(r"Run completed in ([0-9.]+) seconds", said)
    if took is None:
        raise RuntimeError(f"qemu-img bench said nothing about the time it took: {said!r}")
    per_second = load.requests / float(took[1])
    return f"{per_second:,.0f}", f"{per_second * load.block_bytes / MIB:.1f}"


if __name__ == "__main__":
    sys.exit(main())
