"""Volumes of ZFS pools: the pure half, as one record."""

from lunette.domain.observations import Part
from lunette.domain.volumes import VolumeEngine
from lunette.providers.volumes.planning import VolumePlanning
from lunette.providers.volumes.zvol import plan

PLANNING = VolumePlanning(
    engine=VolumeEngine.ZVOL,
    cutting=plan,
    parts=(Part.ZFS, Part.DISKS),
    carries_sealed_copy=False,
    growing=plan,
    snapshotting=plan,
    snapshotting_together=plan,
)
