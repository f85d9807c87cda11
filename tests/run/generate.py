"""`make generate`: writes backend/openapi.json from the API's models, then every client made from it."""

import subprocess
import sys

from tests.run.command import ROOT


def main() -> int:
    """Runs the generators in the order in which one's output is the other's input."""
    for argv in (
        [sys.executable, "-m", "lunette.api.document"],
        [sys.executable, "-m", "tests.run.api_changes"],
        ["npm", "--prefix", "frontend", "run", "generate"],
        [sys.executable, "ansible/generator"],
        [sys.executable, "-m", "tests.run.python_client"],
        [sys.executable, "-m", "lunette.cli.manual"],
        [sys.executable, "-m", "tests.run.matrix"],
        [sys.executable, "-m", "tests.run.page_operations"],
    ):
        print(f"  … {' '.join(argv[-3:])}", flush=True)
        code = subprocess.run(argv, cwd=ROOT, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
