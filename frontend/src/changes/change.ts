/**
 * A change as the API requires it: planned before it is made, bound to what was read (ETag), and sent
 * under one key, so that a retry after a broken connection never applies it twice.
 */
import { useQueryClient } from '@tanstack/vue-query'
import { ref, shallowRef, watch } from 'vue'
import type { Job, Plan } from '@/api'
import { useConnection } from '@/server/connection'
import { invalidateTags, tagsFor } from '@/server/live'
import { sentOf } from '@/server/sent'
import type { Sent } from '@/server/sent'
import type { Blocker } from '@/ui/problems'
import type { CascadeWords } from './cascade'

/** What this layer adds to a call of the generated client. */
export interface Call {
  /** `confirm` names the volumes in use that may be removed; only given if the plan has such. */
  query: { dry_run: boolean; confirm?: string[] }
  headers: { 'Idempotency-Key'?: string; 'If-Match'?: string }
  signal?: AbortSignal
  throwOnError: true
}

export interface Change {
  /** Noun of the events of such a change; every list that shows it is fetched again. */
  noun: string
  /** Reads what is changed; its ETag is sent, so that changes of other users are not overwritten. */
  read?: () => Promise<{ data?: unknown; response?: Response }>
  send: (call: Call) => Promise<{ data?: unknown; request?: Request; response?: Response }>
  /** The same change together with what prevents it, such as the mappings of a volume that is deleted. */
  cascade?: Change
  /** Which of these objects the cascade includes, where it differs from a deletion. */
  cascadeWords?: (blockers: readonly Blocker[]) => CascadeWords | undefined
}

/** What became of a change: the resource, a job or nothing, and the event by which it can be undone. */
export interface Made {
  data: unknown
  event?: number
}

/** A deletion, and the same one with what prevents it: `cascade` is then part of its query. */
export function deletionOf(
  noun: string,
  read: NonNullable<Change['read']>,
  send: (call: Call, cascade: { cascade?: boolean }) => ReturnType<Change['send']>,
): Change {
  const cascade: Change = { noun, read, send: (call) => send(call, { cascade: true }) }
  return { noun, read, send: (call) => send(call, {}), cascade }
}

/** The request whose plan is shown, and what it changes as it was read. */
export interface Source {
  sent: Sent
  before: unknown
}

export type Phase = 'idle' | 'planning' | 'planned' | 'sending' | 'sent'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export const isPlan = (value: unknown): value is Plan =>
  isRecord(value) && Array.isArray(value['changes']) && Array.isArray(value['hosts_interrupted'])

export const isJob = (value: unknown): value is Job =>
  isRecord(value) && typeof value['steps_total'] === 'number' && typeof value['progress_percent'] === 'number'

/** What cannot be undone needs more than a click. */
export const isIrreversible = (plan: Plan): boolean =>
  plan.steps.some((step) => step.irreversible) ||
  // What is forgotten needs no step on the machine, but is lost as well.
  plan.changes.some(({ action, noun }) => action === 'destroy' && noun === 'array')

async function readFor(change: Change): Promise<{ etag?: string; before: unknown }> {
  const read = await change.read?.()
  return { etag: read?.response?.headers.get('ETag') ?? undefined, before: read?.data }
}

function sourceOf(request: Request | undefined, before: unknown): Source | undefined {
  const sent = sentOf(request)
  return sent && { sent, before }
}

function call(
  isRehearsal: boolean,
  key: string,
  etag: string | undefined,
  rest: { confirm?: string[]; signal?: AbortSignal } = {},
): Call {
  const { confirm = [], signal } = rest
  return {
    signal,
    query: { dry_run: isRehearsal, ...(confirm.length && { confirm }) },
    headers: { 'Idempotency-Key': key, ...(etag && { 'If-Match': etag }) },
    throwOnError: true,
  }
}

/** The plan of a change without a dialog, for a form to show while it is being filled in. */
export async function planOf(change: Change): Promise<{ plan: Plan; source: Source | undefined }> {
  const { etag, before } = await readFor(change)
  const { data, request } = await change.send(call(true, crypto.randomUUID(), etag))
  if (!isPlan(data)) throw new Error('The API answered a dry run with something that is no plan.')
  return { plan: data, source: sourceOf(request, before) }
}

export function useChange() {
  const queries = useQueryClient()
  const phase = ref<Phase>('idle')
  const plan = shallowRef<Plan>()
  const source = shallowRef<Source>()
  const error = shallowRef<unknown>()
  let key = ''
  let etag: string | undefined
  /** Increases with every start, so that the response to an abandoned request is dropped. */
  let turn = 0
  /** Ends what hangs when the appliance no longer answers; under its key it is safely sent again. */
  let hanging = new AbortController()
  const connection = useConnection()
  watch(
    () => connection.isLost,
    (isLost) => {
      if (isLost) hanging.abort()
      hanging = new AbortController()
    },
    { flush: 'sync' },
  )

  function reset(): void {
    turn += 1
    phase.value = 'idle'
    plan.value = undefined
    error.value = undefined
  }

  /** Requests the plan; true if there is one. */
  async function rehearse(change: Change): Promise<boolean> {
    reset()
    const own = turn
    phase.value = 'planning'
    try {
      key = crypto.randomUUID()
      const read = await readFor(change)
      etag = read.etag
      const { data, request } = await change.send(call(true, key, etag, { signal: hanging.signal }))
      if (own !== turn) return false
      source.value = sourceOf(request, read.before)
      plan.value = isPlan(data) ? data : undefined
      phase.value = 'planned'
      return true
    } catch (caught) {
      if (own === turn) fail(caught, 'idle')
      return false
    }
  }

  /** Makes the change that was planned. The answer is the resource, a job, or nothing after a delete. */
  async function run(change: Change, confirm: string[] = []): Promise<Made | undefined> {
    const own = turn
    phase.value = 'sending'
    error.value = undefined
    try {
      const { data, response } = await change.send(
        call(false, key, etag, { confirm, signal: hanging.signal }),
      )
      if (own === turn) phase.value = 'sent'
      return { data, event: Number(response?.headers.get('Lunette-Event') ?? undefined) || undefined }
    } catch (caught) {
      if (own === turn) fail(caught, 'planned')
      return undefined
    } finally {
      void invalidateTags(queries, new Set(tagsFor(change.noun)))
    }
  }

  /** Makes a change whose plan was shown beside its form. */
  async function runAtOnce(change: Change, confirm: string[] = []): Promise<Made | undefined> {
    reset()
    key = crypto.randomUUID()
    try {
      etag = (await readFor(change)).etag
    } catch (caught) {
      fail(caught, 'idle')
      return undefined
    }
    return run(change, confirm)
  }

  function fail(caught: unknown, back: Phase): void {
    error.value = caught ?? new Error('no answer')
    phase.value = back
  }

  return { phase, plan, source, error, reset, rehearse, run, runAtOnce }
}
