"""Entry point of `lunette`. Exit codes: 0 done, 1 refused, 2 wrong usage, 3 no answer, 4 the job failed."""

import sys

from lunette.cli import show
from lunette.cli.act import register_actions
from lunette.cli.appliance import register_settings
from lunette.cli.arrays import register_arrays
from lunette.cli.client import JobFailed, Refused, Unreachable
from lunette.cli.commands import app
from lunette.cli.create import register_create
from lunette.cli.fc_ports import register_fc_ports
from lunette.cli.kit import register_kit
from lunette.cli.layouts import register_layouts
from lunette.cli.list_show_delete import register_nouns
from lunette.cli.schedules import register_schedules
from lunette.cli.site import register_site
from lunette.cli.top import register_top

REFUSED, NO_ANSWER, JOB_FAILED = 1, 3, 4

register_nouns()
register_create()
register_layouts()
register_arrays()
register_actions()
register_fc_ports()
register_schedules()
register_settings()
register_site()
register_top()
register_kit()


def main() -> None:
    """Runs the command and turns refusals into words and an exit code."""
    try:
        app()
    except Refused as error:
        show.err.print("\n".join(error.lines()), style="red", markup=False)
        sys.exit(REFUSED)
    except Unreachable as error:
        show.err.print(str(error), style="red", markup=False)
        sys.exit(NO_ANSWER)
    except (JobFailed, TimeoutError) as error:
        show.err.print(str(error), style="red", markup=False)
        sys.exit(JOB_FAILED)
