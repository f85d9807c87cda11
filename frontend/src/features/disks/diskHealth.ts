/** The health of a disk as tones and words. */
import type { DiskHealth, DiskHealthValues, DiskSelfTest } from '@/api'
import { formatBytes, formatCount } from '@/ui/format'
import type { SizeSystem } from '@/ui/format'
import type { Tone } from '@/ui/tone'

const TONES: Record<DiskHealth['state'], Tone> = {
  ok: 'good',
  warning: 'warn',
  failing: 'bad',
  unknown: 'quiet',
}

export const healthTone = (health: DiskHealth): Tone => TONES[health.state]

/** The reason for the health, for a tooltip. */
export const healthWords = (health: DiskHealth): string | null =>
  health.reasons.map(({ message }) => message).join(' ') || health.problem

export type HealthUnit = 'celsius' | 'percent' | 'hours'

const UNITS: Partial<Record<keyof DiskHealthValues, HealthUnit>> = {
  temperature_c: 'celsius',
  temperature_warning_c: 'celsius',
  temperature_critical_c: 'celsius',
  available_spare_percent: 'percent',
  available_spare_threshold_percent: 'percent',
  used_percent: 'percent',
  power_on_hours: 'hours',
}

export interface HealthFigure {
  name: keyof DiskHealthValues
  figure: string
  unit?: HealthUnit
}

/** The values that the drive reports, in the order of the API; others are omitted. */
export function healthFigures(values: DiskHealthValues, sizes: SizeSystem): HealthFigure[] {
  const found: HealthFigure[] = []
  for (const [key, value] of Object.entries(values)) {
    const name = key as keyof DiskHealthValues
    if (value === null) continue
    const unit = UNITS[name]
    const figure = name === 'written_bytes' ? formatBytes(Number(value), sizes) : formatCount(Number(value))
    found.push({ name, figure, ...(unit && { unit }) })
  }
  return found
}

const RESULTS: Record<DiskSelfTest['result'], Tone> = { passed: 'good', failed: 'bad', aborted: 'quiet' }
const MOST_TESTS = 6

/** The newest self-tests with their tones. */
export const selfTests = (health: DiskHealth | null | undefined) =>
  (health?.self_tests?.log ?? [])
    .slice(0, MOST_TESTS)
    .map((test) => ({ ...test, tone: RESULTS[test.result], words: test.words || test.result }))
