/** What can be mapped and to whom, found by name: the first that match, for the dialog that maps one volume. */
import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { Ref } from 'vue'
import { hostGroupListOptions, hostListOptions, volumeListOptions } from '@/api/@tanstack/vue-query.gen'
import type { Host, HostGroup, Volume } from '@/api'

const OFFERED = 30

const asked = (search: string) => ({
  limit: OFFERED,
  sort: 'name' as const,
  ...(search && { name: `*${search}*` }),
})

/** The volumes whose names match, and how many there are. */
export function useVolumeChoices(search: Ref<string>, isWanted: () => boolean) {
  const { data } = useQuery(
    computed(() => ({ ...volumeListOptions({ query: asked(search.value) }), enabled: isWanted() })),
  )
  return {
    volumes: computed<readonly Volume[]>(() => data.value?.items ?? []),
    total: computed(() => data.value?.total ?? 0),
  }
}

/** The hosts and groups whose names match, hosts first, and how many there are. */
export function useOwnerChoices(search: Ref<string>, isWanted: () => boolean) {
  const hosts = useQuery(
    computed(() => ({ ...hostListOptions({ query: asked(search.value) }), enabled: isWanted() })),
  )
  const groups = useQuery(
    computed(() => ({ ...hostGroupListOptions({ query: asked(search.value) }), enabled: isWanted() })),
  )
  return {
    hosts: computed<readonly Host[]>(() => hosts.data.value?.items ?? []),
    groups: computed<readonly HostGroup[]>(() => groups.data.value?.items ?? []),
    total: computed(() => (hosts.data.value?.total ?? 0) + (groups.data.value?.total ?? 0)),
  }
}
