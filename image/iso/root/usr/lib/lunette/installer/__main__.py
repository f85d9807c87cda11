"""`python3 -m installer`: installs by the document on the second medium or the kernel command line, if there is one.

With FILE it takes that document; with --check it prints the plan and writes nothing.
"""

import argparse
import sys
from pathlib import Path

from lunette.agent.local import LocalSystem
from lunette.domain.errors import LunetteError

from .document import parse
from .finding import named_document, say
from .judge import Installed, judge
from .layout import Plan
from .settings import greeting
from .write import Installer


def main(arguments: list[str]) -> int:
    """Returns the exit status. Every message goes to the journal and to every console."""
    parser = argparse.ArgumentParser(prog="installer", description="Install Lunette by a document.")
    parser.add_argument("file", nargs="?", type=Path, help="the document; by default it is looked for")
    parser.add_argument("--check", action="store_true", help="print the plan and write nothing")
    options = parser.parse_args(arguments)
    try:
        return _install(options.file, check=options.check)
    except LunetteError as problem:
        say("not installed:", problem.detail, *(f"{one.field}: {one.message}" for one in problem.errors))
        sys.stderr.write(problem.log)
    except OSError as problem:
        say("not installed:", f"{problem}: look at the disk and at the medium, then start again")
    return 1


def _install(file: Path | None, *, check: bool) -> int:
    system = LocalSystem()
    content = file.read_bytes() if file is not None else named_document(system)
    if content is None:
        return 0
    document = parse(content)
    try:
        disks = judge(system, document)
    except Installed as found:
        say("nothing to install:", found.detail)
        return 0
    plan = Plan.make(document, disks)
    say("installation:", *plan.lines())
    if check or document.dry_run:
        say("this was a dry run: nothing has been written")
        return 0
    certificate = Installer(system, document, disks, plan).run(say)
    say("installed:", *greeting(document, certificate))
    if document.afterwards != "stay":
        say(f"{document.afterwards} follows: remove the medium")
        system.run(["systemctl", "--no-block", document.afterwards.replace("power-off", "poweroff")])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
