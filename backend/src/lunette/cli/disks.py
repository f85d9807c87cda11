"""`lunette disk` and `lunette engine`: what the machine has and can do."""

from lunette.cli.spec import standard

COMMANDS = {
    "disk": standard("disk", ("id", "state", "transport", "size_bytes", "model", "serial", "array", "occupied_by")),
    "engine": standard("engine", ("engine", "kind", "available", "reason")),
}
