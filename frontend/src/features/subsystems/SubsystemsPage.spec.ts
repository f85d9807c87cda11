/** NVMe subsystems: their owners, their namespaces, who may connect and who is connected. */
import { expect, it } from 'vitest'
import type { Mapping, Session } from '@/api'
import { group, host } from '../../../mock/hosts'
import { click, control, field, rows, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import type { World } from '../../../mock/world'

const NQN = 'nqn.2026-11.io.lunette:0a1b2c3d4e5f'
const OWN = 'nqn.2014-08.org.nvmexpress:uuid:7a0d8d7e-1c5b-4c3a-9d2e-0f1a2b3c4d5e'

function namespace(world: World, owner: string, lun: number, change: Partial<Mapping> = {}): Mapping {
  const [volume] = world.mappings
  if (!volume) throw new Error('no mapping')
  return {
    ...volume,
    id: `ns-${owner}-${lun}`,
    volume: `${owner}-data${lun}`,
    host: owner,
    host_group: null,
    family: 'nvme',
    lun,
    target_iqn: null,
    subsystem_nqn: `${NQN}.${owner}`,
    state: 'open',
    reason: null,
    ...change,
  }
}

const controller = (world: World, owner: string, change: Partial<Session> = {}): Session => ({
  ...(world.sessions[0] as Session),
  id: `controller-${owner}`,
  host: owner,
  initiator: OWN,
  protocol: 'nvme-tcp',
  target_iqn: null,
  subsystem_nqn: `${NQN}.${owner}`,
  portal: '10.20.0.2:4420',
  peer: '10.20.0.14',
  state: 'ready',
  ...change,
})

/** A host with two namespaces that is connected over one of two networks, and a group without connections. */
function world(): World {
  const found = loggedIn()
  const nodes = [host('node1', { nqns: [`${OWN}1`] }), host('node2')]
  found.hosts.push(...nodes)
  found.hostGroups.push(group('nodes', nodes))
  const shared = { host: null, host_group: 'nodes' } as const
  found.mappings.push(
    namespace(found, 'host4', 2),
    namespace(found, 'host4', 1),
    namespace(found, 'nodes', 1, { ...shared, state: 'blocked', reason: 'waiting for array tank' }),
    namespace(found, 'nodes', 2, { ...shared, state: 'pending' }),
  )
  found.sessions.push(controller(found, 'host4'))
  return found
}

const open = async (page: Element, at: number): Promise<void> => {
  page.querySelectorAll<HTMLElement>('button[aria-label="Show details"]')[at]?.click()
  await settle()
}

it('are listed with their NQN, how they are served, and how many namespaces and controllers they have', async () => {
  const { page } = await visit('/subsystems', world())
  expect(rows(page).map((row) => row.slice(1))).toEqual([
    ['host4', 'Online', `${NQN}.host4`, '2', '1'],
    ['nodesGroup of 2 hosts', 'Blocked', `${NQN}.nodes`, '2', '0'],
  ])
})

it('open to their namespaces in order, who may connect, and over which way who is connected', async () => {
  const { page } = await visit('/subsystems', world())
  await open(page, 0)
  const shown = [...page.querySelectorAll('tbody section')].map((one) => [...one.querySelectorAll('li')])
  expect(shown.map((items) => items.map((one) => one.textContent.replace(/\s+/g, ' ').trim()))).toEqual([
    ['NSID 1host4-data1Online', 'NSID 2host4-data2Online'],
    [`host4${OWN}Connected`],
    ['host4NVMe/TCPfrom 10.20.0.14 to 10.20.0.2:4420ready'],
  ])
  expect(control(page, 'host4-data1').getAttribute('href')).toBe('/volumes/host4-data1')
})

it('tell what they wait for, who is away, and which host has no name to connect with', async () => {
  const { page } = await visit('/subsystems', world())
  await open(page, 1)
  expect(text(page)).toContain('waiting for array tank')
  expect(text(page)).toContain(`${OWN}1Not connected`)
  expect(text(page)).toContain('node2 cannot connect because it has no NQN')
})

it('claim nothing of who is connected where the kernel does not tell', async () => {
  const quiet = world()
  quiet.unseenSessions = [{ family: 'nvme', reason: 'This kernel does not tell.' }]
  quiet.sessions = quiet.sessions.filter(({ protocol }) => protocol === 'iscsi')
  const { page } = await visit('/subsystems', quiet)
  expect(rows(page).map((row) => row.at(-1))).toEqual(['—', '—'])
  expect(text(page)).toContain('This kernel does not tell.')
  await open(page, 0)
  expect(text(page)).not.toContain('Not connected')
})

it('are found by the NQN of a host or the name of a volume, and the search is in the link', async () => {
  const { page, router } = await visit('/subsystems?q=node1', world())
  expect(rows(page)).toHaveLength(1)
  type(field(page, 'Search by NQN, host or volume'), 'host4-data2')
  await new Promise((resolve) => setTimeout(resolve, 300))
  await settle()
  expect(router.currentRoute.value.query['q']).toBe('host4-data2')
  expect(rows(page).map((row) => row[1])).toEqual(['host4'])
})

it('lead on where there are none, and are reached from the portals', async () => {
  const { page } = await visit('/portals', loggedIn())
  await click(page, 'NVMe subsystems')
  expect(text(page)).toContain('No NVMe subsystems')
  expect(control(page, 'Go to mappings').getAttribute('href')).toBe('/mappings')
})
