/** Readable numbers, sizes and times. Sizes have two systems, which never mix on one screen. */

import { ref } from 'vue'

export type SizeSystem = 'binary' | 'decimal'

const UNITS: Record<SizeSystem, { base: number; names: string[] }> = {
  binary: { base: 1024, names: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] },
  decimal: { base: 1000, names: ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] },
}

const MAX_DIGITS = 3

/** Formatters are costly to make, and a table shows hundreds of figures: each is made once. */
const FIGURES = [0, 1, 2].map(
  (maximumFractionDigits) => new Intl.NumberFormat('en', { maximumFractionDigits }),
)
const COUNTS = new Intl.NumberFormat('en')
const AGES = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const moments = new Map<string, Intl.DateTimeFormat>()

/** Three significant digits: `7.28 TiB`, `512 MiB`, `0 B`. */
export function formatBytes(bytes: number, system: SizeSystem): string {
  const { base, names } = UNITS[system]
  let value = Math.abs(bytes)
  let unit = 0
  // 1023.7 would round to "1,024 KiB": step up as soon as the rounded figure reaches the base.
  while (unit < names.length - 1 && Number(value.toPrecision(4)) >= base) {
    value /= base
    unit += 1
  }
  const whole = Math.trunc(value).toString().length
  const digits = unit === 0 ? 0 : Math.max(0, MAX_DIGITS - whole)
  return `${bytes < 0 ? '−' : ''}${FIGURES[digits]?.format(value)} ${names[unit]}`
}

export function formatCount(value: number): string {
  return COUNTS.format(value)
}

export function formatPercent(part: number, whole: number): string {
  if (whole <= 0) return '0 %'
  const percent = (part / whole) * 100
  if (percent > 0 && percent < 1) return '<1 %'
  // 99.6 % must not be shown as full.
  return `${percent < 100 ? Math.min(99, Math.round(percent)) : 100} %`
}

const SPANS: [seconds: number, name: Intl.RelativeTimeFormatUnit][] = [
  [86400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

/** "3 minutes ago"; under a minute is "now". */
export function formatAge(iso: string, now: number): string {
  const seconds = (now - Date.parse(iso)) / 1000
  const span = SPANS.find(([length]) => seconds >= length)
  return span ? AGES.format(-Math.floor(seconds / span[0]), span[1]) : 'just now'
}

/** The time zone in which times are shown; that of the browser if it is not set. */
export const shownZone = ref<string>()

const DAY_MS = 86_400_000

function inZone(style: Intl.DateTimeFormatOptions, timeZone = shownZone.value): Intl.DateTimeFormat {
  const key = JSON.stringify([timeZone, style])
  const made = moments.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone, ...style })
  moments.set(key, made)
  return made
}

/** "25 Nov 2026, 14:03:09 CET". */
export function formatMoment(iso: string): string {
  const style = {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  } as const
  return inZone(style).format(new Date(iso))
}

/** "25 Nov 2026, 14:03:09 CET" and, on a line of its own, "2026-11-25T13:03:09Z": for a tooltip. */
export const formatExactly = (iso: string): string => `${formatMoment(iso)}\n${iso}`

/** "14:03:09"; short "14:03". */
export function formatClock(at: string | number, timeStyle: 'medium' | 'short' = 'medium'): string {
  return inZone({ timeStyle }).format(new Date(at))
}

/** "22 Nov 2026, 03:00" in a zone that is named beside it, such as the one in which a schedule runs. */
export function formatMinute(iso: string, timeZone: string): string {
  return inZone({ dateStyle: 'medium', timeStyle: 'short' }, timeZone).format(new Date(iso))
}

/** "25 Nov 2026" of a day that is the same in every zone: "2026-11-25". */
export function formatDay(day: string): string {
  return inZone({ dateStyle: 'medium' }, 'UTC').format(new Date(day))
}

/** "25 Nov", or "14:00" within a day. */
export function formatTick(at: number, isDay: boolean): string {
  return inZone(isDay ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' }).format(
    at,
  )
}

/** How far the clocks of the shown zone are ahead of UTC at a time. */
export function zoneAheadMs(at: number): number {
  const parts = inZone({ timeZoneName: 'longOffset' }).formatToParts(at)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes] = /([+-])(\d+):(\d+)/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
}

/** The beginning of a day, "2026-11-25", in the shown zone, or of the one `later` days after it. */
export function startOfDay(day: string, later = 0): string | undefined {
  const utc = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) + later * DAY_MS : NaN
  if (Number.isNaN(utc)) return undefined
  // Clocks may change between midnight there and midnight in UTC.
  return new Date(utc - zoneAheadMs(utc - zoneAheadMs(utc))).toISOString()
}

/** "0.4 s", "12 s", "3 min 20 s", "2 h 5 min". */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, Math.round(seconds * 10) / 10)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

/** One unit, rounded down: "15 h", "3 d". For estimates, which are minimums. */
export function formatRoughly(seconds: number): string {
  if (seconds < 60) return formatDuration(seconds)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}
