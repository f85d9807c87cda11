/** What holds for every change, shown on hosts and volumes. */
import { expect, it, vi } from 'vitest'
import { click, control, dialog, field, settle, text, type, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'
import type { World } from '../../mock/world'

const IQN = 'iSCSI names (IQN)'
const posts = (requests: string[], path: string) => requests.filter((one) => one.startsWith(`POST ${path}`))

function lines(input: HTMLElement): HTMLTextAreaElement {
  return input as unknown as HTMLTextAreaElement
}

function area(label: string): HTMLTextAreaElement {
  const found = [...dialog().querySelectorAll('label')].find((one) => text(one) === label)
  return lines(dialog().querySelector<HTMLElement>(`#${CSS.escape(found?.htmlFor ?? '')}`) as HTMLElement)
}

async function fillHost(world: World, name: string, iqn: string) {
  const opened = await visit('/hosts', world)
  await click(opened.page, 'Create host')
  type(field(dialog(), 'Name'), name)
  const names = area(IQN)
  names.value = iqn
  names.dispatchEvent(new Event('input', { bubbles: true }))
  await click(dialog(), 'Review the plan')
  return opened
}

it('shows the plan before anything happens, and makes the change when it is confirmed', async () => {
  const world = loggedIn()
  const { requests } = await fillHost(world, 'web1', 'iqn.2004-10.io.example:web1')
  expect(text(dialog())).toContain('1 initiators')
  expect(text(dialog())).toContain(
    "Without CHAP, any system that uses the host's initiator name can access its volumes.",
  )
  expect(world.hosts.map(({ name }) => name)).not.toContain('web1')
  await click(dialog(), 'Create host')
  expect(world.hosts.map(({ name }) => name)).toContain('web1')
  expect(posts(requests, '/hosts')).toEqual(['POST /hosts?dry_run=true', 'POST /hosts?dry_run=false'])
  await vi.waitFor(() => expect(document.querySelector('[role=dialog]')).toBeNull())
})

it('shows the planned change as commands to copy', async () => {
  await fillHost(loggedIn(), 'web1', 'iqn.2004-10.io.example:web1')
  const copies = [...dialog().querySelectorAll('details')].find((one) => text(one).startsWith('Copy as'))
  if (!copies) throw new Error('The plan cannot be copied.')
  copies.open = true
  copies.dispatchEvent(new Event('toggle'))
  const line = 'lunette host create web1 --iqn iqn.2004-10.io.example:web1'
  await vi.waitFor(() => expect(text(dialog())).toContain(line))
  await click(dialog(), 'curl')
  expect(text(dialog())).toContain(`curl --fail-with-body -X POST ${location.origin}/api/v1/hosts`)
  await click(dialog(), 'Ansible')
  expect(text(dialog())).toContain('lunette.appliance.host: name: web1')
})

it('puts what is refused under the field, and keeps what was typed', async () => {
  await fillHost(loggedIn(), 'web1', 'iqn.2004-10.io.example:host1')
  const names = area(IQN)
  const described = names.getAttribute('aria-describedby') ?? ''
  const messages = described.split(' ').map((id) => document.getElementById(id)?.textContent)
  expect(messages.join()).toContain('belongs to host host1')
  expect(names.value).toBe('iqn.2004-10.io.example:host1')
  expect(field(dialog(), 'Name').value).toBe('web1')
})

it('leads back from the plan to the form as it was filled in', async () => {
  await fillHost(loggedIn(), 'web1', 'iqn.2004-10.io.example:web1')
  await click(dialog(), 'Back')
  expect(field(dialog(), 'Name').value).toBe('web1')
})

it('does a change once although its answer was lost and it was tried again', async () => {
  const world = loggedIn()
  await fillHost(world, 'web1', 'iqn.2004-10.io.example:web1')
  world.isAnswerLost = true
  await click(dialog(), 'Create host')
  expect(text(dialog())).toContain('Cannot reach the appliance')
  await click(dialog(), 'Create host')
  expect(world.hosts.filter(({ name }) => name === 'web1')).toHaveLength(1)
})

it('does not overwrite what somebody else has changed since the form was opened', async () => {
  const world = loggedIn()
  const { page } = await visit('/hosts', world)
  await click(page, 'Edit host1')
  const row = world.hosts.find(({ name }) => name === 'host1')
  if (row) row.description = 'moved to rack 9'
  type(field(dialog(), 'Name'), 'host1-renamed')
  await click(dialog(), 'Review the plan')
  expect(text(dialog())).toContain('Changed by another request')
  expect(row?.name).toBe('host1')
})

it('asks for the name where nothing can be taken back, and follows the job to its end', async () => {
  const world = loggedIn()
  const { page } = await visit('/volumes', world)
  await click(page, 'Delete scratch1')
  expect(text(dialog())).toContain('512 GiB of data will be destroyed')
  const button = control(dialog(), 'Delete') as HTMLButtonElement
  expect(button.disabled).toBe(true)
  type(field(dialog(), 'This cannot be undone. Type scratch1 to confirm'), 'scratch')
  await settle()
  expect(button.disabled).toBe(true)
  type(field(dialog(), 'This cannot be undone. Type scratch1 to confirm'), 'scratch1')
  await settle()
  expect(button.disabled).toBe(false)
  button.closest('[role=dialog]')?.querySelector('form')?.requestSubmit()
  await settle()
  await vi.waitFor(() => expect(text(dialog())).toContain('Done: Delete volume scratch1'), 5_000)
  expect(world.volumes.map(({ name }) => name)).not.toContain('scratch1')
})

it('shows the step that failed and what became of it', async () => {
  const world = loggedIn()
  world.failingStep = 'lvremove refused: volume is in use by dm-7. Nothing was removed.'
  const { page } = await visit('/volumes', world)
  await click(page, 'Delete scratch1')
  type(field(dialog(), 'This cannot be undone. Type scratch1 to confirm'), 'scratch1')
  await settle()
  dialog().querySelector('form')?.requestSubmit()
  await settle()
  await vi.waitFor(() => expect(text(dialog())).toContain('lvremove refused'), 5_000)
  expect(text(dialog())).toContain('Failed and rolled back. Nothing was changed.')
  expect(text(dialog())).not.toContain('Cannot be undone')
  expect(world.volumes.map(({ name }) => name)).toContain('scratch1')

  // Once the cause is fixed, the same change is planned again, and its name typed again.
  delete world.failingStep
  await click(dialog(), 'Try again')
  const again = field(dialog(), 'This cannot be undone. Type scratch1 to confirm')
  expect(again.value).toBe('')
  type(again, 'scratch1')
  await settle()
  dialog().querySelector('form')?.requestSubmit()
  await settle()
  await vi.waitFor(() => expect(text(dialog())).toContain('Done: Delete volume scratch1'), 5_000)
})

it('says in the words of the API why a change is not possible, and leads to what prevents it', async () => {
  const { page } = await visit('/volumes', loggedIn())
  await click(page, 'Delete lun01')
  expect(text(dialog())).toContain('it is mapped to host1; delete these mappings first')
  expect(dialog().querySelector<HTMLAnchorElement>('[role=alert] a')?.href).toContain('/hosts/host1')
  expect([...dialog().querySelectorAll('button')].map(text)).not.toContain('Delete')
})

it('deletes what prevents a change only after its plan was read and the name typed', async () => {
  const world = loggedIn()
  const { page, requests } = await visit('/volumes', world)
  await click(page, 'Delete lun01')
  await click(dialog(), 'Unmap 1 mapping and delete')
  expect(text(dialog())).toContain('host1 loses LUN 1, which stays reserved for 24 hours')
  expect((control(dialog(), 'Delete') as HTMLButtonElement).disabled).toBe(true)
  type(field(dialog(), 'This cannot be undone. Type lun01 to confirm'), 'lun01')
  await settle()
  dialog().querySelector('form')?.requestSubmit()
  await settle()
  await vi.waitFor(() => expect(text(dialog())).toContain('Done: Delete volume lun01'), 5_000)
  const [first, second, third] = requests.filter((one) => one.startsWith('DELETE '))
  expect(first).not.toContain('cascade')
  expect([second, third].every((one) => one?.includes('cascade=true'))).toBe(true)
  expect(world.volumes.map(({ name }) => name)).not.toContain('lun01')
  expect(world.mappings.some(({ volume }) => volume === 'lun01')).toBe(false)
})

it('names who is interrupted', async () => {
  const { page } = await visit('/portals', loggedIn())
  await click(page, 'Delete storage-a')
  expect(text(dialog())).toContain('These hosts will be interruptedhost1, host2, host3, host4')
})

it('closes changes to a viewer and says which role they take', async () => {
  const world = loggedIn()
  if (world.me) world.me = { ...world.me, role: 'viewer' }
  const { page } = await visit('/hosts', world)
  const button = control(page, 'Delete host1') as HTMLButtonElement
  expect(button.disabled).toBe(true)
  expect(button.title).toBe('Requires the Operator role')
})

it('gives a number that another volume had only after that volume was typed', async () => {
  const world = loggedIn()
  world.reused = [{ number: 'LUN 1', owner: 'proxmox', volume: 'lun02', former: 'lun01' }]
  const { page, requests } = await visit('/host-groups', world)
  await click(page, 'Create host group')
  type(field(dialog(), 'Name'), 'proxmox')
  await click(dialog(), 'Review the plan')
  expect((control(dialog(), 'Create host group') as HTMLButtonElement).disabled).toBe(true)
  type(field(dialog(), 'Hosts may still have the old device. Type lun01 to confirm'), 'lun01')
  await settle()
  await click(dialog(), 'Create host group')
  expect(world.hostGroups.at(-1)?.name).toBe('proxmox')
  expect(posts(requests, '/host-groups').at(-1)).toContain('confirm=lun01')
})
