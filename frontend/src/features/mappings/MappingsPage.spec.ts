import { describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { host } from '../../../mock/hosts'
import { cursor, grid, mapIn, open, press } from '../../../mock/matrix'
import { volume } from '../../../mock/storage'
import { click, control, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

/** The middle of a cell, by where its column and its row are drawn. Nothing is scrolled in these tests. */
function middle(page: Element, owner: string, name: string): { clientX: number; clientY: number } {
  const column = page.querySelector<HTMLElement>(`[role=columnheader][title="${name}"]`)?.style
  const row = page.querySelector<HTMLElement>(`[role=rowheader][title="${owner}"]`)?.parentElement?.style
  if (!column || !row) throw new Error(`no cell ${owner}, ${name} in sight`)
  return {
    clientX: parseFloat(column.left) + parseFloat(column.width) / 2,
    clientY: parseFloat(row.top) + parseFloat(row.height) / 2,
  }
}

/** A pointer that goes down in the first cell, over the others, and up in the last. */
async function drag(page: Element, cells: readonly (readonly [string, string])[], button = 0) {
  const [first, ...others] = cells.map(([owner, name]) => middle(page, owner, name))
  const last = others.at(-1) ?? first
  // A browser lets the page draw between two events of a pointer.
  const fire = async (kind: string, place: object | undefined) => {
    grid(page).dispatchEvent(new PointerEvent(kind, { ...place, button, bubbles: true }))
    await nextTick()
  }
  await fire('pointerdown', first)
  for (const place of others) await fire('pointermove', place)
  const isShown = page.querySelector('[role=grid] [role=presentation]') !== null
  await fire('pointerup', last)
  await settle()
  return { isShown }
}

it('shows which host sees which volume under which number', async () => {
  const { page } = await open('/mappings?host=host1')
  const cells = [...page.querySelectorAll('[role=gridcell]')].map((cell) => cell.getAttribute('aria-label'))
  expect(cells.slice(0, 3)).toEqual([
    'host1, lun01: LUN 1, Online',
    'host1, lun02: LUN 2, Online',
    'host1, lun03: LUN 3, Online',
  ])
})

it('maps over the family that was chosen, and says over which a volume is', async () => {
  const world = loggedIn()
  const { page } = await open('/mappings?host=host4&volume=scratch', world)
  await click(page, 'NVMe')
  await press(page, 'Enter')
  await mapIn()
  expect(world.mappings.at(-1)).toMatchObject({ host: 'host4', family: 'nvme' })
  await vi.waitFor(() => expect(cursor(page)).toMatch(/^host4, scratch1: NSID \d+, Online$/))
})

it('unmaps only after the plan was confirmed', async () => {
  const world = loggedIn()
  const { page } = await open('/mappings?host=host1', world)
  await press(page, 'Enter')
  expect(text(dialog())).toContain('host1 loses LUN 1')
  expect(text(dialog())).toContain('These hosts will be interruptedhost1')
  expect(world.mappings.some(({ id }) => id === 'mapping-1')).toBe(true)
  await click(dialog(), 'Unmap')
  expect(world.mappings.some(({ id }) => id === 'mapping-1')).toBe(false)
  await vi.waitFor(() => expect(cursor(page)).toBe('host1, lun01: not mapped'))
})

it('unmaps a volume in use only after its name was typed', async () => {
  const world = loggedIn()
  world.iops['lun01'] = 1240.5
  const { page } = await open('/mappings?host=host1', world)
  await press(page, 'Enter')
  expect(text(dialog())).toContain('Volume lun01 is in use')
  expect(text(dialog())).toContain('1,240.5 IOPS now')
  expect((control(dialog(), 'Unmap') as HTMLButtonElement).disabled).toBe(true)
  type(field(dialog(), 'These volumes are in use. Type lun01 to confirm'), 'lun01')
  await settle()
  await click(dialog(), 'Unmap')
  expect(world.mappings.some(({ id }) => id === 'mapping-1')).toBe(false)
})

it('shares a volume that has a host already only after its warning was shown', async () => {
  const world = loggedIn()
  const { page, requests } = await open('/mappings?host=host2', world)
  await press(page, 'Enter')
  await vi.waitFor(() =>
    expect(text(dialog())).toContain('without a cluster file system its data will be corrupted'),
  )
  expect(requests).not.toContain('POST /mappings?dry_run=false')
  await mapIn('Share volume')
  expect(world.mappings.at(-1)).toMatchObject({ volume: 'lun01', host: 'host2', shared: true })
})

it('maps a run of free volumes in one change', async () => {
  const world = loggedIn()
  const { page } = await open('/mappings?host=backup-proxy&volume=scratch', world)
  await press(page, 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter')
  expect(text(dialog())).toContain('Map 3 volumes to backup-proxy')
  await click(dialog(), 'Map')
  expect(world.mappings.slice(-3).map(({ volume: name, lun }) => `${name} ${lun}`)).toEqual([
    'scratch1 1',
    'scratch2 2',
    'scratch3 3',
  ])
})

it('unmaps a run of cells that begins on a mapped one in one change, and leaves free ones alone', async () => {
  const world = loggedIn()
  const { page, requests } = await open('/mappings?host=host1', world)
  const before = world.mappings.length
  await press(page, 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter')
  expect(text(dialog())).toContain('Remove 3 mappings')
  expect(text(dialog())).toContain('host1 loses LUN 4')
  expect(world.mappings.length).toBe(before)
  await click(dialog(), 'Unmap')
  expect(requests.filter((one) => one.startsWith('POST')).at(-1)).toBe(
    'POST /mappings:delete-batch?dry_run=false',
  )
  expect(
    ['lun02', 'lun03', 'lun04'].filter((name) => world.mappings.some((one) => one.volume === name)),
  ).toEqual([])
  await vi.waitFor(() => expect(cursor(page)).toBe('host1, lun04: not mapped'))
  await press(page, 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Shift+ArrowRight', 'Enter')
  expect(text(dialog())).toContain('Remove 1 mapping')
})

it('says in words what the cursor is on, and whether it is served now', async () => {
  const world = loggedIn()
  const first = world.mappings[0]
  if (first)
    Object.assign(first, { state: 'blocked', reason: 'waiting for array tank: 3 of 8 disks present' })
  const { page } = await open('/mappings?host=host1', world)
  const line = page.querySelector('[aria-label="Selected cell"]')
  expect(line?.textContent).toContain('waiting for array tank: 3 of 8 disks present')
  expect(control(page, 'Unmap')).toBeTruthy()
})

it('changes nothing for a viewer', async () => {
  const world = loggedIn()
  if (world.me) world.me = { ...world.me, role: 'viewer' }
  const { page, requests } = await open('/mappings?host=backup-proxy&volume=scratch', world)
  await press(page, 'Enter')
  expect(requests.filter((one) => one.startsWith('POST'))).toEqual([])
})

it('shows the first thousand volumes while the rest is on its way, and all of them in the end', async () => {
  const world = loggedIn()
  world.volumes = Array.from({ length: 2_500 }, (_, index) => volume(index + 1, { mapped_to: [] }))
  world.hosts = Array.from({ length: 500 }, (_, index) => host(`h${index + 1}`))
  const { page, requests } = await open('/mappings', world)
  await vi.waitFor(() => expect(page.textContent).toContain('2,500 volumes × 501 hosts and groups'))
  expect(requests.filter((one) => one.startsWith('GET /volumes')).length).toBeGreaterThanOrEqual(3)
  expect(page.querySelectorAll('[role=row]').length).toBeLessThan(20)
  expect(page.querySelectorAll('[role=columnheader]').length).toBeLessThan(20)
})

it('leads on when there is nothing to map yet', async () => {
  const world = { ...loggedIn(), hosts: [], hostGroups: [] }
  const { page } = await visit('/mappings', world)
  expect(page.textContent).toContain('No hosts yet')
  expect(control(page, 'Go to hosts')).toBeTruthy()
})

it('draws cells that are not served with a sign beside the number, and says what it means', async () => {
  const world = loggedIn()
  const states = ['open', 'pending', 'blocked', 'unknown'] as const
  world.volumes.slice(0, states.length).forEach((one, index) => {
    one.export = { ...one.export, state: states[index] ?? 'open' }
  })
  const { page } = await open('/mappings?host=host1', world)
  const signs = [...page.querySelectorAll('[role=gridcell]')]
    .slice(0, states.length)
    .map((cell) => cell.querySelector('svg')?.innerHTML)
  expect(signs[0]).toBeUndefined()
  expect(new Set(signs).size).toBe(states.length)
  const key = [...page.querySelectorAll('[aria-label="Legend"] li')].map(text)
  expect(key).toEqual(['Starting', 'Blocked', 'Unknown'])
})

describe('the pointer', () => {
  const path = '/mappings?volume=scratch'
  const changes = (requests: readonly string[]) => requests.filter((one) => one.startsWith('POST'))

  it('asks for a free volume by one click', async () => {
    const world = loggedIn()
    const { page, requests } = await open(path, world)
    await drag(page, [['backup-proxy', 'scratch2']])
    expect(changes(requests).filter((one) => !one.includes('dry_run=true'))).toEqual([])
    await mapIn()
    await vi.waitFor(() => expect(cursor(page)).toBe('backup-proxy, scratch2: LUN 1, Online'))
    expect(world.mappings.at(-1)).toMatchObject({ host: 'backup-proxy', volume: 'scratch2', lun: 1 })
  })

  it.each([
    ['to the right', ['scratch1', 'scratch2', 'scratch3']],
    ['to the left', ['scratch3', 'scratch2', 'scratch1']],
  ])('maps many by a drag %s, after their plan', async (_way, names) => {
    const world = loggedIn()
    const { page } = await open(path, world)
    const before = world.mappings.length
    const { isShown } = await drag(
      page,
      names.map((name) => ['backup-proxy', name] as const),
    )
    expect(isShown).toBe(true)
    expect(text(dialog())).toContain('Map 3 volumes to backup-proxy')
    expect(world.mappings.length).toBe(before)
    await click(dialog(), 'Map')
    expect(world.mappings.slice(before).map(({ volume: name, host: owner }) => `${owner} ${name}`)).toEqual([
      'backup-proxy scratch1',
      'backup-proxy scratch2',
      'backup-proxy scratch3',
    ])
  })

  it('changes nothing when it is let go in another row, or was not the first button', async () => {
    const world = loggedIn()
    const { page, requests } = await open(path, world)
    const other = world.hosts[0]?.name ?? ''
    await drag(page, [
      ['backup-proxy', 'scratch1'],
      ['backup-proxy', 'scratch2'],
      [other, 'scratch2'],
    ])
    await drag(page, [['backup-proxy', 'scratch1']], 2)
    expect(document.querySelector('[role=dialog]')).toBeNull()
    expect(changes(requests)).toEqual([])
  })
})
