"""Why a volume is missing on a host."""

from typing import Annotated

from fastapi import Query

from lunette.api.openapi.responses import refusals, router
from lunette.api.requests.lookup import Reference
from lunette.api.requests.services import UsedServices
from lunette.domain.why import VolumeWhy

routes = router("/volumes", "volumes")
_Host = Annotated[str | None, Query(max_length=63, description="Only the paths to this host, by ID or name.")]


@routes.get("/{volume}:why", operation_id="volume_why", response_model=VolumeWhy, responses=refusals(404))
def volume_why(volume: Reference, services: UsedServices, host: _Host = None) -> VolumeWhy:
    """Explains why a volume is missing on its hosts.

    The answer follows the way from the disks to each host of the volume and describes the first broken link.
    """
    return services.control.why(volume, host)
