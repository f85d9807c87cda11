"""Every word that can follow `lunette`, and the module that holds its commands: a new command begins with a line here.

A module has `COMMANDS`: for each word of its own a tuple of `Command`. The verbs of a noun have their names; a command
that is a word by itself has the name "". A module is imported when its word is used, so that none slows the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lunette.cli.spec import Command


class Group(NamedTuple):
    """One word after `lunette`: a noun with its verbs, or a command by itself."""

    word: str
    module: str
    purpose: str


GROUPS = (
    Group("status", "appliance", "Health in one sentence, and what the appliance holds."),
    Group("drift", "appliance", "Tells where the machine and the database differ."),
    Group("top", "top", "Shows what volumes and sessions do now, the busiest first."),
    Group("why", "site", "Tells where the way from a volume to its hosts is broken."),
    Group("disk", "disks", "Disks: what is there and what may be used."),
    Group("array", "arrays", "Arrays of disks: make them, look after them, exchange their disks."),
    Group("volume", "volumes", "Volumes: cut them from arrays, grow them, roll them back."),
    Group("deleted-volume", "volumes", "Deleted volumes: what can be recovered, and until when."),
    Group("snapshot", "volumes", "Snapshots of thin volumes, and clones of them."),
    Group("deleted-snapshot", "volumes", "Deleted snapshots: what can be recovered, and until when."),
    Group("schedule", "schedules", "Schedules: snapshots and scrubs by the clock."),
    Group("host", "hosts", "Hosts: who may use volumes, by which initiator names."),
    Group("host-group", "hosts", "Groups of hosts that share volumes."),
    Group("initiator", "hosts", "Initiators that were seen and belong to no host."),
    Group("mapping", "mappings", "Mappings: which volume is for which host."),
    Group("session", "mappings", "Sessions: which hosts are connected now."),
    Group("portal", "portals", "Portals: addresses at which hosts find their volumes."),
    Group("rdma-device", "portals", "RDMA devices, for iSER and NVMe/RDMA."),
    Group("fc-port", "portals", "Fibre Channel ports."),
    Group("interface", "interfaces", "Network interfaces: addresses, MTU, role; changes revert unless confirmed."),
    Group("firewall", "firewall", "The firewall: what is let in, and whether the kernel keeps to it."),
    Group("export", "site", "Writes everything by name as a site document, or for targetcli."),
    Group("plan", "site", "Shows what applying a site document would change."),
    Group("apply", "site", "Makes the appliance as a site document says."),
    Group("inspect", "site", "Tells what of a targetcli configuration Lunette could serve."),
    Group("foreign-array", "adopting", "Arrays that others made: look, start read-only, adopt."),
    Group("adopt", "adopting", "Takes over iSCSI targets and NVMe subsystems of others."),
    Group("schema", "site", "Prints the JSON Schema of site documents."),
    Group("job", "journal", "Jobs: what runs, what ran, what is stuck."),
    Group("event", "journal", "Events: what happened, and what happens now."),
    Group("alert", "journal", "Alerts: what a person must look at."),
    Group("engine", "disks", "Engines: what this appliance can do, and what it lacks."),
    Group("setting", "settings", "Settings of the appliance, and the test of its alerts."),
    Group("certificate", "certificate", "The certificate of web page and API: shown, replaced, had back."),
    Group("backup", "backups", "Writes a backup of database, secrets and certificate."),
    Group("restore", "backups", "Restores a backup, after showing what differs."),
    Group("support", "backups", "Writes a support bundle: logs, configuration and facts, without secrets."),
    Group("rebuild", "backups", "Rebuilds what a lost database knew from the data disks."),
    Group("restart", "power", "Restarts the appliance, after showing whom that interrupts."),
    Group("power-off", "power", "Switches the appliance off, after showing whom that interrupts."),
    Group("update", "updates", "Updates of the appliance's own system, in two slots."),
    Group("user", "people", "Users and their roles."),
    Group("token", "people", "API tokens for automation."),
    Group("login", "access", "Trusts an appliance, logs in, and remembers a token."),
    Group("logout", "access", "Deletes the remembered token and forgets the appliance."),
    Group("password", "access", "Changes your password."),
    Group("second-factor", "second_factor", "Sets up an authenticator app for your logins."),
    Group("whoami", "access", "Shows as whom commands act, and with which role."),
    Group("health", "appliance", "Asks whether the API answers; needs no login."),
    Group("completion", "completing", "Prints what makes bash or zsh complete commands and names."),
)
NAMES = {group.word: group for group in GROUPS}


def commands_of(word: str) -> "dict[str, Command]":
    """The commands of a word, by verb; a command by itself has the verb "". Raises KeyError for an unknown word."""
    module = import_module(f"lunette.cli.{NAMES[word].module}")
    found: tuple[Command, ...] = module.COMMANDS[word]
    return {command.name: command for command in found}
