import type { ArrayListResponse } from '@/api'
import { arrayListOptions } from '@/api/@tanstack/vue-query.gen'
import { OBSERVED_EVERY_MS, RUNNING_JOBS_EVERY_MS } from '@/server/queries'

/** An appliance has few arrays: one page holds them all. Polled faster while the kernel works on one. */
const ALL = 200

const isWorking = (page: ArrayListResponse | undefined): boolean =>
  page?.items.some((array) => array.observed?.progress) ?? false

export function arraysQuery() {
  return {
    ...arrayListOptions({ query: { limit: ALL, sort: 'name' } }),
    refetchInterval: (query: { state: { data?: ArrayListResponse } }) =>
      isWorking(query.state.data) ? RUNNING_JOBS_EVERY_MS : OBSERVED_EVERY_MS,
  }
}
