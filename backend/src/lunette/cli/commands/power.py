"""`lunette restart` and `lunette power-off`: a clean stop of the appliance, after showing the plan."""

from lunette.cli.call import Call
from lunette.cli.spec import Command
from lunette.client import Unreachable


def restart(call: Call) -> None:
    """Shows the plan, asks for confirmation, and follows the job across the restart."""
    if _asked(call, "Restart the appliance?"):
        call.outcome(call.client.operate(call.command.operations[0]))


def power_off(call: Call) -> None:
    """Shows the plan, asks for confirmation, and ends when the API stops: the job is done at the next start."""
    if not _asked(call, "Shut down the appliance?"):
        return
    try:
        call.outcome(call.client.operate(call.command.operations[0]))
    except Unreachable:
        call.screen.note(
            "The appliance no longer responds: it disconnects its hosts, stops volumes and arrays, and switches off."
        )


def _asked(call: Call, question: str) -> bool:
    """Whether to continue. A dry run only shows the plan."""
    plan = call.client.operate(call.command.operations[0], dry_run=True)
    if call.dry_run:
        call.outcome(plan)
        return False
    if not call["yes"]:
        call.screen.on_stderr().plan(plan)
        call.confirm(question, "--yes")
    return True


COMMANDS = {
    "restart": (
        Command(
            "",
            "Restarts the appliance, and waits until it is up again.",
            ("appliance_restart",),
            (),
            restart,
            interrupts=True,
            more="All I/O stops meanwhile. Exports start again automatically.",
        ),
    ),
    "power-off": (
        Command(
            "",
            operations=("appliance_power_off",),
            run=power_off,
            interrupts=True,
            more="All I/O stops until the appliance is switched on again.",
        ),
    ),
}
