import { expect, it } from 'vitest'
import { volume } from '../../../mock/storage'
import { control, field, rows, settle, tall, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const free = { mapped_to: [], export: { state: 'none' as const, reason: null } }

/** `count` volumes of which all but those in `mapped` are free. */
async function many(count: number, mapped: number[] = []) {
  const world = loggedIn()
  world.volumes = Array.from({ length: count }, (_, index) =>
    volume(index + 1, mapped.includes(index + 1) ? {} : free),
  )
  return { world, ...(await visit('/volumes', world)) }
}

const picks = (page: Element) => [...page.querySelectorAll<HTMLInputElement>('[data-pick]')]

async function pick(page: Element, index: number, shiftKey = false): Promise<void> {
  picks(page)[index]?.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey }))
  await settle()
}

async function press(page: Element, name: string): Promise<void> {
  control(page, name).click()
  await settle()
}

const bar = (page: Element) => page.querySelector('section[aria-label="Selection"]')
const dialog = () => document.body.querySelector('[role="dialog"]') as HTMLElement
const sent = (requests: string[]) => requests.filter((one) => one.startsWith('POST'))

it('picks rows by click, by range and all of them, and says how many', async () => {
  tall()
  const { page, requests } = await many(120)
  expect(bar(page)).toBeNull()
  expect(text(picks(page)[2]?.closest('label') as Element)).toBe('Select lun02')
  await pick(page, 2)
  await pick(page, 5, true)
  expect(bar(page)?.textContent).toContain('4 selected')
  expect(picks(page)[0]?.indeterminate).toBe(true)
  await pick(page, 0)
  expect(requests.at(-1)).toBe('GET /volumes?limit=120&sort=name')
  expect(bar(page)?.textContent).toContain('120 selected')
  await press(page, 'Clear selection')
  expect(bar(page)).toBeNull()
})

it('goes from box to box with the arrows, and takes rows along with Shift', async () => {
  const { page } = await many(5)
  const down = (shiftKey: boolean) => new KeyboardEvent('keydown', { key: 'ArrowDown', shiftKey })
  picks(page)[1]?.dispatchEvent(down(false))
  await settle()
  expect(document.activeElement).toBe(picks(page)[2])
  expect(bar(page)).toBeNull()
  picks(page)[2]?.dispatchEvent(down(true))
  await settle()
  expect(bar(page)?.textContent).toContain('2 selected')
})

it('picks all that match the search, and forgets them when the search changes', async () => {
  tall()
  const { page, requests, router } = await many(120)
  await pick(page, 1)
  await press(page, 'Select all 120 that match')
  expect(requests.at(-1)).toBe('GET /volumes?limit=120&sort=name')
  expect(bar(page)?.textContent).toContain('120 selected')
  await router.push('/volumes?q=lun11')
  await settle()
  expect(bar(page)).toBeNull()
})

it('deletes all by one plan, and follows the one job', async () => {
  const { page, requests } = await many(5)
  await pick(page, 1)
  await pick(page, 3, true)
  await press(page, 'Delete…')
  expect(sent(requests)).toEqual(['POST /volumes:delete-batch?dry_run=true'])
  expect(dialog().textContent).toContain('lun03it can be recovered for 24 hours')
  await press(dialog(), 'Delete')
  expect(sent(requests)).toEqual([
    'POST /volumes:delete-batch?dry_run=true',
    'POST /volumes:delete-batch?dry_run=false',
  ])
  expect(bar(page)).toBeNull()
  expect(dialog().querySelector('[role="status"]')?.textContent).toContain('Delete 3 volumes')
})

it('names each that is in the way and goes on without them when told to', async () => {
  const { page, world } = await many(5, [2, 4])
  await pick(page, 0)
  await press(page, 'Delete…')
  const refused = dialog().querySelector('[role="alert"]')
  expect(refused?.textContent).toContain('2 volumes block the operation. Nothing was changed.')
  expect([...(refused?.querySelectorAll('li') ?? [])].map(text)).toEqual([
    'lun02it is mapped to host1; delete these mappings first',
    'lun04it is mapped to host1; delete these mappings first',
  ])
  await press(dialog(), 'Skip and continue with 3 volumes')
  expect(dialog().querySelector('[role="alert"]')).toBeNull()
  expect(dialog().textContent).toContain('2 volumes skipped')
  await press(dialog(), 'Delete')
  await settle()
  expect(world.jobs.map(({ title }) => title)).toContain('Delete 3 volumes')
})

