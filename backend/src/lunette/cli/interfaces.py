"""`lunette interface`: network interfaces of the appliance."""

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.running import body_of, send
from lunette.cli.spec import Command, Param, standard
from lunette.client.generated.enums import INTERFACE_ROLE

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
    if not call.dry_run and not call["no_wait"]:
        call.screen.note(f"Confirm it with `lunette interface confirm {call['interface']}` within 60 s.")


def _number(text: str) -> int:
    if not text.isdigit():
        raise Wrong(f"--mtu takes a number of bytes or none, not {text!r}", "lunette interface change --help")
    return int(text)


COMMANDS = {
    "interface": (
        *standard("interface", ("name", "link", "speed_mbit_s", "mtu_bytes", "addresses", "wanted.role",
                                "configured_by", "trial_left_s", "reason")),
        Command("change", "Changes an interface for 60 seconds: confirm it, or it becomes as it was.",
                ("interface_change",), (
            _INTERFACE,
            Param("--address", "Address with prefix, such as 192.0.2.10/24; repeat it for each.", field="addresses",
                  many=True, metavar="ADDRESS/PREFIX"),
            Param("--dhcp", "Take addresses from DHCP.", flag=True),
            Param("--no-dhcp", "Take none from DHCP any more.", flag=True),
            Param("--gateway", "Gateway, or `none`.", metavar="ADDRESS"),
            Param("--dns", "DNS server; repeatable.", many=True, metavar="ADDRESS"),
            Param("--mtu", "MTU in bytes, such as 9000; `none` leaves the driver's.", field="mtu_bytes",
                  metavar="BYTES"),
            Param("--role", "What it is for.", words=INTERFACE_ROLE),
            Param("--portal", "Name of a portal whose address may go; repeatable.", field="portals", noun="portal",
                  many=True),
        ), change, interrupts=True),
        Command("confirm", "Keeps a change that is on trial.", ("interface_confirm",), (_INTERFACE,)),
        Command("revert", "Takes a change that is on trial back now.", ("interface_revert",), (_INTERFACE,)),
    ),
}  # fmt: skip
