/** The days of a drive's history as courses of single values. */
import type { DiskDay, DiskHealthValues } from '@/api'
import { healthFigures } from './diskHealth'
import type { SizeSystem } from '@/ui/format'
import type { HealthFigure } from './diskHealth'

/** Values that show how a drive ages; the temperature is the highest of each day. */
const NAMES = [
  'temperature_c',
  'used_percent',
  'available_spare_percent',
  'media_errors',
  'reallocated_sectors',
  'pending_sectors',
  'uncorrectable_sectors',
  'grown_defects',
  'interface_errors',
] as const
type Name = (typeof NAMES)[number]

export const DAY_MS = 86_400_000

export interface Course {
  name: Name
  /** The value of the newest day. */
  now: HealthFigure
  /** How much it changed from the oldest day to the newest. */
  change: number
  /** The highest of all days. */
  most: number
  points: { at: number; value: number | null }[]
}

const valueOf = (day: DiskDay, name: Name): number | null =>
  name === 'temperature_c' ? day.hottest_c : day.values[name]

/** `days` are the newest first, as the API returns them. Only days of the present drive count. */
export function coursesOf(days: readonly DiskDay[], sizes: SizeSystem): Course[] {
  const newest = days[0]
  if (!newest) return []
  const own = days.filter(({ serial }) => serial === newest.serial).reverse()
  return NAMES.flatMap((name) => {
    const points = own.map((day) => ({ at: Date.parse(day.day), value: valueOf(day, name) }))
    const known = points.flatMap(({ value }) => (value === null ? [] : [value]))
    const [first, last] = [known[0], known.at(-1)]
    if (first === undefined || last === undefined) return []
    const [now] = healthFigures({ [name]: last } as Partial<DiskHealthValues> as DiskHealthValues, sizes)
    return now ? [{ name, now, change: last - first, most: Math.max(...known), points }] : []
  })
}
