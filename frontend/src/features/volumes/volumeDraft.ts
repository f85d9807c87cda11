/** What the volume form holds, the names it comes to, and the request it becomes. */
import { volumeCreate, volumeCreateBatch } from '@/api'
import type { Provisioning, VolumeBatch, VolumeCreate } from '@/api'
import type { Change } from '@/changes/change'
import { isName } from '@/ui/names'

/** LVM's extent: the API refuses a size that is no multiple of it. */
const EXTENT = 4 * 2 ** 20

export const UNITS = { MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const
export type Unit = keyof typeof UNITS

export interface VolumeDraft {
  isBatch: boolean
  name: string
  pattern: string
  first: number
  count: number
  size: number
  unit: Unit
  array: string
  provisioning: Provisioning
  description: string
}

/** Whole extents, rounded down: nobody gets more than was asked for. */
export const sizeOf = ({ size, unit }: Pick<VolumeDraft, 'size' | 'unit'>): number =>
  Math.floor((Number(size) * UNITS[unit]) / EXTENT) * EXTENT

/** The largest size with which `count` volumes fit into `free` bytes. */
export const share = (free: number, count: number): number => Math.floor(free / count / EXTENT) * EXTENT

/** A size in the largest unit that shows it exactly enough. */
export function inUnits(bytes: number): { size: number; unit: Unit } {
  const unit: Unit = bytes >= 10 * UNITS.TiB ? 'TiB' : bytes >= 10 * UNITS.GiB ? 'GiB' : 'MiB'
  // Rounded down, so that what filled the array still fits.
  return { size: Math.floor((bytes / UNITS[unit]) * 100) / 100, unit }
}

const PLACE = /%(?:0([1-9]))?d/

/** `lun%02d` and 7 is `lun07`, as the API expands it (domain/volumes.py). */
export const nameAt = (pattern: string, number: number): string =>
  pattern.replace(PLACE, (_all, width?: string) => String(number).padStart(Number(width ?? 0), '0'))

export const hasPlace = (pattern: string): boolean => PLACE.test(pattern)

/** The first names and the last; null stands for those between. */
export function namesOf(draft: VolumeDraft, shown: number): (string | null)[] {
  if (!draft.isBatch) return draft.name.trim() ? [draft.name.trim()] : []
  if (!hasPlace(draft.pattern) || draft.count < 1) return []
  const at = (index: number): string => nameAt(draft.pattern, draft.first + index)
  const all = (count: number): string[] => Array.from({ length: count }, (_, index) => at(index))
  if (draft.count <= shown) return all(draft.count)
  return [...all(shown - 2), null, at(draft.count - 1)]
}

export type VolumeSpec = { one: VolumeCreate } | { many: VolumeBatch }

/** Undefined while there is not enough to ask the API about. */
export function specOf(draft: VolumeDraft): VolumeSpec | undefined {
  const common = {
    array: draft.array,
    size_bytes: sizeOf(draft),
    provisioning: draft.provisioning,
    description: draft.description.trim(),
  }
  if (!common.array || !(common.size_bytes > 0)) return undefined
  if (!draft.isBatch) return isName(draft.name) ? { one: { ...common, name: draft.name.trim() } } : undefined
  if (!draft.pattern.trim() || !(draft.count >= 1)) return undefined
  return { many: { ...common, name_pattern: draft.pattern.trim(), count: draft.count, first: draft.first } }
}

export const changeOf = (spec: VolumeSpec): Change => ({
  noun: 'volume',
  send: (call) =>
    'one' in spec
      ? volumeCreate({ body: spec.one, ...call })
      : volumeCreateBatch({ body: spec.many, ...call }),
})
