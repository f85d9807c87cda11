"""Why a volume is missing on a host."""

from typing import Annotated

from fastapi import Query

from lunette.api.declare import refusals, router
from lunette.api.lookup import Reference
from lunette.api.parts import UsedParts
from lunette.domain.why import VolumeWhy

routes = router("/volumes", "volumes")
_Host = Annotated[str | None, Query(max_length=63, description="Only the way to this host, by id or name.")]


@routes.get("/{volume}:why", operation_id="volume_why", response_model=VolumeWhy, responses=refusals(404))
def volume_why(volume: Reference, parts: UsedParts, host: _Host = None) -> VolumeWhy:
    """The way from the disks to each host of a volume, with the first broken link in words."""
    return parts.control.why(volume, host)
