/** The shown part of the log: stored in the route, the same for the table and for the file. */
import { computed } from 'vue'
import type { EventOutcome } from '@/api'
import type { useListState } from '@/lists/listState'
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

/** Midnight of a day in the form of a date field, in the browser's time zone; `later` days after it. */
function midnight(day: string, later = 0): string | undefined {
  const [year, month, date] = day.split('-').map(Number)
  if (!year || !month || !date) return undefined
  const at = new Date(year, month - 1, date + later)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

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
    ...(midnight(from.value) && { since: midnight(from.value) }),
    ...(midnight(to.value, 1) && { until: midnight(to.value, 1) }),
  }))

  return { noun, outcome, who, actor, from, to, set: list.setFilter, query }
}

export type EventFilter = ReturnType<typeof useEventFilter>
