import { expect, it } from 'vitest'
import { health } from '../../../mock/drives'
import { nvmeDisk, sasDisk } from '../../../mock/storage'
import { click, rows, settle, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import { banksOf, seatNumber, seatOf } from './diskMap'

it('draws drives by node and bus, and those that are not seen last', () => {
  const far = nvmeDisk(2)
  if (far.observed) far.observed = { ...far.observed, numa_node: 1 }
  const lost = { ...nvmeDisk(3), observed: null, state: 'missing' as const }
  const banks = banksOf([lost, far, sasDisk(1), nvmeDisk(1)])
  expect(banks.map(({ node, transport, disks }) => [node, transport, disks.length])).toEqual([
    [0, 'nvme', 1],
    [0, 'sas', 1],
    [1, 'nvme', 1],
    [undefined, 'nvme', 1],
  ])
})

it('finds the row of a drive by a click on its tile, and shows all again by the next', async () => {
  const { page, router } = await visit('/disks', loggedIn())
  const nodes = [...page.querySelectorAll('section[aria-label^="NUMA node 0"]')]
  expect(nodes.map((one) => one.getAttribute('aria-label'))).toEqual([
    'NUMA node 0 · NVMe',
    'NUMA node 0 · SAS',
    'NUMA node 0 · SAS · enclosure 0x500304801e97c7bf',
  ])
  const tile = [...page.querySelectorAll('main button')].map(text).find((name) => name.startsWith('ZL2A004Q'))
  expect(tile).toContain('Occupied, it carries an ext4 signature (label backup)')
  await click(page, tile ?? '')
  expect(router.currentRoute.value.query['q']).toBe('ZL2A004Q')
  await click(page, tile ?? '')
  await settle()
  expect(router.currentRoute.value.query['q']).toBeUndefined()
})

it('draws the bays of an enclosure in their order, with the number on each', () => {
  const inBay = (number: number, bay: string, enclosure = '0:0:8:0') => {
    const disk = sasDisk(number)
    if (disk.observed) Object.assign(disk.observed.place, { bay, enclosure })
    return disk
  }
  const banks = banksOf([inBay(1, 'Slot 10'), inBay(2, 'Slot 9'), inBay(3, 'Slot 1', '0:0:9:0')])
  expect(banks.map(({ enclosure, disks }) => [enclosure, disks.map(seatOf)])).toEqual([
    ['0:0:8:0', ['Slot 9', 'Slot 10']],
    ['0:0:9:0', ['Slot 1']],
  ])
  expect(['07', 'Slot 10', 'Front 0', 'left'].map((bay) => seatNumber(inBay(1, bay)))).toEqual([
    '7',
    '10',
    '0',
    '',
  ])
})

it('marks a drive that is ailing in the drawing and shows wear and temperature in the table', async () => {
  const world = loggedIn()
  const worn = { ...nvmeDisk(1), health: { ...health({ used_percent: 91 }), state: 'warning' as const } }
  world.disks[0] = worn
  const { page } = await visit('/disks', world)
  const tile = [...page.querySelectorAll('main button')].map(text).find((name) => name.includes(worn.serial))
  expect(tile).toContain('Warning')
  const row = rows(page).find((cells) => cells.includes(worn.serial))
  expect(row).toContain('91 %')
  expect(row?.some((cell) => / °C$/.test(cell))).toBe(true)
})

it('gives a warning and a failing drive marks of different shapes, not of different colours alone', async () => {
  const world = loggedIn()
  world.disks = (['ok', 'warning', 'failing'] as const).map((state, index) => ({
    ...nvmeDisk(index + 1),
    health: { ...health({}), state },
  }))
  const { page } = await visit('/disks', world)
  const shapes = [...page.querySelectorAll('section[aria-label^="NUMA node"] button')].map((tile) =>
    [...tile.querySelectorAll('svg')].map((icon) => icon.innerHTML),
  )
  expect(shapes.map((icons) => icons.length)).toEqual([1, 2, 2])
  expect(shapes[1]?.[1]).not.toBe(shapes[2]?.[1])
})

it('filters by what disks are connected by, and does not say that there are none', async () => {
  const { page, router, requests } = await visit('/disks', loggedIn())
  const kind = page.querySelector<HTMLSelectElement>('select[aria-label="Type"]')
  if (!kind) throw new Error('No choice of a connection.')
  kind.value = 'sata'
  kind.dispatchEvent(new Event('change'))
  await settle()
  expect(router.currentRoute.value.query).toEqual({ transport: 'sata' })
  expect(requests.at(-1)).toBe('GET /disks?limit=50&sort=id&transport=sata')
  expect(page.textContent).toContain('No results for these filters')
  expect(page.textContent).not.toContain('No disks')
  await click(page, 'Show all')
  expect(router.currentRoute.value.query).toEqual({})
  expect(rows(page).length).toBeGreaterThan(1)
})
