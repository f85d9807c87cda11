"""`lunette firewall`: the ports that accept traffic. `lunette setting set --firewall` sets the mode."""

from collections.abc import Iterator

from lunette.cli.call import Call
from lunette.cli.spec import Command, JsonObject

_STATES = {
    "in_force": "in force",
    "off": "off",
    "unavailable": "enabled but not available on this machine",
    "failed": "not in the desired state",
}
_STYLES = {"failed": "red", "unavailable": "yellow"}


def show(call: Call) -> None:
    call.show(call.client.operate("firewall_show"), lambda found: _print(call, found))


def _print(call: Call, found: JsonObject) -> None:
    line = call.screen.line
    chosen = "by default" if found["is_default"] else "according to the settings"
    line(f"The firewall is {_STATES[found['state']]}, {chosen}.", _STYLES.get(found["state"], ""))
    if found["reason"]:
        line(f"  {found['reason']}")
    for one in found["openings"]:
        line(f"{one['protocol']} {one['port']} on {' '.join(_where(one, found))}: {_use(one)}")
    if found["kept_open_on"]:
        line(
            f"also open for management, because no other interface has an address: {', '.join(found['kept_open_on'])}",
            "yellow",
        )
    if found["repaired"]:
        line(f"repaired at {found['repaired_at']}: {found['repaired']}", "yellow")


def _where(one: JsonObject, found: JsonObject) -> Iterator[str]:
    yield one["address"] or "all addresses"
    if one["management"] and found["closed_on"]:
        yield f"except on {', '.join(found['closed_on'])}"


def _use(one: JsonObject) -> str:
    if one["management"]:
        return "management"
    return f"portal {', '.join(one['portals'])}" if one["portals"] else "not managed by Lunette"


COMMANDS = {
    "firewall": (Command("show", operations=("firewall_show",), run=show),),
}
