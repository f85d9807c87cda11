/** Jobs that are not finished, newest first; asked for often while there is one. */
import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import { jobListOptions } from '@/api/@tanstack/vue-query.gen'
import { OBSERVED_EVERY_MS, RUNNING_JOBS_EVERY_MS } from '@/server/queries'

/** More than this many at once would not be read anyway. */
const SHOWN = 20

export function useRunningJobs() {
  const { data } = useQuery({
    ...jobListOptions({ query: { limit: SHOWN, sort: '-created_at', state: ['pending', 'running'] } }),
    refetchInterval: (query) => (query.state.data?.items.length ? RUNNING_JOBS_EVERY_MS : OBSERVED_EVERY_MS),
  })
  return { jobs: computed(() => data.value?.items ?? []) }
}
