"""How the desired state is divided between the export engines: pure."""

from lunette.domain.exports import ExportSet
from lunette.domain.mappings import ExportEngine, Family


def split(wish: ExportSet) -> tuple[ExportSet, ExportSet]:
    """What is to be served over each family; a volume that is mapped to nobody is looked at by the first."""
    scsi = {lun.volume_id for target in wish.targets for lun in target.luns}
    over_nvme = {lun.volume_id for subsystem in wish.subsystems for lun in subsystem.luns}
    return (
        wish.model_copy(
            update={
                "volumes": tuple(v for v in wish.volumes if v.volume_id in scsi or v.volume_id not in over_nvme),
                "portals": tuple(p for p in wish.portals if p.protocol.family is not Family.NVME),
                "subsystems": (),
            }
        ),
        wish.model_copy(
            update={
                "volumes": tuple(v for v in wish.volumes if v.volume_id in over_nvme),
                "portals": tuple(p for p in wish.portals if p.protocol.family is Family.NVME),
                "fc_ports": (),
                "targets": (),
            }
        ),
    )


def engine_of(wish: ExportSet) -> ExportEngine:
    """Portals of both are refused when they are made. Where there are some all the same, the kernel goes on."""
    engines = {portal.engine for portal in wish.portals if portal.protocol.family is Family.NVME}
    return ExportEngine.SPDK if engines == {ExportEngine.SPDK} else ExportEngine.NVMET
