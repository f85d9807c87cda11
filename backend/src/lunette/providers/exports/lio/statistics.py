"""What LIO has counted of each initiator that is logged in, volume by volume.

    <portal group>/acls/<initiator>/lun_<n>/statistics/scsi_auth_intr/{num_cmds,read_mbytes,write_mbytes}

These count every command as it arrives, whatever the fabric (transport_lookup_cmd_lun and target_core_stat.c,
Linux 6.12); bytes are shown in whole MiB. A session's own counters are exact to the byte and of no use: rxdata_octs
leaves out data that comes with the command (iscsi_target.c), which is most of what is written, and iSER counts none.
"""

from collections.abc import Collection, Iterator, Sequence

from lunette.domain.counters import LunCounters, SessionCounters
from lunette.domain.exports import ExportSet, ExportTarget
from lunette.domain.mappings import Protocol
from lunette.domain.sizes import MIB
from lunette.providers.exports.lio import fc, fc_tree
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.lio.sessions import parse_info
from lunette.providers.exports.lio.tree import portal_group
from lunette.system.system_port import System

_NUMBERS = ("num_cmds", "read_mbytes", "write_mbytes")


def read(system: System, served: ExportSet) -> tuple[SessionCounters, ...]:
    """Counters of all logged-in initiators. The exports determine the files: nothing is searched."""
    files = LioConfigfs(system)
    over_iscsi = (session for target in served.targets for session in _over_iscsi(files, target))
    return (*over_iscsi, *_over_fc(files, served))


def lun_counters(files: LioConfigfs, mapped_lun: str) -> LunCounters | None:
    """The counters of one mapped LUN; None if it does not exist, or its kernel shows none."""
    shown = [files.read(f"{mapped_lun}/statistics/scsi_auth_intr/{name}") for name in _NUMBERS]
    if not all(text.isdigit() for text in shown):
        return None
    commands, read_mib, write_mib = (int(text) for text in shown)
    return LunCounters(commands=commands, read_bytes=read_mib * MIB, write_bytes=write_mib * MIB)


def _over_iscsi(files: LioConfigfs, target: ExportTarget) -> Iterator[SessionCounters]:
    for initiator in target.initiators:
        acl = f"{portal_group(target)}/acls/{initiator.iqn}"
        reported = parse_info(files.read(f"{acl}/info"))
        if reported is not None:
            yield SessionCounters(
                target=target.iqn,
                initiator=initiator.iqn,
                protocol=reported.protocol,
                volumes=_by_volume(files, acl, (target,)),
            )


def _over_fc(files: LioConfigfs, served: ExportSet) -> Iterator[SessionCounters]:
    owners: dict[str, list[ExportTarget]] = {}
    for target in served.targets:
        for initiator in target.fc_initiators:
            owners.setdefault(initiator.wwpn, []).append(target)
    colliding = fc_tree.collisions(served.targets)
    for port in fc.own_ports(files) if served.fc_ports else ():
        for wwpn, targets in owners.items():
            acl = f"{port}/tpgt_1/acls/{wwpn}"
            if fc.is_logged_in(files, acl):
                yield SessionCounters(
                    target=port.rpartition("/")[2],
                    initiator=wwpn,
                    protocol=Protocol.FC,
                    volumes=_by_volume(files, acl, targets, colliding.get(wwpn, set())),
                )


def _by_volume(
    files: LioConfigfs, acl: str, targets: Sequence[ExportTarget], uncertain: Collection[int] = ()
) -> dict[str, LunCounters]:
    """`uncertain` are LUNs that two volumes claim: their counters cannot be attributed."""
    luns = [lun for target in targets for lun in target.luns if lun.lun not in uncertain]
    found = {lun.volume_id: lun_counters(files, f"{acl}/lun_{lun.lun}") for lun in luns}
    return {volume_id: counters for volume_id, counters in found.items() if counters is not None}
