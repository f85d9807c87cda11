/** What the matrix shows: owners as rows, volumes as columns, and which volume an owner sees under which number. */
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import { hostGroupList, hostList, volumeList } from '@/api'
import type { Host, HostGroup, Mapping, Volume } from '@/api'
import { everyPage } from '@/app/everyPage'
import { OBSERVED_EVERY_MS } from '@/app/queries'

/** A row of the matrix. Hosts and groups have names of their own, so the kind is part of the key. */
export interface Owner {
  key: string
  id: string
  name: string
  isGroup: boolean
  /** The group a host is in; it sees the group's volumes too. */
  group: string | null
}

export interface Cell {
  mappingId: string
  lun: number
}

/** By owner's key, then by the volume's id. */
export type Cells = Map<string, Map<string, Cell>>

export const hostKey = (name: string): string => `host:${name}`
export const groupKey = (name: string): string => `group:${name}`

export function cellsOf(volumes: readonly Volume[]): Cells {
  const cells: Cells = new Map()
  for (const volume of volumes)
    for (const owner of volume.mapped_to) {
      const key = owner.host !== null ? hostKey(owner.host) : groupKey(owner.host_group ?? '')
      const row = cells.get(key) ?? new Map<string, Cell>()
      row.set(volume.id, { mappingId: owner.mapping_id, lun: owner.lun })
      cells.set(key, row)
    }
  return cells
}

/** Groups first: they are few, and their volumes are the shared ones. */
export function ownersOf(hosts: readonly Host[], groups: readonly HostGroup[]): Owner[] {
  return [
    ...groups.map(({ id, name }) => ({ key: groupKey(name), id, name, isGroup: true, group: null })),
    ...hosts.map(({ id, name, group }) => ({ key: hostKey(name), id, name, isGroup: false, group })),
  ]
}

/** The volumes with a mapping the API has just answered: nobody waits for 10,000 rows to see one number. */
export function withMapping(volumes: readonly Volume[], made: Mapping): Volume[] {
  return volumes.map((volume) =>
    volume.id === made.volume_id && !volume.mapped_to.some(({ mapping_id }) => mapping_id === made.id)
      ? {
          ...volume,
          mapped_to: [
            ...volume.mapped_to,
            { mapping_id: made.id, host: made.host, host_group: made.host_group, lun: made.lun },
          ],
        }
      : volume,
  )
}

const VOLUMES_KEY = [{ _id: 'volumeEvery', tags: ['volumes', 'mappings'] }]

export function useMatrix() {
  const queries = useQueryClient()
  const volumes = useQuery({
    queryKey: VOLUMES_KEY,
    queryFn: ({ signal }) =>
      everyPage(
        (query) => volumeList({ query: { ...query, sort: 'name' }, signal, throwOnError: true }),
        // The first thousand stand on the screen while the rest is on its way; later rounds replace all at once.
        (soFar) =>
          queries.setQueryData(VOLUMES_KEY, (known: Volume[] | undefined) =>
            known && known.length > soFar.length ? known : soFar,
          ),
      ),
    refetchInterval: (query) => ((query.state.data?.length ?? 0) > 1000 ? false : OBSERVED_EVERY_MS),
    structuralSharing: false,
  })
  const hosts = useQuery({
    queryKey: [{ _id: 'hostEvery', tags: ['hosts'] }],
    queryFn: ({ signal }) =>
      everyPage((query) => hostList({ query: { ...query, sort: 'name' }, signal, throwOnError: true })),
  })
  const groups = useQuery({
    queryKey: [{ _id: 'hostGroupEvery', tags: ['host groups'] }],
    queryFn: ({ signal }) =>
      everyPage((query) => hostGroupList({ query: { ...query, sort: 'name' }, signal, throwOnError: true })),
  })

  return {
    volumes: computed(() => volumes.data.value ?? []),
    owners: computed(() => ownersOf(hosts.data.value ?? [], groups.data.value ?? [])),
    cells: computed(() => cellsOf(volumes.data.value ?? [])),
    isLoading: computed(() => !volumes.data.value || !hosts.data.value || !groups.data.value),
    error: computed(() => volumes.error.value ?? hosts.error.value ?? groups.error.value ?? undefined),
    add: (made: Mapping) =>
      queries.setQueryData(VOLUMES_KEY, (known: Volume[] | undefined) => known && withMapping(known, made)),
    retry: () => Promise.all([volumes.refetch(), hosts.refetch(), groups.refetch()]),
  }
}
