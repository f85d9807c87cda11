"""`lunette interface`: network interfaces of the appliance."""

from lunette.cli import running
from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.running import body_of, changes_of, send
from lunette.cli.spec import Command, Param, standard
from lunette.client.generated.enums import BOND_MODE, INTERFACE_KIND, INTERFACE_ROLE, LACP_RATE

_INTERFACE = Param("interface", "Name of the interface.", noun="interface")
_ON_TRIAL = "Unless the change is confirmed within that time, it is reverted automatically."


def change(call: Call) -> None:
    body = changes_of(call)
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
        call.screen.note(f"Confirm the change with `lunette interface confirm {name}` within 60 seconds.")


def _number(text: str) -> int:
    if not text.isdigit():
        raise UsageError(f"--mtu requires a number of bytes or `none`, not {text!r}", "lunette interface change --help")
    return int(text)


_ADDRESSES = (
    Param(
        "--address",
        "Static IP address with prefix length, such as 192.0.2.10/24; repeatable.",
        field="addresses",
        many=True,
        metavar="ADDRESS/PREFIX",
    ),
    Param("--dhcp", "Assign addresses by DHCP and, for IPv6, router advertisements.", flag=True),
)
_DNS = Param("--dns", "IP address of a DNS server; repeatable.", many=True, metavar="ADDRESS")
_NTP = Param("--ntp", "Name or IP address of a time server; repeatable.", many=True, metavar="SERVER")
_ROLE = Param("--role", words=INTERFACE_ROLE)

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
            operations=("interface_create",),
            params=(
                Param("name", "Name of the interface, such as eth1.100 or bond0."),
                Param("--kind", words=INTERFACE_KIND, required=True),
                Param("--parent", noun="interface"),
                Param("--vlan-id", "VLAN ID, 1 to 4094. Required for a VLAN only.", number=True),
                Param(
                    "--member",
                    "Interface that becomes part of the bond; repeatable. Required for a bond only.",
                    field="members",
                    noun="interface",
                    many=True,
                ),
                Param("--mode", words=BOND_MODE),
                Param("--lacp-rate", words=LACP_RATE),
                Param("--miimon-ms", number=True),
                *_ADDRESSES,
                Param("--gateway", "IP address of the gateway.", metavar="ADDRESS"),
                _DNS,
                _NTP,
                Param("--mtu", field="mtu_bytes", number=True),
                _ROLE,
            ),
            run=create,
            interrupts=True,
            more=_ON_TRIAL,
        ),
        Command(
            "remove",
            operations=("interface_remove",),
            params=(_INTERFACE,),
            run=remove,
            interrupts=True,
            more=_ON_TRIAL,
        ),
        Command(
            "change",
            operations=("interface_change",),
            params=(
                _INTERFACE,
                *_ADDRESSES,
                Param("--no-dhcp", "Do not assign addresses by DHCP.", field="dhcp", flag=True, sets=False),
                Param(
                    "--gateway",
                    "IP address of the gateway; `none` removes the gateway.",
                    metavar="ADDRESS",
                    null="none",
                ),
                _DNS,
                _NTP,
                Param(
                    "--mtu",
                    "MTU in bytes; `none` restores the driver's default at the next start.",
                    field="mtu_bytes",
                    metavar="BYTES",
                    null="none",
                ),
                _ROLE,
                Param(
                    "--member",
                    "Interface of a bond that Lunette created; repeatable. Replaces all present ones.",
                    field="members",
                    noun="interface",
                    many=True,
                ),
                Param(
                    "--portal",
                    "Name of a portal that may lose its address; repeatable.",
                    field="portals",
                    noun="portal",
                    many=True,
                ),
            ),
            run=change,
            interrupts=True,
            more=_ON_TRIAL,
        ),
        Command("confirm", operations=("interface_confirm",), params=(_INTERFACE,)),
        Command("revert", operations=("interface_revert",), params=(_INTERFACE,)),
    ),
}
