"""`python -m tests.benchmarks.first_run`: what a first run costs, from the login to data that was read back.

The page in a real browser, on a fresh appliance on user-mode Linux. The browser clicks and types as fast as the page
lets it; the seconds are those of the page and of the appliance.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.output import print_kernel, print_table
from tests.run.web import fresh_appliance, playwright


def main() -> int:
    """Runs the test that counts the clicks, and tells its parts and their sum."""
    with fresh_appliance() as (machine, environment), tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "parts.json")
        print_kernel(f"{machine.check('uname -r').strip()} (user-mode)")
        code = playwright(
            machine,
            ["--project", "first-run", "--reporter", "list", "--grep", "clicks lead"],
            {**environment, "LUNETTE_FIRST_RUN": str(told)},
        )
        parts = json.loads(told.read_text()) if told.exists() else []
    rows = [(str(one["part"]), int(one["clicks"]), float(one["seconds"])) for one in parts]
    rows.append(("sum", sum(clicks for _, clicks, _ in rows), sum(seconds for *_, seconds in rows)))
    print_table(
        "first run",
        ("part", "clicks", "seconds"),
        [[part, str(clicks), f"{seconds:.1f}"] for part, clicks, seconds in rows],
    )
    return code


if __name__ == "__main__":
    sys.exit(main())
