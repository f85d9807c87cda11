/** The plan for the present content of a form, requested whenever typing pauses. It changes nothing on the appliance. */
import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { refDebounced } from '@vueuse/core'
import { computed } from 'vue'
import type { Ref } from 'vue'
import { planOf } from './change'
import type { Change } from './change'

const PAUSE_MS = 350

/**
 * `body` is undefined while there is nothing to plan yet; `change` creates the request from it. Once `isSent`, the plan
 * remains as it was: what the change itself creates must not be reported as a conflict.
 */
export function useLivePlan<Body extends object>(
  body: Ref<Body | undefined>,
  change: (body: Body) => Change,
  isSent: () => boolean = () => false,
) {
  // Compared as text: an equal body that was computed again is no new request.
  const text = computed<string>((before) =>
    isSent() ? (before ?? '') : body.value ? JSON.stringify(body.value) : '',
  )
  const settled = refDebounced(text, PAUSE_MS)
  const query = useQuery(
    computed(() => ({
      queryKey: [{ _id: 'plan', body: settled.value }],
      queryFn: () => planOf(change(JSON.parse(settled.value) as Body)),
      enabled: settled.value !== '' && !isSent(),
      placeholderData: keepPreviousData,
      retry: false,
      gcTime: 0,
      refetchOnWindowFocus: false,
      staleTime: 0,
    })),
  )
  const isAsked = computed(() => text.value !== '')

  return {
    plan: computed(() => (isAsked.value && !query.error.value ? query.data.value?.plan : undefined)),
    source: computed(() => query.data.value?.source),
    error: computed(() => (isAsked.value ? (query.error.value ?? undefined) : undefined)),
    /** The shown plan is older than the form. */
    isBusy: computed(() => isAsked.value && (query.isFetching.value || settled.value !== text.value)),
  }
}
