"""`lunette status` and `lunette health`."""

from lunette.cli.spec import Command

COMMANDS = {
    "status": (Command("", "Shows health in one sentence, and what the appliance holds.", ("status_show",)),),
    "health": (Command("", "Asks whether the API answers; needs no login.", ("health_show",)),),
}
