"""What `systemd-analyze security` may say of each unit of ours at most, of 10, and which have no sandbox and why."""

EXPOSED = {
    "lunette-agent.service": 5.6,
    "lunette-api.service": 1.5,
    "lunette-exports.service": 6.1,
    "lunette-firewall.service": 3.3,
    "lunette-install.service": 4.4,
    "lunette-network-revert.service": 3.3,
    "lunette-network.service": 3.3,
    "lunette-root-password.service": 2.7,
    "lunette-spdk.service": 4.5,
    "lunette-trial.service": 3.7,
    "nvme-host-names.service": 2.2,
}
"""The agent makes devices and loads modules; lunette-exports has nothing that needs a mount namespace."""

CONSOLE = "the console becomes login(1), and root's shell would inherit its sandbox (docs/decisions/0043)"
WITHOUT = {"getty@tty1.service": CONSOLE, "serial-getty@.service": CONSOLE}
"""Units of Debian that a drop-in of ours makes run our program."""


def exposure(printed: str) -> float:
    """The figure in the last line of what `systemd-analyze security` prints of one unit."""
    return float(printed.strip().splitlines()[-1].split(": ", 1)[1].split()[0])
