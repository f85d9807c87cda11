"""Layouts that are possible with given disks, as the machine is now."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.layouts import Layouts
from lunette.domain.observations import Observation
from lunette.planner.arrays.layouts import plan_layouts
from lunette.store.resources import Array, ArrayDisk


def layouts(tx: Session, seen: Observation, disks: Sequence[str], block_bytes: int) -> Layouts:
    """Every level of every engine with these disks. Raises Invalid for disks that do not exist."""
    owners = dict(tx.execute(select(ArrayDisk.disk_id, Array.name).join(Array)).all())
    return plan_layouts(disks, block_bytes, seen, owners)
