/** Hosts, groups, users, tokens, events, alerts and the API's description. */
import { describe, expect, it } from 'vitest'
import { events, volumesJob } from '../../mock/journal'
import {
  FakeEventSource,
  click,
  control,
  dialog,
  field,
  rows,
  settle,
  text,
  type,
  visit,
} from '../../mock/visit'
import { loggedIn } from '../../mock/world'

const GATHERED_MS = 300

describe('hosts', () => {
  it('tell how they are known and whether they are served', async () => {
    const { page } = await visit('/hosts', loggedIn())
    expect(rows(page)[1]?.slice(2, 8)).toEqual([
      'esx-cluster-node-aesx-cluster',
      'Offline',
      'VMware ESXi',
      '1 IQN',
      '0',
      '0',
    ])
  })

  it('are found by a part of an initiator', async () => {
    const { page, requests } = await visit('/hosts?q=example:backup', loggedIn())
    expect(requests).toContain('GET /hosts?limit=50&sort=name&text=example:backup')
    expect(rows(page).map(([, , name]) => name)).toEqual(['backup-proxy'])
  })

  it('keep a stored secret unless a new one is typed, and never show it', async () => {
    const world = loggedIn()
    const { page } = await visit('/hosts', world)
    await click(page, 'Edit esx-cluster-node-a')
    type(field(dialog(), 'Description'), 'rack 4')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('description is set')
    expect(text(dialog())).not.toContain('chap')
  })

  it('prove who they are over NVMe with a key that is made here and never shown again', async () => {
    const world = loggedIn()
    const { page } = await visit('/hosts', world)
    await click(page, 'Create host')
    type(field(dialog(), 'Name'), 'db1')
    expect(text(dialog())).not.toContain('DH-CHAP')
    type(
      field(dialog(), 'NVMe (NQN)'),
      'nqn.2014-08.org.nvmexpress:uuid:7a0d8d7e-1c5b-4c3a-9d2e-0f1a2b3c4d5f',
    )
    await settle()
    const choice = [...dialog().querySelectorAll('select')].find((one) => text(one).includes('No DH-CHAP'))
    if (!choice) throw new Error('The form has no choice of DH-CHAP.')
    choice.value = 'set'
    choice.dispatchEvent(new Event('change', { bubbles: true }))
    await settle()
    await click(dialog(), "Generate: Host's key (DHHC-1:…)")
    expect(field(dialog(), "Host's key (DHHC-1:…)").value).toMatch(/^DHHC-1:00:.{48}:$/)
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create host')
    expect(world.hosts.at(-1)).toMatchObject({
      name: 'db1',
      dhchap: { hash: 'sha256', dh_group: 'ffdhe2048', is_mutual: false },
    })
    expect(document.body.textContent).not.toContain('DHHC-1:00')
  })

  it('open to their full names', async () => {
    const { page } = await visit('/hosts', loggedIn())
    page.querySelector<HTMLElement>('button[aria-label="Show details"]')?.click()
    await settle()
    expect(page.textContent).toContain('iqn.2004-10.io.example:backup-proxy')
  })
})

describe('host groups', () => {
  it('take hosts that are in no other group', async () => {
    const world = loggedIn()
    const { page } = await visit('/host-groups', world)
    await click(page, 'Create host group')
    type(field(dialog(), 'Name'), 'proxmox')
    const box = (name: string) => {
      const label = [...dialog().querySelectorAll('label')].find((one) => text(one) === name)
      return document.getElementById(label?.htmlFor ?? '') as HTMLButtonElement
    }
    expect(box('esx-cluster-node-a').disabled).toBe(true)
    box('host1').click()
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create host group')
    expect(world.hostGroups.at(-1)).toMatchObject({ name: 'proxmox', hosts: ['host1'] })
  })
})

describe('users', () => {
  it('get a password to be changed, and the reason when it is too short', async () => {
    const world = loggedIn()
    const { page } = await visit('/users', world)
    await click(page, 'Create user')
    type(field(dialog(), 'User name'), 'jonas')
    type(field(dialog(), 'Password'), 'short')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('at least 12')
    type(field(dialog(), 'Password'), 'long-enough-for-once')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create user')
    expect(world.users.at(-1)).toMatchObject({
      username: 'jonas',
      role: 'viewer',
      password_change_required: true,
    })
  })

  it('are led to the page that asks for the current password for their own', async () => {
    const { page } = await visit('/users', loggedIn())
    await click(page, 'Edit admin')
    expect(text(dialog())).not.toContain('New password')
    const link = dialog().querySelector('a[href$="/password"]')
    expect(link?.textContent).toBe('Change password')
  })

  it('are not asked for by who may not manage them', async () => {
    const world = loggedIn()
    if (world.me) world.me = { ...world.me, role: 'viewer' }
    const { page, requests } = await visit('/users', world)
    expect(text(page)).toContain('Only administrators can view and manage users')
    expect(() => control(page, 'Create user')).toThrow('No button')
    expect(requests.filter((one) => one.startsWith('GET /users'))).toEqual([])
  })

  it('cannot delete themselves', async () => {
    const { page } = await visit('/users', loggedIn())
    expect((control(page, 'Delete admin') as HTMLButtonElement).disabled).toBe(true)
  })
})

