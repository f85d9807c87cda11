/** Where each portal listens, and whether the cable is in. */
import { expect, it } from 'vitest'
import { portal } from '../../../mock/portals'
import { rows, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('shows the interface of each portal with its link, and says where there is none', async () => {
  const world = loggedIn()
  const [first, second] = world.interfaces.filter(({ addresses }) => addresses.length)
  if (!first || !second) throw new Error('The mock has too few interfaces.')
  Object.assign(first, { link: true, speed_mbit_s: 25_000 })
  Object.assign(second, { link: false })
  const at = (name: string, address = '') => ({ ...portal(name), address: address.split('/')[0] ?? '' })
  world.portals = [
    at('a', first.addresses[0]?.address),
    at('b', second.addresses[0]?.address),
    at('c', '0.0.0.0'),
    at('d', '192.0.2.200'),
  ]
  const { page } = await visit('/portals', world)
  expect(rows(page).map((cells) => cells[4])).toEqual([
    `${first.name} · 25 Gbit/s`,
    `${second.name} · No link`,
    'All interfaces',
    'No interface has this address',
  ])
})
