"""Layouts that are possible with given disks, compared before an array is created."""

from typing import Annotated

from fastapi import Query

from lunette.api.openapi.responses import refusals, router
from lunette.api.requests.services import UsedServices
from lunette.domain.arrays import DiskId
from lunette.domain.layouts import Layouts
from lunette.domain.volumes import BLOCK_BYTES
from lunette.engine.reads.layouts import layouts

routes = router("/layouts", "arrays")
Disks = Annotated[
    list[DiskId], Query(min_length=1, max_length=256, description="ID of a disk; repeat the parameter for each disk.")
]
BlockBytes = Annotated[int, Query(description="Block size of volumes on ZFS, in bytes, for which figures are given.")]


@routes.get("", operation_id="layout_list", response_model=Layouts, responses=refusals())
def layout_list(disks: Disks, services: UsedServices, block_bytes: BlockBytes = BLOCK_BYTES) -> Layouts:
    """Compares the levels of all array engines for a set of disks.

    For each level, the answer gives the usable space, the disk failures survived and the cost of a small write. Disks
    that are in use or need a wipe are included, with the problem of each disk.
    """
    seen = services.control.observation()
    with services.store.read() as tx:
        return layouts(tx, seen, disks, block_bytes)
