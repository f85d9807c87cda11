import { expect, it, vi } from 'vitest'
import { click, control, resize, rows, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const last = (requests: string[]) => requests.filter((one) => one.startsWith('GET /events')).at(-1)

const select = (page: Element, label: string) =>
  page.querySelector<HTMLSelectElement>(`select[aria-label="${label}"]`) as HTMLSelectElement

async function choose(page: Element, label: string, value: string): Promise<void> {
  select(page, label).value = value
  select(page, label).dispatchEvent(new Event('change'))
  await settle()
}

it('lets the server filter by outcome, by who asked and by words, and keeps that in the link', async () => {
  const { page, requests, router } = await visit('/events?q=web4&by=admin', loggedIn())
  await choose(page, 'Outcome', 'done')
  await choose(page, 'Initiated by', 'people')
  expect(last(requests)).toBe(
    'GET /events?limit=50&sort=-seq&outcome=done&people=true&actor=*admin*&text=web4&operations=true',
  )
  expect(router.currentRoute.value.query).toEqual({ q: 'web4', by: 'admin', outcome: 'done', who: 'people' })
})

it('takes whole days, as the browser counts them', async () => {
  const { requests } = await visit('/events?from=2026-11-20&to=2026-11-22', loggedIn())
  const { searchParams } = new URL(last(requests)?.split(' ')[1] ?? '', 'http://x')
  expect(searchParams.get('since')).toBe(new Date(2026, 10, 20).toISOString())
  expect(searchParams.get('until')).toBe(new Date(2026, 10, 23).toISOString())
})

it('takes a day that is none from a link as no day', async () => {
  const { requests } = await visit('/events?from=yesterday', loggedIn())
  expect(last(requests)).toBe('GET /events?limit=50&sort=-seq&operations=true')
})

it('says how each ended, and that a filter finds nothing', async () => {
  const { page } = await visit('/events', loggedIn())
  expect(rows(page)[0]?.join(' ')).toContain('Succeeded')
  await choose(page, 'Outcome', 'failed')
  expect(page.textContent).toContain('No results for these filters')
})

it('shows an operation as one row, with its events in the order in which they happened', async () => {
  const world = loggedIn()
  const [first] = world.events
  if (!first) throw new Error('The mock has no event.')
  const one = { ...first, noun: 'array', job_id: 'job-9', actor: 'admin' }
  world.events.unshift(
    { ...one, seq: 24, noun: 'job', kind: 'job.finished', message: 'Create array pond: done' },
    { ...one, seq: 23, kind: 'array.created', message: 'Array pond created' },
    { ...one, seq: 21, noun: 'job', kind: 'job.created', message: 'Create array pond', outcome: 'begun' },
    { ...one, seq: 20, kind: 'array.creating', message: 'Create array pond', outcome: 'begun' },
  )
  const { page, requests } = await visit('/events', world)
  expect(rows(page).filter((cells) => cells.join(' ').includes('pond'))).toHaveLength(1)
  const [row] = rows(page)
  expect(row).toEqual(expect.arrayContaining(['Array pond created', 'Array', 'admin']))
  page.querySelector<HTMLElement>('button[aria-label="Show details"]')?.click()
  await settle()
  expect(last(requests)).toBe('GET /events?job=job-9&sort=seq&limit=100')
  const parts = [...page.querySelectorAll('ol[aria-label="Events of this operation"] li .font-mono')].map(
    text,
  )
  expect(parts).toEqual(['array.creating', 'job.created', 'array.created', 'job.finished'])
})

it('exports what the filter shows', async () => {
  const { page, requests } = await visit('/events?noun=volume', loggedIn())
  const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  URL.createObjectURL = () => 'blob:x'
  URL.revokeObjectURL = () => undefined
  control(page, 'Export').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  await settle()
  const item = [...document.body.querySelectorAll<HTMLElement>('[role="menuitem"]')].find((one) =>
    text(one).startsWith('CSV'),
  )
  item?.click()
  await settle()
  expect(last(requests)).toBe('GET /events:export?noun=volume&format=csv')
  expect(saved).toHaveBeenCalledOnce()
})

it('searches who while typing pauses', async () => {
  const { page, requests } = await visit('/events', loggedIn())
  const input = page.querySelector<HTMLInputElement>('input[aria-label="User or token"]')
  type(input as HTMLInputElement, 'adm')
  await new Promise((resolve) => setTimeout(resolve, 300))
  await settle()
  expect(last(requests)).toBe('GET /events?limit=50&sort=-seq&actor=*adm*&operations=true')
})

it('keeps its filters folded on a phone, and says whether some are set', async () => {
  resize(390)
  const { page, router } = await visit('/events', loggedIn())
  expect(select(page, 'Outcome')).toBeNull()
  await click(page, 'Filters')
  await choose(page, 'Outcome', 'failed')
  expect(router.currentRoute.value.query).toEqual({ outcome: 'failed' })
  await click(page, 'Filters (set)')
  expect(select(page, 'Outcome')).toBeNull()
})
