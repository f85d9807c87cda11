import { describe, expect, it, vi } from 'vitest'
import { freshlyInstalled } from '../../../mock/fresh'
import {
  FakeEventSource,
  click,
  control,
  dialog,
  field,
  hold,
  settle,
  text,
  type,
  visit,
} from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import type { World } from '../../../mock/world'
// All forms of the product are on this page: loaded before the clock of the first test runs.
import './StartPage.vue'

/** Events of this time are taken together. */
const GATHERED_MS = 400
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const heading = (page: Element): string => text(page.querySelector('main h2') ?? page)
describe('the checks', () => {
  it('come first on a fresh appliance, and lead on', async () => {
    const { page, router } = await visit('/start', freshlyInstalled())
    expect(router.currentRoute.value.query).toEqual({ step: 'checks' })
    expect(page.textContent).toContain('The agent responds')
    await click(page, 'Continue')
    expect(heading(page)).toBe('This appliance')
    await click(page, 'Skip for now')
    expect(router.currentRoute.value.query).toEqual({ step: 'array' })
    expect(page.textContent).toContain('Summary')
  })

  it('say what is wrong in the words of the appliance, with what to do', async () => {
    const world = freshlyInstalled()
    world.status = { ...world.status, agent: { answers: false, reason: 'no socket at /run', age_s: null } }
    world.disks = []
    const { page } = await visit('/start', world)
    for (const words of [
      'no socket at /run',
      'systemctl restart lunette-agent',
      'No disk is available for an array',
    ])
      expect(page.textContent).toContain(words)
    expect(control(page, 'Skip for now')).toBeTruthy()
  })
})

