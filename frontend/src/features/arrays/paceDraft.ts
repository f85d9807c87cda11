/** The typed rebuild speed, in MiB per second and disk, and the body of its request. */
import type { ArrayPatch, StorageArray } from '@/api'

const MIB = 2 ** 20

export interface PaceDraft {
  min: string
  max: string
}

const typed = (bytes: number | null): string => (bytes === null ? '' : String(bytes / MIB))
/** Null restores the kernel's default. Text that is not a number is sent as it is: the API explains what is wrong. */
const bytes = (text: string): number | null => (text.trim() ? Math.round(Number(text) * MIB) : null)

export const paceOf = (array: StorageArray): PaceDraft => ({
  min: typed(array.sync_speed_min_bytes_s),
  max: typed(array.sync_speed_max_bytes_s),
})

export const paceBody = (draft: PaceDraft): ArrayPatch => ({
  sync_speed_min_bytes_s: bytes(draft.min),
  sync_speed_max_bytes_s: bytes(draft.max),
})
