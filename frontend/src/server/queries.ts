/** How fresh server data is kept. Events invalidate at once; the intervals cover what the machine does unasked. */
import { QueryClient } from '@tanstack/vue-query'

/** Observed state (disks, arrays, sessions) changes without a commit in the database, hence without an event. */
export const OBSERVED_EVERY_MS = 10_000
/** While a change of the network runs out, and the way to the appliance may have changed. */
export const TRIAL_EVERY_MS = 2_000
export const SESSIONS_EVERY_MS = 5_000
export const PERFORMANCE_EVERY_MS = 5_000
export const RUNNING_JOBS_EVERY_MS = 2_000
/** A job somebody waits for in a dialog. */
export const FOLLOWED_JOB_EVERY_MS = 1_000

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A refusal (4xx) will be refused again; only an API that is restarting is worth a second try.
        retry: (count, error) => count < 2 && !('status' in error && Number(error.status) < 500),
        refetchOnWindowFocus: true,
      },
    },
  })
}