describe('the way', () => {
  it('has no step without a way on', async () => {
    const { page, router } = await visit('/start?step=map', freshlyInstalled())
    expect(page.textContent).toContain('No volume to map yet')
    await click(page, 'Create volumes')
    expect(page.textContent).toContain('No array for volumes yet')
    await click(page, 'Create an array')
    expect(router.currentRoute.value.query).toEqual({ step: 'array' })
  })

  it('gives the appliance its name and zone, and changes no other setting', async () => {
    const world = freshlyInstalled()
    const before = world.settings
    const { page, router } = await visit('/start?step=appliance', world)
    expect(page.querySelector('main a[href="/interfaces"]')).toBeTruthy()
    type(field(page, 'Appliance name'), 'rack4')
    type(field(page, 'Time zone'), 'Europe/Vienna')
    await click(page, 'Review the plan')
    await click(dialog(), 'Save changes')
    expect(world.settings).toEqual({ ...before, name: 'rack4', time_zone: 'Europe/Vienna' })
    expect(router.currentRoute.value.query).toEqual({ step: 'array' })
    await click(page, 'Back')
    expect(control(page, '2. This appliance, done')).toBeTruthy()
  })

  it('leads to a mapped volume in few clicks: everything that can be proposed is', async () => {
    const world = freshlyInstalled()
    const count = (more: Partial<World['status']['counts']>) =>
      (world.status = { ...world.status, counts: { ...world.status.counts, ...more } })
    const { page, router, requests } = await visit('/start?step=array', world)
    let clicks = 0
    const press = async (where: Element, name: string) => {
      await vi.waitUntil(() => !(control(where, name) as HTMLButtonElement).disabled, { timeout: 5_000 })
      clicks += 1
      await click(where, name)
    }
    const reached = (step: string) =>
      vi.waitFor(() => expect(router.currentRoute.value.query).toEqual({ step }), 8_000)

    await press(page, 'Recommended layout')
    await press(page, 'Review the plan')
    count({ arrays: 1 })
    await press(dialog(), 'Create array')
    await reached('volumes')
    expect(world.arrays[0]).toMatchObject({ name: 'tank', engine: 'md' })

    await press(page, 'Review the plan')
    count({ volumes: 1 })
    await press(dialog(), 'Create volumes')
    await reached('portal')
    expect(world.volumes[0]).toMatchObject({ name: 'lun01', provisioning: 'thin' })

    await press(page, 'Review the plan')
    count({ portals: 1 })
    await press(dialog(), 'Create portal')
    await reached('hosts')
    expect(world.portals[0]).toMatchObject({ name: 'storage', address: '10.20.0.2' })

    type(field(page, 'Name'), 'esx 1')
    await click(page, 'Review the plan')
    expect(field(page, 'Name').getAttribute('aria-invalid')).toBe('true')
    expect(requests.filter((one) => one.includes('/hosts?dry_run'))).toEqual([])
    type(field(page, 'Name'), 'esx1')
    await press(page, 'Review the plan')
    count({ hosts: 1 })
    await press(dialog(), 'Create host')
    await reached('map')

    await press(page, 'Review the plan')
    count({ mappings: 1 })
    await press(dialog(), 'Map')
    await reached('connect')
    expect(world.mappings[0]).toMatchObject({ volume: 'lun01', host: 'esx1' })
    expect(clicks).toBe(11)
  }, 30_000)

  it('goes on although an event cancels what was asked', async () => {
    const world = freshlyInstalled()
    const { page, router } = await visit('/start?step=array', world)
    await click(page, 'Recommended layout')
    const isReady = () => !(control(page, 'Review the plan') as HTMLButtonElement).disabled
    await vi.waitUntil(isReady, { timeout: 5_000 })
    await click(page, 'Review the plan')
    world.status = { ...world.status, counts: { ...world.status.counts, arrays: 1 } }
    const release = hold('GET /status')
    await click(dialog(), 'Create array')
    await vi.waitFor(() => expect(document.querySelector('[role=dialog]')).toBeNull(), 8_000)
    await settle()
    FakeEventSource.last?.tell(JSON.stringify({ noun: 'array', kind: 'array.created' }))
    await pause(GATHERED_MS)
    release()
    await vi.waitFor(() => expect(router.currentRoute.value.query).toEqual({ step: 'volumes' }), 5_000)
  })

  it('shows what was made afterwards, and leads to it', async () => {
    const { page } = await visit('/start?step=array', loggedIn())
    expect(page.querySelector('main a[href="/arrays/tank"]')).toBeTruthy()
    expect(heading(page)).toBe('Create an array')
  })

  it('begins each step in its first field', async () => {
    const world = freshlyInstalled()
    const { page, router } = await visit('/start?step=appliance', world)
    expect(document.activeElement).toBe(field(page, 'Appliance name'))
    for (const [step, first] of [
      ['array', () => control(page, 'Recommended layout')],
      ['portal', () => field(page, 'Name')],
      ['hosts', () => field(page, 'Name')],
    ] as const) {
      await router.push({ name: 'start', query: { step } })
      await settle()
      await vi.waitFor(() => expect(document.activeElement).toBe(first()))
    }
  })

  it('makes a host of an initiator that was seen with two clicks', async () => {
    const world = freshlyInstalled()
    const name = 'iqn.1998-01.com.vmware:esx7'
    world.initiators = [{ name, kind: 'iqn', peer: '10.0.0.7', words: 'logged in', refused_at: null }]
    const { page, router } = await visit('/start?step=hosts', world)
    await click(page, `Create host with ${name}`)
    world.status = { ...world.status, counts: { ...world.status.counts, hosts: 1 } }
    await click(dialog(), 'Create host')
    expect(world.hosts[0]).toMatchObject({ name: 'esx7', os_type: 'esxi', iqns: [name] })
    expect(router.currentRoute.value.query).toEqual({ step: 'map' })
  })

  it('maps what nobody has to the host of choice, in one plan', async () => {
    const world = loggedIn()
    const count = (mappings: number) =>
      (world.status = { ...world.status, counts: { ...world.status.counts, mappings } })
    count(0)
    const { page, requests, router } = await visit('/start?step=map', world)
    await click(page, 'All 6')
    await click(page, 'Review the plan')
    expect(requests.at(-1)).toContain('POST /mappings:create-batch?dry_run=true')
    count(6)
    await click(dialog(), 'Map')
    expect(router.currentRoute.value.query).toEqual({ step: 'connect' })
    expect(world.volumes.every((one) => one.mapped_to.length)).toBe(true)
  })

  it('ends with the kit of the host, and says that it has logged in', async () => {
    const { page } = await visit('/start?step=connect', loggedIn())
    expect(page.textContent).toContain('Logged in')
    await click(page, 'Setup kit of host1')
    expect(text(dialog())).toContain('Setup kit of host1')
  })
})

it('is where the first password leads, and what a fresh overview offers', async () => {
  const world = { ...freshlyInstalled(), me: undefined, password: 'once-only', isOneTime: true }
  const { page, router } = await visit('/login', world)
  type(field(page, 'User name'), 'admin')
  type(field(page, 'Password'), 'once-only')
  await click(page, 'Log in')
  for (const label of ['New password', 'Confirm new password'])
    type(field(page, label), 'a-much-better-password')
  await click(page, 'Set password')
  expect(router.currentRoute.value.name).toBe('start')
  await click(page, 'Exit for now')
  expect(page.textContent).toContain('0 of 6 steps done')
  expect(control(page, 'Start')).toBeTruthy()
})
