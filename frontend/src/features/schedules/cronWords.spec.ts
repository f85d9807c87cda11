import { describe, expect, it } from 'vitest'
import { cronWords } from './cronWords'

describe('cron in words', () => {
  it.each([
    ['* * * * *', { key: 'minutely' }],
    ['*/15 * * * *', { key: 'minutes', count: 15 }],
    ['0 * * * *', { key: 'hourly' }],
    ['20 * * * *', { key: 'pastHour', count: 20 }],
    ['0 */4 * * *', { key: 'hours', count: 4 }],
    ['0 3 * * *', { key: 'night', times: ['03:00'] }],
    ['30 6 * * *', { key: 'day', times: ['06:30'] }],
    ['0 8,20 * * *', { key: 'day', times: ['08:00', '20:00'] }],
    ['30 6 * * MON-FRI', { key: 'weekdays', times: ['06:30'] }],
    ['30 6 * * 1-5', { key: 'weekdays', times: ['06:30'] }],
    ['0 9 * * sat,sun', { key: 'weekends', times: ['09:00'] }],
    ['0 9 * * 6-7', { key: 'weekends', times: ['09:00'] }],
    ['0 3 * * SUN', { key: 'on', days: [0], times: ['03:00'] }],
    ['0 3 * * 4,1', { key: 'on', days: [1, 4], times: ['03:00'] }],
    ['0 3 1 * *', { key: 'monthly', count: 1, times: ['03:00'] }],
  ])('%s', (when, words) => expect(cronWords(when)).toEqual(words))

  it.each([
    ['', 'nothing is typed'],
    ['0 3 * *', 'a field is missing'],
    ['0 3 * JAN *', 'a month'],
    ['0 3 1 * SUN', 'either of two days'],
    ['0 3 L * *', 'the last day'],
    ['0 3 * * MON#1', 'the first Monday'],
    ['*/7 * * * *', 'an interval that begins again each hour'],
    ['0 */5 * * *', 'an interval that begins again each day'],
    ['0 */4 1 * *', 'an interval on a day'],
    ['0-30 3 * * *', 'a range of minutes'],
    ['0 24 * * *', 'no hour'],
    ['0 3 32 * *', 'no day'],
    ['0 3 * * FRI-MON', 'a range that goes backwards'],
  ])('%s has none: %s', (when) => expect(cronWords(when)).toBeUndefined())
})