describe('API tokens', () => {
  it('are shown once, and gone from the page afterwards', async () => {
    const { page } = await visit('/tokens', loggedIn())
    await click(page, 'Create token')
    type(field(dialog(), 'Name'), 'terraform')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create token')
    await settle()
    expect(document.querySelector('[data-testid=token]')?.textContent).toMatch(/^lunette_/)
    await click(document.body, 'I have saved it')
    await settle()
    expect(document.body.textContent).not.toContain('lunette_9')
    expect(rows(page).map(([name]) => name)).toContain('terraform')
  })

  it('offer a viewer no role above their own', async () => {
    const world = loggedIn()
    if (world.me) world.me = { ...world.me, role: 'viewer' }
    const { page } = await visit('/tokens', world)
    await click(page, 'Create token')
    const roles = [...dialog().querySelectorAll<HTMLInputElement>('input[type=radio]')]
    expect(roles.map(({ value }) => value)).toEqual(['metrics', 'viewer'])
    expect(page.textContent).not.toContain('Users')
  })
})

describe('events', () => {
  it('are filtered by what they are about', async () => {
    const { page, requests } = await visit('/events?noun=volume', loggedIn())
    expect(requests).toContain('GET /events?limit=50&sort=-seq&noun=volume&operations=true')
    expect(rows(page)).toHaveLength(1)
  })

  it('are undone after their plan, and say so afterwards', async () => {
    const world = loggedIn()
    const { page } = await visit('/events', world)
    page.querySelector<HTMLElement>('button[aria-label="Show details"]')?.click()
    await settle()
    expect(page.textContent).toContain('name becomes host4')
    await click(page, 'Undo')
    await settle()
    expect(text(dialog())).toContain('name becomes web4')
    expect(world.events[0]?.seq).toBe(10)
    await click(dialog(), 'Undo')
    await settle()
    expect(world.events[0]?.message).toBe('Change host web4, undoing event 10')
    expect(world.events.find(({ seq }) => seq === 10)?.undo.undone_by).toBe(11)
  })

  it('say why they are not undone', async () => {
    const { page } = await visit('/events?noun=volume', loggedIn())
    page.querySelector<HTMLElement>('button[aria-label="Show details"]')?.click()
    await settle()
    expect(page.textContent).toContain('Cannot be undone: This event only reports what happened.')
    expect([...page.querySelectorAll('button')].map(text)).not.toContain('Undo')
  })
})

describe('alerts', () => {
  it('tell cause and remedy, and are filtered to those still open', async () => {
    const { page, requests } = await visit('/alerts', loggedIn())
    expect(page.textContent).toContain('Replace the disk; the rebuild starts automatically.')
    await click(page, 'Active')
    expect(requests.at(-1)).toBe('GET /alerts?limit=50&sort=-severity&active=true')
    expect(page.textContent).toContain('No results for these filters')
  })
})

it('the API document is one click away, on the appliance itself', async () => {
  const { page } = await visit('/about', loggedIn())
  expect(control(page, 'Open the OpenAPI document').getAttribute('href')).toBe('/api/v1/openapi.json')
})

it('jobs are one click away on every page', async () => {
  const { page } = await visit('/disks', loggedIn())
  page.querySelector<HTMLElement>('button[aria-label=Jobs]')?.click()
  await settle()
  expect(text(dialog())).toContain('Create array archive')
  expect(text(dialog())).toContain('Rolled back')
})

it('a job of the drawer opens to its steps and its log, which goes on while it runs', async () => {
  const world = loggedIn()
  const title = 'Create 32 volumes on array tank'
  const [first] = events()
  if (!first) throw new Error('The mock tells of nothing.')
  const line = { ...first, noun: 'job', kind: 'job.progress', ref: 'job-2' }
  world.jobs = [volumesJob({ state: 'running', message: 'lun09 to lun16', finished_at: null })]
  world.events = [{ ...line, seq: 90, at: '2026-11-25T10:00:00Z', message: `${title}: lun01 to lun08` }]
  const { page, requests } = await visit('/disks', world)
  page.querySelector<HTMLElement>('button[aria-label="1 running job"]')?.click()
  await settle()
  const opener = control(dialog(), `Steps and log of ${title}`)
  expect(opener.getAttribute('aria-expanded')).toBe('false')
  opener.click()
  await settle()
  expect(opener.getAttribute('aria-expanded')).toBe('true')
  expect(text(dialog())).toContain('create volumes lun09 to lun16 of 512 GiB')
  const log = () => [...dialog().querySelectorAll(`ol[aria-label="Log of ${title}"] li`)].map(text)
  expect(log()).toEqual(['10:00:00lun01 to lun08'])
  expect(requests).toContain('GET /events?ref=job-2&progress=true&sort=-seq&limit=100')
  world.events.push({ ...line, seq: 91, at: '2026-11-25T10:00:04Z', message: `${title}: lun09 to lun16` })
  FakeEventSource.last?.tell(JSON.stringify({ seq: 91, noun: 'job', kind: 'job.progress' }))
  await new Promise((resolve) => setTimeout(resolve, GATHERED_MS))
  await settle()
  expect(log()).toEqual(['10:00:00lun01 to lun08', '10:00:04lun09 to lun16'])
})
