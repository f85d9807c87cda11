"""Volumes of LVM: the pure half, as one record."""

from lunette.domain.observations import Part
from lunette.domain.volumes import VolumeEngine
from lunette.providers.volumes.lvm import plan
from lunette.providers.volumes.planning import VolumePlanning

PLANNING = VolumePlanning(
    engine=VolumeEngine.LVM,
    cutting=plan,
    parts=(Part.LVM,),
    carries_sealed_copy=True,
    growing=plan,
    snapshotting=plan,
    thin_pooling=plan,
)
