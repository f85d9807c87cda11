import { describe, expect, it, vi } from 'vitest'
import { click, control, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import { inUnits, nameAt, namesOf, share, sizeOf } from './volumeDraft'
import type { VolumeDraft } from './volumeDraft'

const PLANNED_MS = 600
const planned = async () => {
  await new Promise((resolve) => setTimeout(resolve, PLANNED_MS))
  await settle()
}
const names = (page: Element) => [...page.querySelectorAll('ol[aria-label=Names] li')].map(text)

async function many(count: string) {
  const world = loggedIn()
  const opened = await visit('/volumes/new', world)
  await click(opened.page, 'Multiple volumes')
  type(field(opened.page, 'Name pattern'), 'db%03d')
  type(field(opened.page, 'Number of volumes'), count)
  await planned()
  return { ...opened, world }
}

describe('the form', () => {
  it('shows the names as they are typed', async () => {
    const { page } = await many('3')
    expect(names(page)).toEqual(['db001', 'db002', 'db003'])
    expect(page.textContent).toContain('3 volumes')
  })

  it('shortens a long list to its ends', async () => {
    const { page } = await many('40')
    expect(names(page)).toHaveLength(12)
    expect(names(page).slice(-2)).toEqual(['…', 'db040'])
  })

  it('makes a batch in one job', async () => {
    const { page, world, requests } = await many('2')
    await click(page, 'Review the plan')
    expect(text(dialog())).toContain('db001')
    await click(dialog(), 'Create volumes')
    await vi.waitFor(() => expect(text(dialog())).toContain('Done: Create 2 volumes'), 8_000)
    expect(world.volumes.map(({ name }) => name).slice(-2)).toEqual(['db001', 'db002'])
    expect(requests).toContain('POST /volumes:create-batch?dry_run=false')
    const plans = () => requests.filter((one) => one === 'POST /volumes:create-batch?dry_run=true').length
    const before = plans()
    type(field(page, 'Name pattern'), 'other%d')
    await planned()
    expect(plans(), 'no plan for what was sent').toBe(before)
  })

  it('begins with thin volumes on the array with the most free space', async () => {
    const world = loggedIn()
    const [array] = world.arrays
    if (!array) throw new Error('no array')
    const roomy = { ...array, id: 'roomy', name: 'roomy', free_bytes: 2 ** 50 }
    const { page, requests } = await visit('/volumes/new', { ...world, arrays: [array, roomy] })
    expect(field(page, 'Array').value).toBe('roomy')
    expect(control(page, 'Thin').getAttribute('aria-pressed')).toBe('true')
    expect(requests).not.toContain('POST /volumes?dry_run=true')
  })

  it('begins with a size that fits, and leaves a typed one alone', async () => {
    const world = loggedIn()
    world.arrays = world.arrays.map((array) => ({ ...array, free_bytes: 64 * 2 ** 30 }))
    const { page } = await visit('/volumes/new', world)
    const size = () => field(page, 'Size').value
    expect(size()).toBe('64')
    type(field(page, 'Size'), '80')
    await click(page, 'Multiple volumes')
    expect(field(page, 'Size of each volume').value).toBe('80')
  })

  it('shows that it does not fit before anybody asks', async () => {
    const { page } = await many('1000')
    expect(page.textContent).toContain('97.7 TiB requested, 8.45 TiB free')
    expect(page.textContent).toContain('it does not fit')
    expect((control(page, 'Review the plan') as HTMLButtonElement).disabled).toBe(true)
  })

  it('leads to the wizard when there is no array to cut from', async () => {
    const { page } = await visit('/volumes/new', { ...loggedIn(), arrays: [] })
    expect(control(page, 'Create array').getAttribute('href')).toBe('/arrays/new')
  })
})

describe('names and sizes', () => {
  it.each([
    ['lun%02d', 7, 'lun07'],
    ['lun%02d', 117, 'lun117'],
    ['%d-scratch', 3, '3-scratch'],
  ])('%s with %d is %s', (pattern, number, name) => expect(nameAt(pattern, number)).toBe(name))

  it('no names come from a pattern without a place for the number', () => {
    const draft = { isBatch: true, pattern: 'lun', first: 1, count: 3 } as VolumeDraft
    expect(namesOf(draft, 12)).toEqual([])
  })

  it('sizes are whole extents, never more than asked for', () => {
    expect(sizeOf({ size: 1.5, unit: 'MiB' })).toBe(0)
    expect(sizeOf({ size: 10, unit: 'MiB' })).toBe(8 * 2 ** 20)
    expect(share(100 * 2 ** 20, 3)).toBe(32 * 2 ** 20)
  })

  it.each([[9_287_000_000_000], [123_456_789_012], [77_777_777]])(
    '%d bytes shown in units still fit',
    (bytes) => expect(sizeOf(inUnits(bytes))).toBeLessThanOrEqual(bytes),
  )
})
