/**
 * The event stream. An event carries no data for the screen: it only says which noun changed, and every cached
 * query tagged with that noun is fetched again (rule R8). EventSource repeats Last-Event-ID by itself.
 */
import { onlineManager } from '@tanstack/vue-query'
import type { QueryClient } from '@tanstack/vue-query'
import { ref, watch } from 'vue'
import { statusShow } from '@/api'
import { useConnection } from './connection'

export type LiveState = 'connecting' | 'live' | 'lost'

const RECONNECT_MS = 3_000
/** The server ends a stream every ten minutes; coming back in time is no news. */
const GRACE_MS = 6_000
/** Three heartbeats of the server. */
const SILENCE_MS = 15_000
const LOOK_EVERY_MS = 1_000
/** An attempt to get through that hangs, as in a network that was cut, is given up for a new one. */
const ATTEMPT_MS = 9_000
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
  appliance: ['settings'],
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
  const connection = useConnection()
  /** Of the stream alone: where only that is refused, the appliance answers all the same. */
  const state = ref<LiveState>('connecting')
  let source: EventSource | undefined
  let startedAt = 0
  let brokenAt: number | undefined
  let isProbing = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let gather: ReturnType<typeof setTimeout> | undefined
  let looking: ReturnType<typeof setInterval> | undefined
  let changed = new Set<string>()

  function flush(): void {
    gather = undefined
    const tags = changed
    changed = new Set()
    void invalidateTags(queries, tags)
  }

  function onEvent(message: MessageEvent<string>): void {
    connection.heard()
    for (const tag of tagsOf(message.data)) changed.add(tag)
    if (!changed.size) return
    gather ??= setTimeout(flush, GATHER_MS)
  }

  function onOpen(): void {
    brokenAt = undefined
    // Events may have been missed: everything on screen is asked for again.
    if (state.value === 'lost' && !connection.isLost) void queries.invalidateQueries()
    state.value = 'live'
    connection.heard()
  }

  function onError(): void {
    brokenAt ??= Date.now()
    if (source?.readyState !== EventSource.CLOSED) return
    clearTimeout(retry)
    retry = setTimeout(connect, RECONNECT_MS)
  }

  function connect(): void {
    clearTimeout(retry)
    source?.close()
    startedAt = Date.now()
    source = new EventSource('/api/v1/events/stream')
    source.addEventListener('open', onOpen)
    source.addEventListener('error', onError)
    source.addEventListener('message', onEvent)
    source.addEventListener('heartbeat', connection.heard)
  }

  /** Does the appliance respond although its stream does not? Responses to any request count (client.ts). */
  async function probe(): Promise<void> {
    if (isProbing) return
    isProbing = true
    await statusShow({ signal: AbortSignal.timeout(ATTEMPT_MS) }).catch(() => undefined)
    isProbing = false
  }

  function look(): void {
    const now = Date.now()
    const broken = brokenAt === undefined ? 0 : now - brokenAt
    if (broken >= GRACE_MS) state.value = 'lost'
    const silence = now - connection.heardAt
    if (silence >= SILENCE_MS || (broken >= GRACE_MS && silence >= GRACE_MS)) connection.lose()
    if (!connection.isLost && !broken) return
    if (connection.isLost && now - startedAt >= ATTEMPT_MS) connect()
    if (silence >= RECONNECT_MS) void probe()
  }

  /** Without a connection no requests are sent and pending ones are aborted; afterwards everything is requested again. */
  const unwatch = watch(
    () => connection.isLost,
    (isLost) => {
      onlineManager.setOnline(!isLost)
      if (isLost) void queries.cancelQueries()
      else void queries.invalidateQueries()
    },
    { flush: 'sync' },
  )

  function start(): void {
    connection.heard()
    connect()
    looking = setInterval(look, LOOK_EVERY_MS)
  }

  function stop(): void {
    source?.close()
    clearTimeout(retry)
    clearInterval(looking)
    unwatch()
    onlineManager.setOnline(true)
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