it('offers no way on where every one is in the way', async () => {
  const { page } = await many(2, [1, 2])
  await pick(page, 0)
  await press(page, 'Delete…')
  expect(dialog().textContent).toContain('Everything selected is blocked')
})

it('unmaps the mapped ones in one plan, which can be undone', async () => {
  const { page, world, requests } = await many(4, [2, 4])
  const before = ['mapping-2', 'mapping-4']
  world.mappings = world.mappings.filter(({ id }) => before.includes(id))
  await pick(page, 1)
  expect((control(page, 'Unmap…') as HTMLButtonElement).disabled).toBe(true)
  await pick(page, 0)
  await press(page, 'Unmap…')
  expect(dialog().textContent).toContain('Remove 2 mappings')
  await press(dialog(), 'Unmap')
  expect(sent(requests)).toEqual([
    'POST /mappings:delete-batch?dry_run=true',
    'POST /mappings:delete-batch?dry_run=false',
  ])
  expect(world.mappings).toEqual([])
  expect(bar(page)).toBeNull()
  await press(document.body, 'Undo')
  expect(world.mappings.map(({ id }) => id)).toEqual(before)
})

it('maps all to one host, each under its own number', async () => {
  const { page, world } = await many(3)
  world.mappings = []
  await pick(page, 0)
  await press(page, 'Delete…')
  await press(dialog(), 'Cancel')
  await press(page, 'Map…')
  const owner = field(dialog(), 'Host or host group') as unknown as HTMLSelectElement
  owner.value = `host ${world.hosts[0]?.id}`
  owner.dispatchEvent(new Event('change'))
  await press(dialog(), 'Review the plan')
  expect(dialog().textContent).toContain('LUN 3 of')
  await press(dialog(), 'Map')
  expect(world.mappings.map(({ volume: name, lun }) => [name, lun])).toEqual([
    ['lun01', 1],
    ['lun02', 2],
    ['lun03', 3],
  ])
})

it('takes a snapshot of each that can have one', async () => {
  const { page, world, requests } = await many(2)
  Object.assign(world.volumes[1] ?? {}, { can_snapshot: true, provisioning: 'thin' })
  await pick(page, 0)
  await press(page, 'Snapshot…')
  type(field(dialog(), 'Name pattern'), '{volume}-before')
  await press(dialog(), 'Review the plan')
  expect(dialog().querySelector('[role="alert"]')?.textContent).toContain('only a thin volume has snapshots')
  await press(dialog(), 'Skip and continue with 1 volume')
  await press(dialog(), 'Take snapshots')
  expect(sent(requests).at(-1)).toBe('POST /snapshots:create-batch?dry_run=false')
})

it('takes snapshots at one moment where the engine can, and says where it cannot', async () => {
  const { page, world, requests } = await many(2)
  for (const volume of world.volumes) Object.assign(volume, { can_snapshot: true })
  await pick(page, 0)
  await press(page, 'Snapshot…')
  field(dialog(), 'Take all snapshots at the same moment, or none').click()
  await press(dialog(), 'Review the plan')
  expect(dialog().textContent).toContain('takes snapshots one after the other')
  Object.assign(world.arrays.find(({ name }) => name === world.volumes[0]?.array) ?? {}, { engine: 'zfs' })
  await press(dialog(), 'Review the plan')
  await press(dialog(), 'Take snapshots')
  expect(sent(requests).at(-1)).toBe('POST /snapshots:create-batch?dry_run=false')
})

it('shows the columns that were chosen, also after a reload', async () => {
  const { page } = await many(3)
  const headers = () => [...page.querySelectorAll('th')].map(text).filter(Boolean)
  expect(headers()).toContain('Provisioning')
  localStorage.setItem('lunette-columns', JSON.stringify({ volumes: { provisioning: false, naa: true } }))
  window.dispatchEvent(
    new StorageEvent('storage', {
      key: 'lunette-columns',
      newValue: localStorage.getItem('lunette-columns'),
      storageArea: localStorage,
    }),
  )
  await settle()
  expect(headers()).toContain('NAA')
  expect(headers()).not.toContain('Provisioning')
})

it('offers nothing to pick where it may not be changed', async () => {
  const world = loggedIn()
  if (world.me) world.me.role = 'viewer'
  const { page } = await visit('/volumes', world)
  expect(rows(page).length).toBeGreaterThan(0)
  expect(picks(page)).toEqual([])
})
