"""The kit of a Proxmox VE host: the kit of Linux, with additions for Proxmox."""

from dataclasses import replace

from lunette.planner.kits import linux
from lunette.planner.kits.facts import KitFacts
from lunette.planner.kits.parts import KitParts

_NOTES = (
    "On every node, apply the kit of the host that represents the node.",
    (
        "Then create a volume group on the device in /dev/mapper and add it under Datacenter, Storage, LVM, shared "
        "(Proxmox wiki, Multipath). Do not add the target under Storage, iSCSI as well: Proxmox would log in with its "
        "own settings."
    ),
)


def build(facts: KitFacts) -> KitParts:
    """As for Linux."""
    parts = linux.build(facts)
    return replace(parts, notes=(*parts.notes, *_NOTES)) if parts.files else parts
