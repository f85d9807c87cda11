"""The kit of a Proxmox VE host: that of Linux, and what Proxmox adds to it."""

from dataclasses import replace

from lunette.planner.kits import linux
from lunette.planner.kits.facts import KitFacts
from lunette.planner.kits.parts import Parts

_NOTES = (
    "Apply the kit on every node, each with that of its own host.",
    (
        "Then make a volume group on the device in /dev/mapper and add it under Datacenter, Storage, LVM, shared "
        "(Proxmox wiki, Multipath). Do not add the target under Storage, iSCSI as well: Proxmox would log in its "
        "own way."
    ),
)


def build(facts: KitFacts) -> Parts:
    """As for Linux."""
    parts = linux.build(facts)
    return replace(parts, notes=(*parts.notes, *_NOTES)) if parts.files else parts
