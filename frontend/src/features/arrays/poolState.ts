/** How full a thin pool is, as one tone, and the thresholds at which the appliance acts (see docs/howto/volumes.md). */
import type { Tone } from '@/ui/tone'

export const POOL_MARKS = [
  { percent: 70, what: 'grows' },
  { percent: 75, what: 'warns' },
  { percent: 95, what: 'critical' },
] as const

export function poolTone(used: number | null, size: number): Tone {
  if (used === null || size <= 0) return 'quiet'
  const percent = (used / size) * 100
  if (percent >= 95) return 'bad'
  return percent >= 75 ? 'warn' : 'good'
}
