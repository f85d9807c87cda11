"""How the desired state is divided between the export engines: pure."""

from lunette.domain.exports import ExportSet
from lunette.domain.mappings import ExportEngine, Family


def scsi(wanted: ExportSet) -> ExportSet:
    """Objects served over SCSI, with unmapped volumes: LIO reports on those."""
    mapped = {lun.volume_id for target in wanted.targets for lun in target.luns}
    over_nvme = {lun.volume_id for subsystem in wanted.subsystems for lun in subsystem.luns}
    return wanted.model_copy(
        update={
            "volumes": tuple(v for v in wanted.volumes if v.volume_id in mapped or v.volume_id not in over_nvme),
            "portals": tuple(p for p in wanted.portals if p.protocol.family is not Family.NVME),
            "subsystems": (),
        }
    )


def nvme(wanted: ExportSet, engine: ExportEngine) -> ExportSet:
    """Objects served over NVMe if this engine is in charge of it; otherwise none."""
    in_charge = engine_of(wanted) is engine
    mapped = {lun.volume_id for subsystem in wanted.subsystems for lun in subsystem.luns}
    return wanted.model_copy(
        update={
            "volumes": tuple(v for v in wanted.volumes if in_charge and v.volume_id in mapped),
            "portals": tuple(p for p in wanted.portals if in_charge and p.protocol.family is Family.NVME),
            "subsystems": wanted.subsystems if in_charge else (),
            "fc_ports": (),
            "targets": (),
        }
    )


def engine_of(wanted: ExportSet) -> ExportEngine:
    """The engine in charge of NVMe: SPDK if all NVMe portals are its own, otherwise nvmet.

    A mixture is refused when portals are created. If it exists all the same, the kernel's target serves.
    """
    engines = {portal.engine for portal in wanted.portals if portal.protocol.family is Family.NVME}
    return ExportEngine.SPDK if engines == {ExportEngine.SPDK} else ExportEngine.NVMET
