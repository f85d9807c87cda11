/** Lists too long for frequent polling are fetched again while something in them is about to be served. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OBSERVED_EVERY_MS } from '@/server/queries'
import { host } from '../../mock/hosts'
import { volume } from '../../mock/storage'
import { settle, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'
import type { World } from '../../mock/world'
import { LONGEST_PAGE } from './everyPage'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => vi.useRealTimers())

const MANY = LONGEST_PAGE + 1

/** How often a list is fetched from its start within the time between two polls. */
async function asked(path: string, noun: string, world: World) {
  const { requests } = await visit(path, world)
  const count = () => requests.filter((one) => one.startsWith(`GET /${noun}?limit=1000`)).length
  let before = count()
  expect(before, `${noun} more than a page long`).toBe(Math.ceil(MANY / LONGEST_PAGE))
  return async () => {
    before = count()
    await vi.advanceTimersByTimeAsync(OBSERVED_EVERY_MS + 1)
    await settle()
    return count() - before
  }
}

const PENDING = { state: 'pending', reason: 'the agent has not applied it yet' } as const
const OPEN = { state: 'open', reason: null } as const

function volumesWith(last: typeof PENDING | typeof OPEN): World {
  const world = loggedIn()
  world.volumes = Array.from({ length: MANY }, (_, at) => ({ ...volume(at + 1), export: OPEN }))
  world.volumes[MANY - 1] = { ...volume(MANY), export: last }
  return world
}

it('looks at more volumes than a page again until the last of them is served, and then no more', async () => {
  const world = volumesWith(PENDING)
  const again = await asked('/mappings', 'volumes', world)
  expect(await again(), 'while one is about to be served').toBe(2)
  world.volumes[MANY - 1] = { ...volume(MANY), export: OPEN }
  expect(await again(), 'what brings the news').toBe(2)
  expect(await again(), 'when all are served').toBe(0)
})

it('leaves more volumes than a page alone where none is about to be served', async () => {
  const again = await asked('/mappings', 'volumes', volumesWith(OPEN))
  expect(await again()).toBe(0)
})

it('looks at more hosts than a page again until all that is mapped to them is served', async () => {
  const world = loggedIn()
  world.hosts = Array.from({ length: MANY }, (_, at) => host(`host${at + 1}`, { export: OPEN }))
  world.hosts[0] = host('host1', { export: PENDING })
  const again = await asked('/mappings', 'hosts', world)
  expect(await again()).toBe(2)
  world.hosts[0] = host('host1', { export: OPEN })
  expect(await again()).toBe(2)
  expect(await again()).toBe(0)
})
