/** The shown part of the log: stored in the route, the same for the table and for the file. */
import { computed } from 'vue'
import type { EventOutcome } from '@/api'
import type { useListState } from '@/lists/listState'
import { startOfDay } from '@/ui/format'
import type { Tone } from '@/ui/tone'

/** Nouns that events are about. */
export const NOUNS = [
  'array',
  'disk',
  'volume',
  'snapshot',
  'host',
  'host_group',
  'portal',
  'mapping',
  'export',
  'fc_port',
  'interface',
  'schedule',
  'setting',
  'site',
  'appliance',
  'certificate',
  'job',
  'user',
  'token',
  'alert',
] as const
export const OUTCOMES = ['begun', 'done', 'failed'] as const satisfies readonly EventOutcome[]
const PEOPLE = ['people'] as const

export const OUTCOME_TONES: Record<EventOutcome, Tone> = { begun: 'busy', done: 'quiet', failed: 'bad' }

export function useEventFilter(list: ReturnType<typeof useListState>) {
  const noun = list.useFilter('noun', NOUNS)
  const outcome = list.useFilter('outcome', OUTCOMES)
  const who = list.useFilter('who', PEOPLE)
  const actor = list.useText('by')
  const from = list.useText('from')
  const to = list.useText('to')

  /** In the form of the API, for the list and for the file. */
  const query = computed(() => ({
    ...(noun.value && { noun: noun.value }),
    ...(outcome.value && { outcome: outcome.value }),
    ...(who.value && { people: true }),
    ...(actor.value && { actor: /[*?]/.test(actor.value) ? actor.value : `*${actor.value}*` }),
    ...(list.search.value && { text: list.search.value }),
    ...(startOfDay(from.value) && { since: startOfDay(from.value) }),
    ...(startOfDay(to.value, 1) && { until: startOfDay(to.value, 1) }),
  }))

  return { noun, outcome, who, actor, from, to, set: list.setFilter, query }
}

export type EventFilter = ReturnType<typeof useEventFilter>
