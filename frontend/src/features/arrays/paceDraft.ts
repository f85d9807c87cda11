/** The pace of a resync as it is typed, in MiB per second and disk, and the body it becomes. */
import type { ArrayPatch, StorageArray } from '@/api'

const MIB = 2 ** 20

export interface PaceDraft {
  min: string
  max: string
}

const typed = (bytes: number | null): string => (bytes === null ? '' : String(bytes / MIB))
/** Null hands the pace back to the kernel. What is no number goes on as it is: the API says what is wrong with it. */
const bytes = (text: string): number | null => (text.trim() ? Math.round(Number(text) * MIB) : null)

export const paceOf = (array: StorageArray): PaceDraft => ({
  min: typed(array.sync_speed_min_bytes_s),
  max: typed(array.sync_speed_max_bytes_s),
})

export const paceBody = (draft: PaceDraft): ArrayPatch => ({
  sync_speed_min_bytes_s: bytes(draft.min),
  sync_speed_max_bytes_s: bytes(draft.max),
})
