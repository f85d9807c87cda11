"""Every word that can follow `lunette`, and the module with its commands: a new command begins with a line here.

A module has `COMMANDS`: for each word of its own a tuple of `Command`. The verbs of a noun have their names; a command
without a verb has the name "". A module is imported when its word is used, so that none slows the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lunette.cli.spec import Command


class Group(NamedTuple):
    """One word after `lunette`: a noun with its verbs, or a command without a verb."""

    word: str
    module: str
    purpose: str


GROUPS = (
    Group("status", "appliance", "Shows the health of the appliance and its resources."),
    Group("drift", "appliance", "Shows the differences between desired and observed state."),
    Group("search", "appliance", "Searches all objects by name, address or identifier."),
    Group("top", "top", "Shows the current performance of volumes and sessions."),
    Group("performance", "top", "Shows the performance history of a resource."),
    Group("why", "site", "Explains why a volume is missing on its hosts."),
    Group("disk", "disks", "Disks: show their health, locate and wipe them."),
    Group("array", "arrays", "Arrays: create, grow and scrub them, replace their disks."),
    Group("volume", "volumes", "Volumes: create, grow, roll back and delete them."),
    Group("deleted-volume", "volumes", "Deleted volumes: recover or erase them."),
    Group("snapshot", "volumes", "Snapshots of volumes: create, clone and delete them."),
    Group("deleted-snapshot", "volumes", "Deleted snapshots: recover or erase them."),
    Group("schedule", "schedules", "Schedules of snapshots and scrubs."),
    Group("host", "hosts", "Hosts: their initiators, credentials, setup kits and paths."),
    Group("host-group", "hosts", "Host groups, whose hosts share volumes."),
    Group("initiator", "hosts", "Initiators that belong to no host."),
    Group("mapping", "mappings", "Mappings: access of hosts and host groups to volumes."),
    Group("session", "mappings", "Sessions: initiators that are logged in now."),
    Group("portal", "portals", "Portals: addresses and ports on which volumes are served."),
    Group("rdma-device", "portals", "RDMA devices, for iSER and NVMe/RDMA."),
    Group("fc-port", "portals", "Fibre Channel ports of the appliance."),
    Group("interface", "interfaces", "Network interfaces. Changes are reverted unless confirmed."),
    Group("firewall", "firewall", "State of the firewall and its open ports."),
    Group("export", "site", "Exports the appliance as a site document, or for targetcli."),
    Group("plan", "site", "Shows what applying a site document would change."),
    Group("apply", "site", "Applies a site document."),
    Group("inspect", "site", "Inspects a targetcli configuration."),
    Group("foreign-array", "adopting", "Arrays of other systems: inspect and adopt them."),
    Group("adopt", "adopting", "Adopts running iSCSI targets and NVMe subsystems."),
    Group("schema", "site", "Prints the JSON Schema of site documents."),
    Group("job", "journal", "Jobs: show, follow and resolve them."),
    Group("event", "journal", "Events: list, follow, export and undo them."),
    Group("alert", "journal", "Alerts: acknowledge, silence and reopen them."),
    Group("engine", "disks", "Array, volume and export engines, with their capabilities."),
    Group("setting", "settings", "Settings of the appliance, and a test of its alert channels and backups."),
    Group("certificate", "certificate", "Certificate of the web page and the API."),
    Group("backup", "backups", "Writes a backup of the configuration to a file."),
    Group("restore", "backups", "Restores the configuration from a backup."),
    Group("support", "backups", "Writes a support bundle to a file, without secrets."),
    Group("rebuild", "backups", "Rebuilds the configuration from the data disks."),
    Group("restart", "power", "Restarts the appliance."),
    Group("power-off", "power", "Shuts down the appliance."),
    Group("update", "updates", "Updates of the appliance, in two system slots."),
    Group("user", "accounts", "Users and their roles."),
    Group("token", "accounts", "API tokens for automation."),
    Group("login", "access", "Logs in to an appliance and stores an API token."),
    Group("logout", "access", "Deletes the stored API token and forgets the appliance."),
    Group("password", "access", "Changes your password."),
    Group("second-factor", "second_factor", "Sets up or removes the second factor of your logins."),
    Group("whoami", "access", "Shows the current user and role."),
    Group("health", "appliance", "Checks that the API responds, without a login."),
    Group("completion", "completing", "Prints the completion script for bash or zsh."),
)
NAMES = {group.word: group for group in GROUPS}


def commands_of(word: str) -> "dict[str, Command]":
    """The commands of a word, by verb; a command without a verb has "". Raises KeyError for an unknown word."""
    name = NAMES[word].module
    module = import_module(f"lunette.cli.{name}" if name == "completing" else f"lunette.cli.commands.{name}")
    found: tuple[Command, ...] = module.COMMANDS[word]
    return {command.name: command for command in found}
