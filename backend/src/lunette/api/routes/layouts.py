"""What could be built of given disks, asked before an array is made."""

from typing import Annotated

from fastapi import Query

from lunette.api.declare import refusals, router
from lunette.api.parts import UsedParts
from lunette.domain.arrays import DiskId
from lunette.domain.layouts import Layouts
from lunette.domain.volumes import BLOCK_BYTES
from lunette.engine.layouts import layouts

routes = router("/arrays/layouts", "arrays")
Disks = Annotated[list[DiskId], Query(min_length=1, max_length=256, description="Disk id; repeat for each disk.")]
BlockBytes = Annotated[int, Query(description="Block size of volumes that ZFS figures are for, in bytes.")]


@routes.get("", operation_id="layout_list", response_model=Layouts, responses=refusals())
def layout_list(disks: Disks, parts: UsedParts, block_bytes: BlockBytes = BLOCK_BYTES) -> Layouts:
    """Every level of every engine with these disks: usable space, failures survived, cost of a small write."""
    seen = parts.control.observation()
    with parts.store.read() as tx:
        return layouts(tx, seen, disks, block_bytes)
