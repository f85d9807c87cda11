"""The rows of adopted subsystems. NQN, serial, namespace IDs, UUIDs, NGUIDs and keys stay unchanged."""

from collections import Counter
from uuid import UUID

from lunette.domain.adopting import ForeignNamespace, ForeignSubsystem
from lunette.domain.hosts import InitiatorKind
from lunette.domain.mappings import ExportEngine, Family
from lunette.planner.adopting.nvme import NO_ID, NvmeJudge
from lunette.planner.adopting.nvme_ports import PROTOCOLS
from lunette.planner.adopting.rows import Maker, NewMapping, NewPortal, NewTarget, NewVolume


class NvmeRows:
    """Adds the rows of subsystems to those of a maker."""

    def __init__(self, maker: Maker, judge: NvmeJudge) -> None:
        self._maker, self._judge, self._rows = maker, judge, maker.rows
        self._volumes: dict[tuple[str | None, str | None], NewVolume] = {}
        uses = Counter((space.group, space.lv_name) for one in judge.adopted for space in one.namespaces)
        self._shared = {volume for volume, times in uses.items() if times > 1}

    def take(self, one: ForeignSubsystem) -> None:
        """Adds a subsystem with everything in it, and its ports."""
        maker = self._maker
        hosts = [
            maker.host(InitiatorKind.NQN, nqn, _tail(nqn), dhchap=self._judge.dhchap(nqn)) for nqn in sorted(one.hosts)
        ]
        host_id, host_group_id = maker.owner(_tail(one.nqn), hosts)
        iqn = maker.ids.target_iqn(maker.facts.appliance_id)
        self._rows.targets.append(
            NewTarget(maker.ids.id(), iqn, one.nqn, 1, host_id, host_group_id, subsystem=one.kept)
        )
        for space in one.namespaces:
            volume = self._volume(space)
            self._rows.mappings.append(
                NewMapping(
                    maker.ids.id(),
                    volume.id,
                    host_id,
                    host_group_id,
                    space.number,
                    (space.group, space.lv_name) in self._shared,
                    Family.NVME,
                )
            )
        for name in one.ports:
            self._portal(name)

    def _volume(self, space: ForeignNamespace) -> NewVolume:
        key = (space.group, space.lv_name)
        if key not in self._volumes:
            ids = self._maker.ids
            group = self._judge.foreign.group(space.group)
            found = group.volume(space.lv_name or "") if group else None
            if group is None or found is None:
                raise AssertionError(f"{space.device} was judged to be a logical volume")
            shown = {"uuid": space.uuid}
            if UUID(space.nguid) != NO_ID:
                shown["nguid"] = UUID(space.nguid).hex
            self._volumes[key] = NewVolume(
                ids.id(),
                self._maker.name("volume", found.name),
                self._maker.array(group),
                group.name,
                found.name,
                found.size_bytes,
                ids.volume().model_copy(update=shown),
                None,
                without_nguid="nguid" not in shown,
            )
            self._rows.volumes.append(self._volumes[key])
        return self._volumes[key]

    def _portal(self, name: str) -> None:
        port = self._judge.targets.ports[name]
        if port.is_ours or any(row.folder == name for row in self._rows.portals):
            return
        protocol = PROTOCOLS[port.transport]
        self._rows.portals.append(
            NewPortal(
                self._maker.ids.id(),
                self._maker.name("portal", f"{protocol.value}-{port.address}-{port.service}"),
                port.address,
                int(port.service),
                protocol,
                ExportEngine.NVMET,
                name,
            )
        )


def _tail(nqn: str) -> str:
    """The name of the host or group for this NQN."""
    return nqn.rpartition(":")[2]
