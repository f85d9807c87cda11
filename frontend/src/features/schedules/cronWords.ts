/** The usual cron expressions in words; any other stays as it is. */
import { useI18n } from 'vue-i18n'

const NUMBER = /^\d{1,2}$/
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const NIGHT_ENDS = 6

export interface CronWords {
  key:
    | 'minutely'
    | 'minutes'
    | 'hourly'
    | 'pastHour'
    | 'hours'
    | 'night'
    | 'day'
    | 'weekdays'
    | 'weekends'
    | 'on'
    | 'monthly'
  /** An interval, a minute, or the day of a month. */
  count?: number
  /** "03:00", or several. */
  times?: string[]
  /** 0 is Sunday. */
  days?: number[]
}

const isStar = (...fields: (string | undefined)[]): boolean => fields.every((field) => field === '*')

/** Numbers of a list such as `6,18`; undefined for anything else. */
function numbersOf(field: string, most: number): number[] | undefined {
  const numbers = field.split(',').map((one) => (NUMBER.test(one) ? Number(one) : NaN))
  return numbers.every((one) => one <= most) ? numbers : undefined
}

function stepOf(field: string, whole: number): number | undefined {
  const step = Number(/^\*\/(\d{1,2})$/.exec(field)?.[1])
  return step > 1 && whole % step === 0 ? step : undefined
}

/** Days of the week of `MON-FRI`, `1-5`, `SAT,SUN` or `7`. */
function daysOf(field: string): number[] | undefined {
  const found: number[] = []
  for (const part of field.toUpperCase().split(',')) {
    const ends = part.split('-').map((one) => (/^[0-7]$/.test(one) ? Number(one) : DAYS.indexOf(one)))
    const [first = -1, last = first] = ends
    if (ends.length > 2 || first < 0 || last < first) return undefined
    for (let day = first; day <= last; day += 1) found.push(day % 7)
  }
  return [...new Set(found)].sort((one, other) => one - other)
}

export function cronWords(when: string): CronWords | undefined {
  const fields = when.trim().split(/\s+/)
  const [minute = '', hour = '', date = '', month = '', day = ''] = fields
  if (fields.length !== 5 || month !== '*') return undefined
  if (isStar(hour, date, day)) {
    const step = stepOf(minute, 60)
    if (step) return { key: 'minutes', count: step }
    if (minute === '*') return { key: 'minutely' }
  }
  const [past, ...more] = numbersOf(minute, 59) ?? []
  if (past === undefined || more.length) return undefined
  if (isStar(date, day)) {
    if (hour === '*') return past ? { key: 'pastHour', count: past } : { key: 'hourly' }
    const step = stepOf(hour, 24)
    if (step && past === 0) return { key: 'hours', count: step }
  }
  const hours = numbersOf(hour, 23)
  return hours && daily(hours, past, date, day)
}

function daily(hours: number[], minute: number, date: string, day: string): CronWords | undefined {
  const two = (one: number): string => String(one).padStart(2, '0')
  const times = hours.map((hour) => `${two(hour)}:${two(minute)}`)
  if (isStar(date, day)) return { key: hours.every((hour) => hour < NIGHT_ENDS) ? 'night' : 'day', times }
  if (day === '*') {
    const [first, ...more] = numbersOf(date, 31) ?? []
    return first && !more.length ? { key: 'monthly', count: first, times } : undefined
  }
  const days = date === '*' ? daysOf(day) : undefined
  if (!days) return undefined
  if (days.join() === '1,2,3,4,5') return { key: 'weekdays', times }
  if (days.join() === '0,6') return { key: 'weekends', times }
  return { key: 'on', days, times }
}

/** "Every night at 03:00"; undefined for what has no such words. */
export function useCronWords(): (when: string) => string | undefined {
  const { t } = useI18n()
  return (when) => {
    const found = cronWords(when)
    if (!found) return undefined
    return t(`schedules.words.${found.key}`, {
      count: found.count,
      times: found.times?.join(', '),
      days: found.days?.map((day) => t(`schedules.days.${day}`)).join(', '),
    })
  }
}
