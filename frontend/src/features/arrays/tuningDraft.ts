/** The typed tuning of an array, and the body of its request. Empty is automatic. */
import type { ArrayPatch, ArrayTuningValue, Scheduler, StorageArray } from '@/api'

export const TUNING = ['group_thread_cnt', 'stripe_cache_size', 'skip_copy', 'scheduler'] as const
export type TuningDraft = Record<ArrayTuningValue['name'], string>

export const tuningOf = (array: StorageArray): TuningDraft => ({
  group_thread_cnt: typed(array.group_thread_cnt),
  stripe_cache_size: typed(array.stripe_cache_size),
  skip_copy: array.skip_copy === null ? '' : String(Number(array.skip_copy)),
  scheduler: array.scheduler ?? '',
})

/** Only values that the array has: the API refuses those of other levels. Text that is not a number is sent as it is. */
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
