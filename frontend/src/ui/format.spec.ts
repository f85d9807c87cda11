import { describe, expect, it } from 'vitest'
import {
  formatAge,
  formatBytes,
  formatClock,
  formatDuration,
  formatMoment,
  formatPercent,
  formatRoughly,
} from './format'

describe('sizes', () => {
  it.each([
    [0, '0 B', '0 B'],
    [1023, '1,023 B', '1.02 kB'],
    [1024, '1 KiB', '1.02 kB'],
    [65_536, '64 KiB', '65.5 kB'],
    [512 * 2 ** 30, '512 GiB', '550 GB'],
    [3_840_755_982_336, '3.49 TiB', '3.84 TB'],
    [12_000_138_625_024, '10.9 TiB', '12 TB'],
    [2 ** 63, '8 EiB', '9.22 EB'],
  ])('%d bytes are %s or %s', (bytes, binary, decimal) => {
    expect(formatBytes(bytes, 'binary')).toBe(binary)
    expect(formatBytes(bytes, 'decimal')).toBe(decimal)
  })

  it('step up to the next unit instead of showing 1,024 of the smaller one', () => {
    expect(formatBytes(1024 ** 2 - 1, 'binary')).toBe('1 MiB')
    expect(formatBytes(999_999, 'decimal')).toBe('1 MB')
  })
})

describe('shares', () => {
  it('never claim full or empty when they are not', () => {
    expect(formatPercent(999, 1000)).toBe('99 %')
    expect(formatPercent(1000, 1000)).toBe('100 %')
    expect(formatPercent(1, 1000)).toBe('<1 %')
    expect(formatPercent(0, 1000)).toBe('0 %')
  })

  it('of nothing are zero', () => expect(formatPercent(5, 0)).toBe('0 %'))
})

describe('times', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')

  it('say of which time zone they are', () => {
    expect(formatMoment('2026-11-25T10:04:09Z')).toBe('25 Nov 2026, 10:04:09 UTC')
    expect(formatClock('2026-11-25T10:04:09Z')).toBe('10:04:09')
  })

  it.each([
    ['2026-11-21T11:59:31Z', 'just now'],
    ['2026-11-21T12:00:04Z', 'just now'],
    ['2026-11-21T11:58:59Z', '1 minute ago'],
    ['2026-11-21T09:01:00Z', '2 hours ago'],
    ['2026-11-18T11:00:00Z', '3 days ago'],
  ])('%s was %s', (at, words) => expect(formatAge(at, now)).toBe(words))

  it.each([
    [0.04, '0 s'],
    [3.26, '3.3 s'],
    [59.6, '1 min 0 s'],
    [1460, '24 min 20 s'],
    [7500, '2 h 5 min'],
  ])('%d seconds take %s', (seconds, words) => expect(formatDuration(seconds)).toBe(words))

  it.each([
    [12, '12 s'],
    [3599, '59 min'],
    [57_219, '15 h'],
    [200_000, '2 d'],
  ])('%d seconds are at least %s', (seconds, words) => expect(formatRoughly(seconds)).toBe(words))
})
