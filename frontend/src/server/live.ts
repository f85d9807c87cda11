/**
 * The event stream. An event carries no data for the screen: it only says which noun changed, and every cached
 * query tagged with that noun is fetched again (rule R8). EventSource repeats Last-Event-ID by itself.
 */
import type { QueryClient } from '@tanstack/vue-query'
import { ref } from 'vue'

export type LiveState = 'connecting' | 'live' | 'lost'

const RECONNECT_MS = 3_000
/** The server ends a stream every ten minutes; coming back in time is no news. */
const GRACE_MS = 6_000
/** A batch of 32 volumes is 32 events and one refetch. */
const GATHER_MS = 250

/** Query tags are the API's nouns in the plural; a change may show on pages of other nouns too. */
const TOUCHES: Record<string, string[]> = {
  array: ['arrays', 'disks', 'volumes', 'foreign arrays'],
  disk: ['disks', 'arrays'],
  volume: ['volumes', 'arrays', 'mappings', 'snapshots'],
  snapshot: ['snapshots', 'volumes', 'arrays'],
  mapping: ['mappings', 'volumes', 'hosts', 'host groups', 'sessions'],
  host: ['hosts', 'sessions'],
  host_group: ['host groups', 'hosts', 'mappings'],
  portal: ['portals', 'sessions', 'mappings', 'interfaces'],
  setting: ['settings', 'interfaces'],
  interface: ['interfaces', 'portals'],
  fc_port: ['fc-ports', 'sessions', 'mappings', 'hosts'],
  certificate: ['certificate'],
  system: ['updates'],
  user: ['users', 'logins'],
  job: ['jobs', 'arrays', 'volumes'],
}

const PROGRESS = ['jobs', 'events'] as const

export function tagsFor(noun: string): string[] {
  return [...(TOUCHES[noun] ?? [`${noun}s`]), 'events', 'status']
}

export function invalidateTags(queries: QueryClient, tags: ReadonlySet<string>): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey }) => {
      const key = queryKey[0] as { tags?: readonly string[] } | undefined
      return key?.tags?.some((tag) => tags.has(tag)) ?? false
    },
  })
}

export function useLive(queries: QueryClient) {
  const state = ref<LiveState>('connecting')
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let gather: ReturnType<typeof setTimeout> | undefined
  let grace: ReturnType<typeof setTimeout> | undefined
  let changed = new Set<string>()

  function flush(): void {
    gather = undefined
    const tags = changed
    changed = new Set()
    void invalidateTags(queries, tags)
  }

  function onEvent(message: MessageEvent<string>): void {
    for (const tag of tagsOf(message.data)) changed.add(tag)
    if (!changed.size) return
    gather ??= setTimeout(flush, GATHER_MS)
  }

  function onOpen(): void {
    clearTimeout(grace)
    grace = undefined
    // After a real outage the appliance may be another one: everything on screen is asked for again.
    if (state.value === 'lost') void queries.invalidateQueries()
    state.value = 'live'
  }

  function onError(): void {
    grace ??= setTimeout(() => (state.value = 'lost'), GRACE_MS)
    if (source?.readyState !== EventSource.CLOSED) return
    retry = setTimeout(start, RECONNECT_MS)
  }

  function start(): void {
    source?.close()
    source = new EventSource('/api/v1/events/stream')
    source.addEventListener('open', onOpen)
    source.addEventListener('error', onError)
    source.addEventListener('message', onEvent)
  }

  function stop(): void {
    source?.close()
    clearTimeout(retry)
    clearTimeout(grace)
  }

  return { state, start, stop }
}

function tagsOf(data: string): readonly string[] {
  try {
    const event: unknown = JSON.parse(data)
    if (typeof event !== 'object' || event === null || !('noun' in event)) return []
    if (typeof event.noun !== 'string') return []
    // A step of a job shows on the job; what it makes is told when the job ends.
    return 'kind' in event && event.kind === 'job.progress' ? PROGRESS : tagsFor(event.noun)
  } catch {
    return []
  }
}
