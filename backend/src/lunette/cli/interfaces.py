"""`lunette interface`: network interfaces of the appliance."""

from lunette.cli import running
from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.running import body_of, send
from lunette.cli.spec import Command, Param, standard
from lunette.client.generated.enums import BOND_MODE, INTERFACE_KIND, INTERFACE_ROLE, LACP_RATE

_INTERFACE = Param("interface", "Its name.", noun="interface")


def change(call: Call) -> None:
    body = body_of(call)
    if call["no_dhcp"]:
        body["dhcp"] = False
    body.pop("no_dhcp", None)
    for field in ("gateway", "mtu_bytes"):
        if body.get(field) == "none":
            body[field] = None
    if not body:
        raise Wrong("nothing to change: give addresses, a role or an MTU", "lunette interface change --help")
    if "mtu_bytes" in body and body["mtu_bytes"] is not None:
        body["mtu_bytes"] = _number(body["mtu_bytes"])
    send(call, body)
    _remind(call, call["interface"])


def create(call: Call) -> None:
    send(call, body_of(call))
    _remind(call, call["name"])


def remove(call: Call) -> None:
    running.change(call, None)
    _remind(call, call["interface"])


def _remind(call: Call, name: str) -> None:
    if not call.dry_run and not call["no_wait"]:
        call.screen.note(f"Confirm it with `lunette interface confirm {name}` within 60 s.")


def _number(text: str) -> int:
    if not text.isdigit():
        raise Wrong(f"--mtu takes a number of bytes or none, not {text!r}", "lunette interface change --help")
    return int(text)


_ADDRESSES = (
    Param(
        "--address",
        "Address with prefix, such as 192.0.2.10/24; repeat it for each.",
        field="addresses",
        many=True,
        metavar="ADDRESS/PREFIX",
    ),
    Param("--dhcp", "Take addresses from DHCP.", flag=True),
)
_DNS = Param("--dns", "DNS server; repeatable.", many=True, metavar="ADDRESS")
_NTP = Param("--ntp", "Time server, by address or name; repeatable.", many=True, metavar="SERVER")
_ROLE = Param("--role", "What it is for.", words=INTERFACE_ROLE)

COMMANDS = {
    "interface": (
        *standard(
            "interface",
            (
                "name",
                "kind",
                "link",
                "speed_mbit_s",
                "mtu_bytes",
                "addresses",
                "wanted.role",
                "configured_by",
                "trial_left_s",
                "reason",
            ),
        ),
        Command(
            "create",
            "Makes a VLAN or a bond for 60 seconds: confirm it, or it goes.",
            ("interface_create",),
            (
                Param("name", "Its name, such as eth1.100 or bond0."),
                Param("--kind", "What it is.", words=INTERFACE_KIND, required=True),
                Param("--parent", "Of a VLAN: the interface that carries it.", noun="interface"),
                Param("--vlan-id", "Of a VLAN: its number, 1 to 4094.", number=True),
                Param(
                    "--member",
                    "Of a bond: an interface it is made of; repeat it for each.",
                    field="members",
                    noun="interface",
                    many=True,
                ),
                Param("--mode", "Of a bond: how its members are used; active-backup if not given.", words=BOND_MODE),
                Param(
                    "--lacp-rate", "Of an 802.3ad bond: how often the switch tells that it is there.", words=LACP_RATE
                ),
                Param(
                    "--miimon-ms", "Of a bond: milliseconds between looks at the links; 100 if not given.", number=True
                ),
                *_ADDRESSES,
                Param("--gateway", "Gateway.", metavar="ADDRESS"),
                _DNS,
                _NTP,
                Param("--mtu", "MTU in bytes, such as 9000.", field="mtu_bytes", number=True),
                _ROLE,
            ),
            create,
            interrupts=True,
        ),
        Command(
            "remove",
            "Removes a VLAN or bond for 60 seconds: confirm it, or it comes back.",
            ("interface_remove",),
            (_INTERFACE,),
            remove,
            interrupts=True,
        ),
        Command(
            "change",
            "Changes an interface for 60 seconds: confirm it, or it becomes as it was.",
            ("interface_change",),
            (
                _INTERFACE,
                *_ADDRESSES,
                Param("--no-dhcp", "Take none from DHCP any more.", flag=True),
                Param("--gateway", "Gateway, or `none`.", metavar="ADDRESS"),
                _DNS,
                _NTP,
                Param(
                    "--mtu",
                    "MTU in bytes, such as 9000; `none` leaves the driver's.",
                    field="mtu_bytes",
                    metavar="BYTES",
                ),
                _ROLE,
                Param(
                    "--member",
                    "Of a bond: an interface it is to have from now on; repeat it for each.",
                    field="members",
                    noun="interface",
                    many=True,
                ),
                Param(
                    "--portal",
                    "Name of a portal whose address may go; repeatable.",
                    field="portals",
                    noun="portal",
                    many=True,
                ),
            ),
            change,
            interrupts=True,
        ),
        Command("confirm", "Keeps a change that is on trial.", ("interface_confirm",), (_INTERFACE,)),
        Command("revert", "Takes a change that is on trial back now.", ("interface_revert",), (_INTERFACE,)),
    ),
}
