/** The tuning of an array as it is typed, and the body it becomes. Empty is automatic. */
import type { ArrayPatch, ArrayTuningValue, Scheduler, StorageArray } from '@/api'

export const TUNING = ['group_thread_cnt', 'stripe_cache_size', 'skip_copy', 'scheduler'] as const
export type TuningDraft = Record<ArrayTuningValue['name'], string>

export const tuningOf = (array: StorageArray): TuningDraft => ({
  group_thread_cnt: typed(array.group_thread_cnt),
  stripe_cache_size: typed(array.stripe_cache_size),
  skip_copy: array.skip_copy === null ? '' : String(Number(array.skip_copy)),
  scheduler: array.scheduler ?? '',
})

/** Only what the array has: of another level the API refuses it. What is no number goes on as it is. */
export function tuningBody(draft: TuningDraft, array: StorageArray): ArrayPatch {
  const whole: ArrayPatch = {
    group_thread_cnt: number(draft.group_thread_cnt),
    stripe_cache_size: number(draft.stripe_cache_size),
    skip_copy: draft.skip_copy ? draft.skip_copy === '1' : null,
    scheduler: draft.scheduler ? (draft.scheduler as Scheduler) : null,
  }
  return Object.fromEntries(array.tuning.map(({ name }) => [name, whole[name]]))
}

const typed = (value: number | null): string => (value === null ? '' : String(value))
const number = (text: string): number | null => (text.trim() ? Number(text) : null)
