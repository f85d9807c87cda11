import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { settle, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import SparkLine from '@/ui/SparkLine.vue'
import { niceTop, pathOf, timeTicks } from '@/ui/timeChart'
import { figuresOf } from './performanceFigures'

const panel = (page: Element) =>
  [...page.querySelectorAll('section')].find((one) => text(one).startsWith('Performance'))
const figures = (page: Element) => [...(panel(page)?.querySelectorAll('dd > span') ?? [])].map(text)

describe('the performance of the appliance', () => {
  it('is on the overview: I/Os, throughput and latency', async () => {
    const { page, requests } = await visit('/', loggedIn())
    expect(requests).toContain('GET /performance/appliance?range=1h')
    expect(figures(page)).toEqual(['41,250', '469 MiB/s', '176 MiB/s', '0.42 ms'])
  })

  it('has a chart of each figure, whose values are read with the arrow keys', async () => {
    const { page, requests } = await visit('/', loggedIn())
    expect(requests).toContain('GET /performance/appliance?range=1h')
    const charts = [...(panel(page)?.querySelectorAll<HTMLElement>('[role=slider]') ?? [])]
    expect(charts.map((chart) => chart.getAttribute('aria-label'))).toEqual([
      'IOPS over time',
      'Throughput over time',
      'Latency over time',
    ])
    const [iops] = charts
    expect(iops?.getAttribute('aria-valuenow')).toBe('359')
    iops?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' }))
    await settle()
    expect(iops?.getAttribute('aria-valuenow')).toBe('0')
    expect(iops?.getAttribute('aria-valuetext')).toContain(
      'Read 17,500, maximum 21,000, Write 7,500, maximum 9,000',
    )
  })

  it('shows another range when it is chosen', async () => {
    const { page, requests } = await visit('/', loggedIn())
    const button = [...(panel(page)?.querySelectorAll('button') ?? [])].find((one) => text(one) === '30 d')
    button?.click()
    await settle()
    expect(requests).toContain('GET /performance/appliance?range=30d')
    expect(panel(page)?.querySelector('[role=slider]')?.getAttribute('aria-valuemax')).toBe('719')
  })

  it('has the same numbers as a table, without the times at which nothing was measured', async () => {
    const { page } = await visit('/', loggedIn())
    const details = panel(page)?.querySelector('details') as HTMLDetailsElement
    expect(details.querySelectorAll('tbody tr')).toHaveLength(0)
    details.open = true
    details.dispatchEvent(new Event('toggle'))
    await settle()
    expect(details.querySelectorAll('tbody tr')).toHaveLength(360 - 12)
    expect([...details.querySelectorAll('thead th')].map(text)).toEqual([
      'Time',
      'Read',
      'Read, max.',
      'Write',
      'Write, max.',
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

describe('the page of performance', () => {
  it('lists the busiest of a kind and shows the one that is chosen', async () => {
    const { page, requests } = await visit('/performance?of=host&range=7d', loggedIn())
    expect(requests).toContain('GET /performance/appliance?range=7d')
    expect(requests).toContain('GET /performance?of=host&sort=-iops&limit=20')
    const chosen = page.querySelector<HTMLElement>('tbody a')
    const name = text(chosen as Element)
    chosen?.click()
    await settle()
    expect(requests.some((one) => /^GET \/performance\/(?!appliance).*\?range=7d$/.test(one))).toBe(true)
    expect([...page.querySelectorAll('h2')].map(text)).toContain(name)
    const labels = [...page.querySelectorAll('[role=slider]')].map((one) => one.getAttribute('aria-label'))
    expect(labels).toEqual(['IOPS over time', 'Throughput over time'])
  })
})

describe('figures', () => {
  it('are left open where the kernel counts nothing', () => {
    expect(figuresOf(null, 'binary').map(({ words }) => words)).toEqual(['—', '—', '—', '—'])
  })
})

describe('the axes of a chart', () => {
  it('end at a figure that is halved well', () => {
    expect([0, 0.3, 3, 41_250, 99].map((most) => niceTop(most, 10))).toEqual([1, 0.4, 4, 50_000, 100])
    expect(niceTop(451 * 1024 ** 2, 1024)).toBe(500 * 1024 ** 2)
  })

  it('have lines with gaps, and a dot for a single value', () => {
    expect(pathOf([0, 5, null, 10], 10)).toBe('M125.0 100.0L375.0 50.0M875.0 0.0h0.1')
    expect(pathOf([null, null], 10)).toBe('')
  })

  it('have the hours of a day and the days of a month', () => {
    const at = Date.parse('2026-11-01T00:00:00')
    const hours = Array.from({ length: 1440 }, (_, index) => at + index * 60_000)
    expect(timeTicks(hours, 60_000).map(({ words }) => words)).toEqual([
      '04:00',
      '08:00',
      '12:00',
      '16:00',
      '20:00',
    ])
    const days = Array.from({ length: 720 }, (_, index) => at + index * 3_600_000)
    expect(timeTicks(days, 3_600_000).map(({ words }) => words)).toHaveLength(6)
    expect(timeTicks([], 10_000)).toEqual([])
  })
})

describe('the capacity on the overview', () => {
  it('says when an array will be full', async () => {
    const { page } = await visit('/', loggedIn())
    await settle()
    expect(text(page)).toMatch(/Full on \d+ \w+ \d{4} if it keeps growing by [\d.]+ \w+ per day/)
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
