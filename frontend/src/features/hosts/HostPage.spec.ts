import { describe, expect, it, vi } from 'vitest'
import { mapIn } from '../../../mock/matrix'
import { click, control, dialog, field, rows, settle, text, tick, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const panel = (page: Element, title: string): Element => {
  const found = [...page.querySelectorAll('section')].find(
    (one) => one.querySelector('h2')?.textContent === title,
  )
  if (!found) throw new Error(`No panel "${title}".`)
  return found
}

describe('the page of a host', () => {
  it('is where its name in the list leads', async () => {
    const { page, router } = await visit('/hosts', loggedIn())
    await click(page, 'host1')
    expect(router.currentRoute.value.fullPath).toBe('/hosts/host1')
    expect(page.querySelector('h1')?.textContent).toContain('host1')
  })

  it('lists the volumes of the host in the order of their numbers', async () => {
    const { page } = await visit('/hosts/host1', loggedIn())
    const found = rows(panel(page, 'Mapped volumes')).map((cells) => cells.slice(1, 5))
    expect(found[0]).toEqual(['LUN 1', 'lun01', 'This host', 'Online'])
    expect(found).toHaveLength(8)
    expect(control(page, 'lun01').getAttribute('href')).toBe('/volumes/lun01')
  })

  it('lists those that it sees through its group as well', async () => {
    const world = loggedIn()
    const volume = world.volumes.find(({ name }) => name === 'scratch1')
    const [some] = world.mappings
    if (!some) throw new Error('The mock has no mapping.')
    world.mappings.push({
      ...some,
      id: 'mapping-group',
      volume: 'scratch1',
      volume_id: volume?.id ?? '',
      host: null,
      host_id: null,
      host_group: 'esx-cluster',
      host_group_id: 'group-1',
      lun: 7,
    })
    const { page } = await visit('/hosts/esx-cluster-node-a', world)
    const found = rows(panel(page, 'Mapped volumes')).map((cells) => cells.slice(1, 4))
    expect(found).toEqual([['LUN 7', 'scratch1', 'Host group esx-cluster']])
    expect(control(page, 'esx-cluster').getAttribute('href')).toBe('/host-groups?q=esx-cluster')
  })

  it('shows its sessions and what happened to it', async () => {
    const world = loggedIn()
    const [first] = world.events
    if (!first) throw new Error('The mock has no event.')
    first.ref = 'host-1'
    const { page } = await visit('/hosts/host1', world)
    expect(rows(panel(page, 'Sessions'))[0]?.slice(0, 4)).toEqual([
      'iqn.2004-10.io.example:host1',
      'iSCSI',
      '10.20.0.11',
      '10.20.0.2:3260',
    ])
    expect(text(panel(page, 'Recent events'))).toContain(first.message)
    expect(panel(page, 'Recent events').querySelectorAll('li')).toHaveLength(1)
  })

  it('maps a volume under the number that was chosen, after its plan', async () => {
    const world = loggedIn()
    const { page } = await visit('/hosts/host1', world)
    await click(page, 'Map volume')
    type(field(dialog(), 'Search volumes'), 'scratch1')
    await vi.waitFor(() => expect(dialog().querySelectorAll('input[type=radio]')).toHaveLength(1))
    dialog().querySelector<HTMLElement>('input[type=radio]')?.click()
    type(field(dialog(), 'LUN'), '42')
    await vi.waitFor(() => expect(text(dialog())).toContain('LUN 42 of host1'), 5_000)
    await mapIn()
    expect(world.mappings.at(-1)).toMatchObject({ volume: 'scratch1', host: 'host1', lun: 42 })
  })

  it('unmaps one', async () => {
    const world = loggedIn()
    const { page } = await visit('/hosts/host1', world)
    await click(page, 'Unmap lun03 from host1')
    expect(text(dialog())).toContain('host1 loses LUN 3')
    await click(dialog(), 'Unmap')
    expect(world.mappings.some(({ volume }) => volume === 'lun03')).toBe(false)
  })

  it('unmaps several in one plan, less one that cannot be unmapped now', async () => {
    const world = loggedIn()
    const { page } = await visit('/hosts/host1', world)
    Object.assign(world.volumes.find(({ name }) => name === 'lun03') ?? {}, { state: 'changing' })
    await tick(page, 'Select lun02', 'Select lun03')
    await click(page, 'Unmap…')
    const refused = () => dialog().querySelector('[role="alert"]')
    expect(refused()?.textContent).toContain('1 mapping blocks the operation. Nothing was changed.')
    expect([...(refused()?.querySelectorAll('li') ?? [])].map(text)).toEqual([
      'lun03 to host1Volume lun03 is changing now',
    ])
    await click(dialog(), 'Skip and continue with 1 mapping')
    await click(dialog(), 'Unmap')
    const mapped = (name: string) => world.mappings.some(({ volume }) => volume === name)
    expect([mapped('lun02'), mapped('lun03')]).toEqual([false, true])
    expect(page.textContent).not.toContain('selected')
  })

  it('stays the page of the host when that is renamed', async () => {
    const { page, router } = await visit('/hosts/host1', loggedIn())
    await click(page, 'Edit')
    type(field(dialog(), 'Name'), 'web1')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Save changes')
    await settle()
    expect(router.currentRoute.value.fullPath).toBe('/hosts/web1')
    expect(page.querySelector('h1')?.textContent).toContain('web1')
  })

  it('is left when the host is deleted', async () => {
    const world = loggedIn()
    const { page, router } = await visit('/hosts/backup-proxy', world)
    await click(page, 'Delete')
    await click(dialog(), 'Delete')
    await settle()
    expect(router.currentRoute.value.name).toBe('hosts')
    expect(world.hosts.map(({ name }) => name)).not.toContain('backup-proxy')
  })

  it('offers a viewer nothing that a viewer may not do', async () => {
    const world = loggedIn()
    if (world.me) world.me = { ...world.me, role: 'viewer' }
    const { page } = await visit('/hosts/host1', world)
    expect(() => control(page, 'Map volume')).toThrow('No button')
    expect((control(page, 'Unmap lun03 from host1') as HTMLButtonElement).disabled).toBe(true)
  })
})
