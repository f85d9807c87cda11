"""Memory that was freed goes back to the kernel, for real: in a process of its own."""

import subprocess
import sys

_PROGRAM = """
from pathlib import Path
from lunette.system.heap import give_back
resident = lambda: int(Path("/proc/self/statm").read_text().split()[1])
before = resident()
blocks = [bytes(8192) for _ in range(4_000)]
stay = blocks[::100]
del blocks
held = resident() - before
give_back()
give_back()
print(held, resident() - before)
"""


def test_what_was_freed_between_objects_that_stay_goes_back() -> None:
    ran = subprocess.run([sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True)
    held, left = map(int, ran.stdout.split())
    assert held > 2_000, "pages that glibc retains"
    assert left < held / 2
