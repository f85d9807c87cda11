/** Readable numbers, sizes and times. Sizes have two systems, which never mix on one screen. */

export type SizeSystem = 'binary' | 'decimal'

const UNITS: Record<SizeSystem, { base: number; names: string[] }> = {
  binary: { base: 1024, names: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] },
  decimal: { base: 1000, names: ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] },
}

const MAX_DIGITS = 3

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
  const text = new Intl.NumberFormat('en', { maximumFractionDigits: digits }).format(value)
  return `${bytes < 0 ? '−' : ''}${text} ${names[unit]}`
}

export function formatCount(value: number): string {
  return new Intl.NumberFormat('en').format(value)
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
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
  const span = SPANS.find(([length]) => seconds >= length)
  return span ? words.format(-Math.floor(seconds / span[0]), span[1]) : 'just now'
}

/** "25 Nov 2026, 14:03:09 CET": in the browser's time zone, which it names: schedules run in the appliance's. */
export function formatMoment(iso: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(iso))
}

/** "14:03:09"; short "14:03". */
export function formatClock(at: string | number, timeStyle: 'medium' | 'short' = 'medium'): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle }).format(new Date(at))
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
