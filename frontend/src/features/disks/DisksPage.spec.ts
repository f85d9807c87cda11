import { expect, it } from 'vitest'
import { nvmeDisk, sasDisk } from '../../../mock/storage'
import { click, settle, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import { banksOf } from './diskMap'

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
  ])
  const tile = [...page.querySelectorAll('main button')].map(text).find((name) => name.startsWith('ZL2A004Q'))
  expect(tile).toContain('Occupied, it carries an ext4 signature (label backup)')
  await click(page, tile ?? '')
  expect(router.currentRoute.value.query['q']).toBe('ZL2A004Q')
  await click(page, tile ?? '')
  await settle()
  expect(router.currentRoute.value.query['q']).toBeUndefined()
})
