"""`lunette firewall`: what the appliance lets in. It is chosen with `lunette setting set --firewall`."""

from collections.abc import Iterator

from lunette.cli.call import Call
from lunette.cli.spec import Command, JsonObject

_STATES = {
    "in_force": "in force",
    "off": "off",
    "unavailable": "wanted and not possible here",
    "failed": "not as it is to be",
}
_STYLES = {"failed": "red", "unavailable": "yellow"}


def show(call: Call) -> None:
    call.show(call.client.operate("firewall_show"), lambda found: _print(call, found))


def _print(call: Call, found: JsonObject) -> None:
    line = call.screen.line
    chosen = "as the machine was installed" if found["is_default"] else "as the settings say"
    line(f"The firewall is {_STATES[found['state']]}, {chosen}.", _STYLES.get(found["state"], ""))
    if found["reason"]:
        line(f"  {found['reason']}")
    for one in found["openings"]:
        line(f"{one['protocol']} {one['port']} on {' '.join(_where(one, found))}: {_use(one)}")
    if found["kept_open_on"]:
        line(f"open for management too, since no other has an address: {', '.join(found['kept_open_on'])}", "yellow")
    if found["repaired"]:
        line(f"put right at {found['repaired_at']}: {found['repaired']}", "yellow")


def _where(one: JsonObject, found: JsonObject) -> Iterator[str]:
    yield one["address"] or "every address"
    if one["management"] and found["closed_on"]:
        yield f"but not on {', '.join(found['closed_on'])}"


def _use(one: JsonObject) -> str:
    if one["management"]:
        return "management"
    return f"portal {', '.join(one['portals'])}" if one["portals"] else "not Lunette's"


COMMANDS = {
    "firewall": (
        Command("show", "Shows what is let in, and whether the kernel keeps to it.", ("firewall_show",), (), show),
    ),
}
