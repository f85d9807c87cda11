/** What the topology is made of: the lists of the API, kept current by its events. */
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import { sessionListOptions } from '@/api/@tanstack/vue-query.gen'
import { arraysQuery } from '@/features/arrays/arraysQuery'
import { LONGEST_PAGE } from '@/lists/everyPage'
import { everyDisk, everyHost, everyHostGroup, everyVolume } from '@/lists/everyRow'
import { SESSIONS_EVERY_MS } from '@/server/queries'
import { mappingsOf } from './relatedMappings'
import { buildGraph } from './topologyBuild'

export function useTopology() {
  const queries = useQueryClient()
  const disks = useQuery(everyDisk())
  const arrays = useQuery(arraysQuery())
  const volumes = useQuery(everyVolume(queries))
  const hosts = useQuery(everyHost())
  const groups = useQuery(everyHostGroup())
  const sessions = useQuery({
    ...sessionListOptions({ query: { limit: LONGEST_PAGE } }),
    refetchInterval: SESSIONS_EVERY_MS,
  })
  const all = [disks, arrays, volumes, hosts, groups]
  const isLoading = computed(() => [...all, sessions].some((one) => one.isPending.value))

  return {
    isLoading,
    error: computed(() => all.find((one) => one.error.value)?.error.value),
    retry: () => Promise.all([...all, sessions].map((one) => one.refetch())),
    graph: computed(() =>
      isLoading.value
        ? undefined
        : buildGraph({
            disks: disks.data.value ?? [],
            arrays: arrays.data.value?.items ?? [],
            volumes: volumes.data.value ?? [],
            mappings: mappingsOf(volumes.data.value ?? [], hosts.data.value ?? [], groups.data.value ?? []),
            hosts: hosts.data.value ?? [],
            groups: groups.data.value ?? [],
            // More than a page of sessions is not all of them: what is not in it is then not known.
            sessions: sessions.data.value?.next_cursor === null ? sessions.data.value.items : undefined,
            unseen: sessions.data.value?.unseen.map(({ family }) => family) ?? [],
          }),
    ),
  }
}
