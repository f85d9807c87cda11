"""Portals of a site document that exchange places, which no change in place can do."""

from collections.abc import Mapping

from lunette.domain.mappings import PortalCreate
from lunette.planner.access.portals import KnownPortal, overlap


def taken_over(wanted: Mapping[str, PortalCreate], present: Mapping[str, PortalCreate]) -> dict[str, str]:
    """Which portals leave a place that the document gives to another portal, with the key of that portal.

    A portal that is moved listens at its old place until the new one is open (decision 0068). The other portal would
    be refused there, so a portal that leaves such a place is deleted and created again.
    """
    found = {}
    for key, before in present.items():
        if key not in wanted or _place(wanted[key]) == _place(before):
            continue
        held = KnownPortal(id="", name=key, protocol=before.protocol, address=before.address, port=before.wanted_port)
        for other, entry in wanted.items():
            if other != key and overlap(entry, held):
                found[key] = other
    return found


def _place(portal: PortalCreate) -> tuple[str, int]:
    return portal.address, portal.wanted_port
