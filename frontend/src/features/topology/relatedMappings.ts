/** The mappings of the topology come with the volumes, so that they are not sent twice. */
import type { Host, HostGroup } from '@/api'
import type { RelatedVolume } from '@/lists/everyRow'
import type { RelatedMapping } from './topologyGraph'

/** The mappings of these volumes, with the names of the targets of their owners. */
export function mappingsOf(
  volumes: readonly RelatedVolume[],
  hosts: readonly Host[],
  groups: readonly HostGroup[],
): RelatedMapping[] {
  const ofHost = new Map(hosts.map((host) => [host.name, host]))
  const ofGroup = new Map(groups.map((group) => [group.name, group]))
  return volumes.flatMap((volume) =>
    volume.mapped_to.map(({ mapping_id: id, ...mapping }) => {
      const owner = mapping.host === null ? ofGroup.get(mapping.host_group ?? '') : ofHost.get(mapping.host)
      const isNvme = mapping.family === 'nvme'
      return {
        ...mapping,
        id,
        volume: volume.name,
        volume_id: volume.id,
        target_iqn: isNvme ? null : (owner?.target_iqn ?? null),
        subsystem_nqn: isNvme ? (owner?.subsystem_nqn ?? null) : null,
      }
    }),
  )
}
