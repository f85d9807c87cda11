/** Initiators that were seen and belong to no host, offered where a host is made. */
import { expect, it } from 'vitest'
import { click, control, dialog, field, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import { draftFrom } from './hostDraft'

it('offers who is on the fabric, and takes the name into the form', async () => {
  const world = loggedIn()
  const name = '10:00:00:00:00:00:00:77'
  world.initiators = [{ name, kind: 'wwpn', peer: null, words: 'on the fabric of port p', refused_at: null }]
  const { page } = await visit('/hosts', world)
  await click(page, 'Create host')
  expect(dialog().textContent).toContain('on the fabric of port p')
  await click(dialog(), `Add ${name}`)
  const typed = [...dialog().querySelectorAll('textarea')].map((field) => field.value)
  expect(typed).toContain(name)
  expect(dialog().textContent).not.toContain('on the fabric of port p')
})

const STRANGER = 'iqn.2004-10.io.example:reinstalled'
const turnedAway = (name: string, minutes: number) => ({
  name,
  kind: 'iqn' as const,
  peer: null,
  words: 'login refused',
  refused_at: new Date(Date.now() - minutes * 60_000).toISOString(),
})

it('says who was turned away, the newest first, and makes a host of it with one click', async () => {
  const world = loggedIn()
  world.initiators = [turnedAway('iqn.2004-10.io.example:old', 90), turnedAway(STRANGER, 3)]
  const { page } = await visit('/hosts', world)
  expect(page.textContent).toContain('2 initiators without a host were rejected')
  const told = [...page.querySelectorAll('li')].map((one) => one.textContent.replace(/\s+/g, ' ').trim())
  expect(told.filter((one) => one.includes('rejected'))).toEqual([
    expect.stringMatching(/:reinstalled ?rejected 3 min/),
    expect.stringMatching(/:old ?rejected/),
  ])
  await click(page, `Create host with ${STRANGER}`)
  await click(dialog(), 'Create host')
  expect(world.hosts.at(-1)).toMatchObject({ name: 'reinstalled', iqns: [STRANGER] })
})

it('has another name after a step back from the plan', async () => {
  const world = loggedIn()
  world.initiators = [turnedAway(STRANGER, 3)]
  const { page } = await visit('/hosts', world)
  await click(page, `Create host with ${STRANGER}`)
  await click(dialog(), 'Back')
  type(field(dialog(), 'Name'), 'mail')
  await click(dialog(), 'Review the plan')
  await click(dialog(), 'Create host')
  expect(world.hosts.at(-1)).toMatchObject({ name: 'mail', iqns: [STRANGER] })
})

it.each([
  ['iqn', 'iqn.1998-01.com.vmware:esx01.rack4:1234:64', 'esx01.rack4', 'esxi'],
  ['iqn', 'iqn.1991-05.com.microsoft:srv1', 'srv1', 'windows'],
  ['iqn', 'iqn.1993-08.org.debian:01:9f3ba7c1d2', 'host-9f3ba7c1', 'linux'],
  ['wwpn', '10:00:00:00:c9:00:00:01', 'host-c9000001', 'linux'],
  ['nqn', 'nqn.2014-08.org.nvmexpress:uuid:4c4c4544-0042-3510-8052', 'host-4c4c4544', 'linux'],
] as const)('of the %s %s comes the host %s, with %s', (kind, name, host, system) => {
  expect(draftFrom({ kind, name })).toMatchObject({ name: host, osType: system, [`${kind}s`]: [name] })
})

it('offers it to the host whose name has changed, and not in the next form that is opened', async () => {
  const world = loggedIn()
  world.initiators = [turnedAway(STRANGER, 3)]
  const { page } = await visit('/hosts', world)
  await click(page, 'Edit host1')
  expect(dialog().textContent).toContain('rejected')
  await click(dialog(), `Add ${STRANGER}`)
  await click(dialog(), 'Review the plan')
  await click(dialog(), 'Save changes')
  expect(world.hosts[0]?.iqns).toEqual(['iqn.2004-10.io.example:host1', STRANGER])
})

it('says nothing of it while none was turned away', async () => {
  const { page } = await visit('/hosts', loggedIn())
  expect(page.textContent).not.toContain('rejected')
})

it('lets no viewer make a host of one that was turned away', async () => {
  const world = loggedIn()
  world.initiators = [turnedAway(STRANGER, 3)]
  if (world.me) world.me.role = 'viewer'
  const { page } = await visit('/hosts', world)
  expect((control(page, `Create host with ${STRANGER}`) as HTMLButtonElement).disabled).toBe(true)
})
