import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { settle, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import SparkLine from '@/ui/SparkLine.vue'
import { coursesOf } from './performanceFigures'

const panel = (page: Element) =>
  [...page.querySelectorAll('section')].find((one) => text(one).startsWith('Performance'))
const figures = (page: Element) => [...(panel(page)?.querySelectorAll('dd > span') ?? [])].map(text)

describe('the performance of the appliance', () => {
  it('is on the overview: I/Os, throughput and latency', async () => {
    const { page, requests } = await visit('/', loggedIn())
    expect(requests).toContain('GET /performance/appliance')
    expect(figures(page)).toEqual(['41,250', '469 MiB/s', '176 MiB/s', '0.42 ms'])
  })

  it('has the last hour as lines that a screen reader is told in words', async () => {
    const { page } = await visit('/', loggedIn())
    const lines = [...(panel(page)?.querySelectorAll('svg[role=img]') ?? [])]
    expect(lines.map((line) => line.getAttribute('aria-label'))).toEqual([
      'IOPS in the last hour, maximum 41,250',
      'Read in the last hour, maximum 451 MiB/s',
      'Write in the last hour, maximum 193 MiB/s',
      'Latency in the last hour, maximum 0.44 ms',
    ])
  })

  it('says that nothing was measured yet instead of zeros', async () => {
    const { page } = await visit('/', { ...loggedIn(), isUnmeasured: true })
    expect(figures(page)).toEqual([])
    expect(text(panel(page) as Element)).toContain('No data yet')
  })
})

describe('the performance of a volume', () => {
  it('is on its page while it is mapped', async () => {
    const { page, requests } = await visit('/volumes/lun01', loggedIn())
    await settle()
    expect(requests.some((one) => one.startsWith('GET /performance/'))).toBe(true)
    expect(figures(page)[0]).toBe('41,250')
  })

  it('is not asked for while nobody can use it', async () => {
    const { page, requests } = await visit('/volumes/vm01', loggedIn())
    await settle()
    expect(requests.filter((one) => one.startsWith('GET /performance/'))).toEqual([])
    expect(panel(page)).toBeUndefined()
  })
})

describe('figures', () => {
  it('are left open where the kernel counts nothing', () => {
    const history = { of: 'array' as const, id: 'a', name: 'a', now: null, points: [] }
    expect(coursesOf(history, 'binary').map(({ now, most }) => [now, most])).toEqual(
      Array.from({ length: 4 }, () => [undefined, undefined]),
    )
  })
})

describe('a spark line', () => {
  const line = (points: { at: number; value: number | null }[]) =>
    mount(SparkLine, { props: { points, label: 'x', gap: 15 } })
      .get('path')
      .attributes('d')

  it('goes from the lowest to the highest', () => {
    expect(
      line([
        { at: 0, value: 0 },
        { at: 10, value: 5 },
        { at: 20, value: 10 },
      ]),
    ).toBe('M0.0 38.5L120.0 20.0L240.0 1.5')
  })

  it('is broken where nothing was measured, or not for a time', () => {
    expect(
      line([
        { at: 0, value: 1 },
        { at: 10, value: null },
        { at: 20, value: 1 },
      ]),
    ).toBe('M0.0 1.5M240.0 1.5')
    expect(
      line([
        { at: 0, value: 1 },
        { at: 30, value: 1 },
      ]),
    ).toBe('M0.0 1.5M240.0 1.5')
  })

  it('lies at the bottom while nothing happens', () => {
    expect(
      line([
        { at: 0, value: 0 },
        { at: 10, value: 0 },
      ]),
    ).toBe('M0.0 38.5L240.0 38.5')
    expect(line([])).toBe('')
  })
})
