"""`python3 -m lunette.installer`: installs by the document on the second medium or of the kernel command line, if any.

With FILE it uses that document; with --check it prints the plan and writes nothing.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from lunette.domain.errors import LunetteError
from lunette.installer.document import Document, parse
from lunette.installer.finding import named_document, only_one, say
from lunette.installer.judge import Installed, judge, network_of
from lunette.installer.layout import Plan
from lunette.installer.settings import greeting
from lunette.installer.write import Installer
from lunette.system.local import LocalSystem
from lunette.system.system_port import System

Tell = Callable[..., None]
"""Shows lines to the user."""


def main(arguments: list[str]) -> int:
    """Returns the exit status. Every message goes to the journal and to every console."""
    parser = argparse.ArgumentParser(prog="installer", description="Install Lunette from an installation document.")
    parser.add_argument("file", nargs="?", type=Path, help="installation document; by default, it is searched for")
    parser.add_argument("--check", action="store_true", help="print the plan and write nothing")
    options = parser.parse_args(arguments)
    system = LocalSystem()

    def begin() -> None:
        content = options.file.read_bytes() if options.file is not None else named_document(system)
        if content is not None:
            document = parse(content)
            with only_one():
                install(system, document, say, check=options.check)

    return reported(begin, say)


def reported(begin: Callable[[], None], tell: Tell) -> int:
    """Starts, and reports why it failed if it did. Returns the exit status."""
    try:
        begin()
        return 0
    except LunetteError as problem:
        tell("not installed:", problem.detail, *(f"{one.field}: {one.message}" for one in problem.errors))
        sys.stderr.write(problem.log)
    except OSError as problem:
        tell("not installed:", f"{problem}: check the disk and the medium, then start again")
    return 1


def install(system: System, document: Document, tell: Tell, *, check: bool) -> None:
    """Installs what the document describes, unless that is done already. Raises the reason of a refusal."""
    try:
        disks = judge(system, document)
    except Installed as found:
        tell("nothing to install:", found.detail)
        return
    plan = Plan.make(document, disks, network_of(system, document))
    tell("installation:", *plan.lines())
    if check or document.dry_run:
        tell("this was a dry run: nothing has been written")
        return
    certificate = Installer(system, document, disks, plan).run(tell)
    tell("installed:", *greeting(document, certificate))
    if document.afterwards != "stay":
        tell(f"{document.afterwards} follows: remove the medium")
        system.run(["systemctl", "--no-block", document.afterwards.replace("power-off", "poweroff")])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
