"""`lunette portal`, `lunette rdma-device` and `lunette fc-port`: where volumes are served."""

from lunette.cli.spec import Command, Param, standard
from lunette.client.generated.enums import EXPORT_ENGINE, FC_MODE, PROTOCOL

COMMANDS = {
    "portal": (
        *standard("portal", ("name", "protocol", "engine", "address", "port", "state", "reason")),
        Command(
            "create",
            operations=("portal_create",),
            params=(
                Param("name"),
                Param(
                    "--address",
                    "IP address to listen on; for nvme-fc, an FC port as nn-0xWWNN:pn-0xWWPN.",
                    required=True,
                ),
                Param("--protocol", "Protocol that the portal serves. Default: iscsi.", words=PROTOCOL),
                Param("--port", number=True),
                Param("--engine", words=EXPORT_ENGINE),
            ),
        ),
        Command(
            "set",
            operations=("portal_patch",),
            params=(
                Param("portal", "Name or ID of the portal.", noun="portal"),
                Param("--name"),
                Param("--address", "New IP address to listen on; for nvme-fc, an FC port as nn-0xWWNN:pn-0xWWPN."),
                Param("--port", number=True),
            ),
            interrupts=True,
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
            operations=("fc_port_create",),
            params=(Param("wwpn", noun="fc-port"), Param("--mode", words=FC_MODE, default="target")),
        ),
        Command(
            "set",
            operations=("fc_port_patch",),
            params=(
                Param("fc_port", "WWPN or ID of the FC port.", noun="fc-port"),
                Param("--mode", "New mode of the FC port. `dual` is refused.", words=FC_MODE, required=True),
            ),
            interrupts=True,
        ),
    ),
}
