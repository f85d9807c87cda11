"""`lunette portal`, `lunette rdma-device` and `lunette fc-port`: where hosts find their volumes."""

from lunette.cli.spec import Command, Param, standard
from lunette.client.generated.enums import EXPORT_ENGINE, FC_MODE, PROTOCOL

COMMANDS = {
    "portal": (
        *standard("portal", ("name", "protocol", "engine", "address", "port", "state", "reason")),
        Command(
            "create",
            "Creates a portal.",
            ("portal_create",),
            (
                Param("name", "Its name."),
                Param("--address", "IPv4 or IPv6 address; for nvme-fc a port as nn-0xWWNN:pn-0xWWPN.", required=True),
                Param("--protocol", "What is spoken there; iscsi if not given.", words=PROTOCOL),
                Param("--port", "Port; the protocol's own if not given.", number=True),
                Param("--engine", "What serves it; the kernel's engine if not given.", words=EXPORT_ENGINE),
            ),
        ),
    ),
    "rdma-device": standard(
        "rdma-device", ("id", "interface", "state", "link_layer", "mtu_bytes", "addresses", "reason")
    ),
    "fc-port": (
        *standard(
            "fc-port", ("wwpn", "observed.driver", "observed.link", "observed.speed", "observed.mode", "mode", "state")
        ),
        Command(
            "create",
            "Takes a Fibre Channel port over and gives it a mode.",
            ("fc_port_create",),
            (
                Param("wwpn", "WWPN of a port of this appliance.", noun="fc-port"),
                Param("--mode", "What it is to be.", words=FC_MODE, default="target"),
            ),
        ),
        Command(
            "set",
            "Makes a port a target, an initiator, or neither.",
            ("fc_port_patch",),
            (
                Param("fc_port", "Its WWPN or id.", noun="fc-port"),
                Param("--mode", "What it is to be.", words=FC_MODE, required=True),
            ),
            interrupts=True,
        ),
    ),
}
