/** Where the lines and labels of a TimeChart are. */
import { formatTick, zoneAheadMs } from './format'

export interface ChartLine {
  key: string
  label: string
  /** Class of the text colour. */
  colour: string
  mean: (number | null)[]
  max: (number | null)[]
}

const WIDTH = 1000
const HEIGHT = 100
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MINUTE_MS = 60_000
const TICKS = 6
const EVERY_MS = [10 * MINUTE_MS, 4 * HOUR_MS, 2 * DAY_MS, 5 * DAY_MS]
/** A label is centred below its time, and must not leave the chart. */
const EDGE = 0.04

/** The end of an axis from 0: at least `most`, and a figure that is halved well. */
export function niceTop(most: number, base: number): number {
  if (most <= 0) return 1
  const unit = base === 10 ? 1 : base ** Math.max(0, Math.floor(Math.log(most) / Math.log(base)))
  const power = 10 ** Math.floor(Math.log10(most / unit))
  const share = most / unit / power
  return ([1, 2, 4, 5, 10].find((step) => share <= step) ?? 10) * power * unit
}

/** The line through the intervals, broken where one was not measured; a single one is a dot. */
export function pathOf(values: (number | null)[], top: number): string {
  let isDown = false
  return values
    .map((value, index) => {
      const wasDown = isDown
      isDown = value !== null
      if (value === null) return ''
      const x = ((index + 0.5) / values.length) * WIDTH
      const y = HEIGHT - (value / top) * HEIGHT
      const place = `${x.toFixed(1)} ${y.toFixed(1)}`
      const isAlone = !wasDown && (values[index + 1] ?? null) === null
      return wasDown ? `L${place}` : isAlone ? `M${place}h0.1` : `M${place}`
    })
    .join('')
}

/** Labels of the time axis at round times of the shown zone: hours within a day, days over more. */
export function timeTicks(times: number[], stepMs: number): { share: number; words: string }[] {
  const first = times[0]
  if (first === undefined) return []
  const spanMs = times.length * stepMs
  const isDays = spanMs > 2 * DAY_MS
  const everyMs = EVERY_MS.find((every) => spanMs / every <= TICKS) ?? spanMs
  const aheadMs = zoneAheadMs(first)
  const begin = Math.ceil((first + aheadMs) / everyMs) * everyMs - aheadMs
  const ticks = []
  for (let at = begin; at < first + spanMs; at += everyMs) {
    const share = (at - first) / spanMs
    if (share >= EDGE && share <= 1 - EDGE) ticks.push({ share, words: formatTick(at, isDays) })
  }
  return ticks
}
