/** Which volumes are shown: kept in the route. The same for the table and for picking all of it. */
import { computed } from 'vue'
import type { ResourceState } from '@/api'
import type { useListState } from '@/lists/listState'

export const STATES = [
  'ready',
  'creating',
  'changing',
  'deleting',
  'stuck',
] as const satisfies readonly ResourceState[]

export function useVolumeFilter(
  list: Pick<ReturnType<typeof useListState>, 'searched' | 'useFilter' | 'useText'>,
) {
  const array = list.useText('array')
  const host = list.useText('host')
  const hostGroup = list.useText('group')
  const state = list.useFilter('state', STATES)

  /** As the API takes it. */
  const query = computed(() => ({
    ...list.searched.value,
    ...(array.value && { array: array.value }),
    ...(host.value && { host: host.value }),
    ...(hostGroup.value && { host_group: hostGroup.value }),
    ...(state.value && { state: state.value }),
  }))

  return { array, host, hostGroup, state, query }
}

export type VolumeFilter = ReturnType<typeof useVolumeFilter>
