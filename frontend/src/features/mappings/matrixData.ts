/** What the matrix shows: owners as rows, volumes as columns, and which volume an owner sees under which number. */
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { ExportState, Family, Host, HostGroup, Mapping } from '@/api'
import { amendVolumes, everyHost, everyHostGroup, everyVolume } from '@/lists/everyRow'
import type { RelatedVolume } from '@/lists/everyRow'

/** A row of the matrix. Hosts and groups have names of their own, so the kind is part of the key. */
export interface Owner {
  key: string
  id: string
  name: string
  isGroup: boolean
  /** The group a host is in; it sees the group's volumes too. */
  group: string | null
  /** Has an NVMe name, so that a volume can go to it over NVMe. */
  hasNvme: boolean
}

export interface Cell {
  mappingId: string
  lun: number
  family: Family
  /** Whether the volume is served through this mapping. */
  state: ExportState
  /** The group through which a host has it, where it is not mapped to the host itself. */
  through?: string
}

/** By owner's key, then by the volume's id. */
export type Cells = Map<string, Map<string, Cell>>

export const hostKey = (name: string): string => `host:${name}`
export const groupKey = (name: string): string => `group:${name}`

export function cellsOf(volumes: readonly RelatedVolume[]): Cells {
  const cells: Cells = new Map()
  for (const volume of volumes)
    for (const owner of volume.mapped_to) {
      const key = owner.host !== null ? hostKey(owner.host) : groupKey(owner.host_group ?? '')
      const row = cells.get(key) ?? new Map<string, Cell>()
      row.set(volume.id, {
        mappingId: owner.mapping_id,
        lun: owner.lun,
        family: owner.family,
        state: owner.state,
      })
      cells.set(key, row)
    }
  return cells
}

/** What an owner sees of a volume: what is mapped to it, or else to its group. */
export function cellOf(cells: Cells, { key, group }: Owner, volumeId: string): Cell | undefined {
  const own = cells.get(key)?.get(volumeId)
  if (own || group === null) return own
  const shared = cells.get(groupKey(group))?.get(volumeId)
  return shared && { ...shared, through: group }
}

/** Groups first: they are few, and their volumes are the shared ones. */
export function ownersOf(hosts: readonly Host[], groups: readonly HostGroup[]): Owner[] {
  return [
    ...groups.map(({ id, name, hosts: members }) => ({
      key: groupKey(name),
      id,
      name,
      isGroup: true,
      group: null,
      hasNvme: hosts.some((host) => host.nqns.length && members.includes(host.name)),
    })),
    ...hosts.map(({ id, name, group, nqns }) => ({
      key: hostKey(name),
      id,
      name,
      isGroup: false,
      group,
      hasNvme: nqns.length > 0,
    })),
  ]
}

/** The volumes with a mapping the API has just answered: nobody waits for 10,000 rows to see one number. */
export function withMapping(volumes: readonly RelatedVolume[], made: Mapping): RelatedVolume[] {
  return volumes.map((volume) =>
    volume.id === made.volume_id && !volume.mapped_to.some(({ mapping_id }) => mapping_id === made.id)
      ? {
          ...volume,
          export: volume.export.state === 'none' ? { state: made.state, reason: made.reason } : volume.export,
          mapped_to: [
            ...volume.mapped_to,
            {
              mapping_id: made.id,
              host: made.host,
              host_group: made.host_group,
              family: made.family,
              lun: made.lun,
              state: made.state,
              reason: made.reason,
            },
          ],
        }
      : volume,
  )
}

export function useMatrix() {
  const queries = useQueryClient()
  const volumes = useQuery(everyVolume(queries))
  const hosts = useQuery(everyHost())
  const groups = useQuery(everyHostGroup())

  return {
    volumes: computed(() => volumes.data.value ?? []),
    owners: computed(() => ownersOf(hosts.data.value ?? [], groups.data.value ?? [])),
    cells: computed(() => cellsOf(volumes.data.value ?? [])),
    isLoading: computed(() => !volumes.data.value || !hosts.data.value || !groups.data.value),
    error: computed(() => volumes.error.value ?? hosts.error.value ?? groups.error.value ?? undefined),
    add: (made: Mapping) => amendVolumes(queries, (known) => withMapping(known, made)),
    retry: () => Promise.all([volumes.refetch(), hosts.refetch(), groups.refetch()]),
  }
}
