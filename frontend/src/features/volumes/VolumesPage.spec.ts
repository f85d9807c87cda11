import { expect, it, onTestFinished } from 'vitest'
import { volume } from '../../../mock/storage'
import { click, control, dialog, field, rows, settle, tall, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const PAUSE_MS = 300
const last = (requests: string[]) => requests.filter((request) => request.startsWith('GET /volumes')).at(-1)

async function many(count: number) {
  const world = loggedIn()
  world.volumes = Array.from({ length: count }, (_, index) => volume(index + 1))
  return visit('/volumes', world)
}

it('shows each volume with its size, owner and number, and whether it is served', async () => {
  const { page } = await visit('/volumes', loggedIn())
  expect(rows(page)).toHaveLength(38)
  expect(rows(page)[10]?.slice(2, 8)).toEqual([
    'lun11',
    'Online',
    '512 GiB',
    'Thick',
    'tank',
    'host2 · LUN 3',
  ])
})

it('shows how much of a thin volume was written', async () => {
  const { page } = await visit('/volumes?q=vm01', loggedIn())
  expect(rows(page)[0]?.[5]).toBe('Thin37 %')
})

it('renames a volume, and says so where another has the name', async () => {
  const world = loggedIn()
  world.volumes = [volume(1), volume(2)]
  const { page } = await visit('/volumes', world)
  await click(page, 'Edit lun01')
  type(field(dialog(), 'Name'), 'lun02')
  await click(dialog(), 'Review the plan')
  expect(text(dialog())).toContain('volume lun02 exists already')
  type(field(dialog(), 'Name'), 'database')
  await click(dialog(), 'Review the plan')
  await click(dialog(), 'Save changes')
  expect(world.volumes[0]).toMatchObject({ name: 'database', description: '' })
})

it('says why a volume is blocked', async () => {
  const world = loggedIn()
  const reason = 'waiting for array tank: 3 of 8 disks present'
  world.volumes = [volume(1, { export: { state: 'blocked', reason } })]
  const { page } = await visit('/volumes', world)
  expect(page.textContent).toContain('Blocked')
  expect(page.querySelector(`[title="${reason}"]`)).not.toBeNull()
})

it('lets the server search, and keeps the search in the link', async () => {
  const { page, router, requests } = await visit('/volumes', loggedIn())
  type(field(page, 'Name, NAA, serial, NGUID, UUID'), 'lun1')
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  await settle()
  expect(last(requests)).toBe('GET /volumes?limit=50&sort=name&text=lun1')
  expect(router.currentRoute.value.query).toEqual({ q: 'lun1' })
  expect(rows(page).map(([, , name]) => name)).toContain('lun10')
  expect(rows(page).map(([, , name]) => name)).not.toContain('lun20')
})

it('finds a volume by its identifier as a host writes it, and by a pattern of names', async () => {
  const naa = volume(11).naa
  const { page, router, requests } = await visit(`/volumes?q=naa.${naa.toUpperCase()}`, loggedIn())
  expect(rows(page).map(([, , name]) => name)).toEqual(['lun11'])
  await router.push('/volumes?q=lun1*')
  await settle()
  expect(last(requests)).toBe('GET /volumes?limit=50&sort=name&name=lun1*')
})

it('offers to clear a search that finds nothing', async () => {
  const { page } = await visit('/volumes?q=nothing', loggedIn())
  expect(page.textContent).toContain('No results for “nothing”')
  const clear = [...page.querySelectorAll('button')].find((button) =>
    button.textContent?.includes('Clear search'),
  )
  clear?.click()
  await settle()
  expect(rows(page)).toHaveLength(38)
})

it('lets the server sort', async () => {
  const { page, requests } = await visit('/volumes', loggedIn())
  control(page, 'Size').click()
  await settle()
  expect(last(requests)).toBe('GET /volumes?limit=50&sort=size_bytes')
})

it('takes an order that the API does not know from a link as the usual one', async () => {
  const { requests } = await visit('/volumes?sort=colour', loggedIn())
  expect(last(requests)).toBe('GET /volumes?limit=50&sort=name')
})

it('loads of a long list what is in sight, and says where it is', async () => {
  tall()
  const { page, requests } = await many(10_000)
  expect(requests.filter((one) => one.startsWith('GET /volumes'))).toEqual([
    'GET /volumes?limit=50&sort=name',
  ])
  expect(page.querySelectorAll('tbody[data-index]').length).toBeLessThan(60)
  expect(page.textContent).toMatch(/1–\d\d of 10,000/)
  expect(page.querySelector('table')?.getAttribute('aria-rowcount')).toBe('10001')
  expect(page.querySelector('tbody[data-index="0"] tr')?.getAttribute('aria-rowindex')).toBe('2')
})

it('comes back to the row it was left at, and asks for no other first', async () => {
  tall()
  history.replaceState({ lunetteTop: { path: '/volumes', row: 5_010 } }, '')
  onTestFinished(() => history.replaceState(null, ''))
  const { requests } = await many(10_000)
  expect(requests.filter((one) => one.startsWith('GET /volumes'))[0]).toBe(
    'GET /volumes?limit=50&offset=5000&sort=name',
  )
})

it('starts at the top again when the order changes', async () => {
  tall()
  const { page, router, requests } = await many(120)
  control(page, 'Name').click()
  await settle()
  expect(router.currentRoute.value.query).toEqual({ sort: '-name' })
  expect(last(requests)).toBe('GET /volumes?limit=50&sort=-name')
})

it('tells how to make the first volume when there is none', async () => {
  const { page } = await many(0)
  expect(page.textContent).toContain('No volumes yet')
})

it('shows only those on an array, of a host or group, and in a state, and keeps that in the link', async () => {
  const { page, router, requests } = await visit('/volumes?host=host2', loggedIn())
  expect(last(requests)).toBe('GET /volumes?limit=50&sort=name&host=host2')
  expect(rows(page).every((cells) => cells.join().includes('host2'))).toBe(true)
  const array = field(page, 'On array')
  array.dispatchEvent(new Event('focus'))
  await settle()
  expect(requests.filter((one) => one.startsWith('GET /arrays'))).toEqual(['GET /arrays?limit=20&sort=name'])
  type(array, 'ta')
  await settle()
  expect(router.currentRoute.value.query).toEqual({ host: 'host2' })
  array.value = 'tank'
  array.dispatchEvent(new Event('input', { bubbles: true }))
  await settle()
  expect(router.currentRoute.value.query).toEqual({ host: 'host2', array: 'tank' })
  const state = page.querySelector<HTMLSelectElement>('select[aria-label="State"]')
  if (!state) throw new Error('No choice of a state.')
  state.value = 'ready'
  state.dispatchEvent(new Event('change'))
  await settle()
  expect(last(requests)).toBe('GET /volumes?limit=50&sort=name&array=tank&host=host2&state=ready')
  expect(rows(page).length).toBeGreaterThan(1)
})

it('takes a name that was typed with Enter, and clears it by its button', async () => {
  const { page, router } = await visit('/volumes', loggedIn())
  const group = field(page, 'Mapped to host group')
  type(group, 'nobody')
  group.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }))
  await settle()
  expect(router.currentRoute.value.query).toEqual({ group: 'nobody' })
  expect(page.textContent).toContain('No results for these filters')
  expect(page.textContent).not.toContain('No volumes yet')
  await click(page, 'Clear: Mapped to host group')
  expect(router.currentRoute.value.query).toEqual({})
})

it('keeps nothing picked under another filter', async () => {
  const { page, router, requests } = await visit('/volumes?array=tank&q=lun', loggedIn())
  page.querySelector<HTMLInputElement>('tbody [data-pick]')?.click()
  await settle()
  expect(page.textContent).toContain('1 selected')
  await router.push('/volumes?q=lun')
  await settle()
  expect(page.textContent).not.toContain('1 selected')
  expect(last(requests)).toBe('GET /volumes?limit=50&sort=name&text=lun')
})
