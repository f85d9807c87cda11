import { describe, expect, it, vi } from 'vitest'
import { mapIn } from '../../../mock/matrix'
import { click, control, dialog, field, settle, text, tick, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const moments = (page: Element) => [...page.querySelectorAll('ol li p.font-medium')].map(text)
const ended = (words: string) => vi.waitFor(() => expect(text(dialog())).toContain(words), 8_000)

describe('a thin volume', () => {
  it('shows how much was written, and how full the pool behind it is', async () => {
    const { page } = await visit('/volumes/vm01', loggedIn())
    expect(page.textContent).toContain('187 GiB written')
    expect(page.textContent).toContain('Thin pool of tank')
    expect(page.textContent).toContain('70 %: grows automatically')
  })

  it('keeps its moments in a line, the newest first', async () => {
    const { page } = await visit('/volumes/vm01', loggedIn())
    expect(moments(page)).toEqual(['before-upgrade', 'nightly-20', 'nightly-19'])
  })

  it('gets one more by a job', async () => {
    const { page } = await visit('/volumes/vm01', loggedIn())
    await click(page, 'Take snapshot')
    type(field(dialog(), 'Name'), 'before-test')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Take snapshot')
    await ended('Done: Take snapshot before-test')
    await click(dialog(), 'Close')
    await vi.waitFor(() => expect(moments(page)).toContain('before-test'), 8_000)
  })

  it('becomes many clones by a name with a number', async () => {
    const world = loggedIn()
    const { page } = await visit('/volumes/vm01', world)
    await click(page, 'Clone nightly-20')
    type(field(dialog(), 'Name'), 'test%02d')
    await settle()
    type(field(dialog(), 'Number of volumes'), '3')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Clone')
    await ended('Done: Make 3 clones of nightly-20')
    expect(world.volumes.slice(-3).map(({ name }) => name)).toEqual(['test01', 'test02', 'test03'])
  })

  it('goes back to a moment and keeps what it held', async () => {
    const world = loggedIn()
    const { page } = await visit('/volumes/vm01', world)
    await click(page, 'Roll back to nightly-19')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('what it holds now becomes a deleted volume')
    await click(dialog(), 'Roll back')
    await ended('Done: Roll back volume vm01')
    expect(world.deletedVolumes.map(({ name }) => name)).toContain('vm01')
  })

  it('loses what it holds only after its name was typed', async () => {
    const { page } = await visit('/volumes/vm01', loggedIn())
    await click(page, 'Roll back to nightly-19')
    await click(dialog(), 'Retain the current content')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('what was written since nightly-19 is lost')
    expect((control(dialog(), 'Roll back') as HTMLButtonElement).disabled).toBe(true)
    type(field(dialog(), 'This cannot be undone. Type vm01 to confirm'), 'vm01')
    await settle()
    expect((control(dialog(), 'Roll back') as HTMLButtonElement).disabled).toBe(false)
  })
})

describe('the snapshots of a volume', () => {
  it('are deleted together as one job', async () => {
    const world = loggedIn()
    const { page, requests } = await visit('/volumes/vm01', world)
    await tick(page, 'Select nightly-20', 'Select nightly-19')
    await click(page, 'Delete…')
    expect(text(dialog())).toContain('nightly-19it can be recovered for 24 hours')
    await click(dialog(), 'Delete')
    await ended('Done: Delete 2 snapshots')
    expect(requests).toContain('POST /snapshots:delete-batch?dry_run=false')
    expect(world.snapshots.map(({ name }) => name)).toEqual(['before-upgrade'])
    expect(page.textContent).not.toContain('2 selected')
  })

  it('offer a viewer nothing to select', async () => {
    const world = loggedIn()
    if (world.me) world.me.role = 'viewer'
    const { page } = await visit('/volumes/vm01', world)
    expect(moments(page).length).toBe(3)
    expect(page.querySelector('[data-pick]')).toBeNull()
  })
})

describe('a volume that is mapped', () => {
  it('grows, and never shrinks', async () => {
    const world = loggedIn()
    const { page } = await visit('/volumes/lun01', world)
    await click(page, 'Grow')
    type(field(dialog(), 'New size'), '100')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('a volume never gets smaller')
    type(field(dialog(), 'New size'), '600')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Grow')
    await ended('Done: Grow volume lun01')
    expect(world.volumes[0]?.size_bytes).toBe(600 * 2 ** 30)
  })

  it('says that nothing is broken on the way to its host', async () => {
    const { page } = await visit('/volumes/lun01', loggedIn())
    expect(page.textContent).toContain('If it does not see the volume, rescan its disks')
  })

  it('says where the way breaks, and marks the link in words', async () => {
    const { page } = await visit('/volumes/lun01', { ...loggedIn(), sessions: [] })
    expect(page.textContent).toContain('The path is broken at the session: host1 is not logged in')
    const links = [...page.querySelectorAll('ol[aria-label="Path to host1"] li')].map(text)
    expect(links[4]).toContain('OK')
    expect(links[5]).toContain('broken')
  })
})

describe('what is asked of a volume on its page', () => {
  it('renames it, and stays with it', async () => {
    const { page, router } = await visit('/volumes/lun01', loggedIn())
    await click(page, 'Edit')
    type(field(dialog(), 'Name'), 'data1')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Save changes')
    await settle()
    expect(router.currentRoute.value.fullPath).toBe('/volumes/data1')
  })

  it('maps it to a host or a group that is searched for', async () => {
    const world = loggedIn()
    const { page } = await visit('/volumes/scratch1', world)
    await click(page, 'Map this volume')
    type(field(dialog(), 'Search hosts and groups'), 'esx-cluster')
    const names = () => [...dialog().querySelectorAll('label:has(input[type=radio])')].map(text)
    await vi.waitFor(() => expect(names().at(-1)).toBe('esx-clusterHost group'))
    dialog().querySelector<HTMLElement>('li:last-child input[type=radio]')?.click()
    await mapIn()
    expect(world.mappings.at(-1)).toMatchObject({ volume: 'scratch1', host: null, host_group: 'esx-cluster' })
  })

  it('shares it only if that is asked for', async () => {
    const world = loggedIn()
    const { page } = await visit('/volumes/lun01', world)
    await click(page, 'Map')
    await vi.waitFor(() => expect(dialog().querySelectorAll('input[type=radio]').length).toBeGreaterThan(1))
    dialog().querySelectorAll<HTMLElement>('input[type=radio]')[2]?.click()
    await vi.waitFor(() => expect(text(dialog())).toContain('a second owner corrupts its data'), 5_000)
    await click(dialog(), 'Allow several owners for each volume')
    await vi.waitFor(() => expect(text(dialog())).toContain('will have several owners'), 5_000)
    expect((control(dialog(), 'Share volume') as HTMLButtonElement).disabled).toBe(false)
  })

  it('unmaps it from all of its owners in one plan', async () => {
    const world = loggedIn()
    const [first] = world.mappings
    if (!first) throw new Error('Nothing is mapped.')
    const other = { ...first, id: 'mapping-other', host: 'host2', host_id: 'host-2', lun: 99 }
    world.mappings.push(other)
    const owner = { host: 'host2', host_group: null, family: 'scsi' as const, lun: 99 }
    world.volumes[0]?.mapped_to.push({ mapping_id: other.id, ...owner, state: 'open', reason: null })
    const { page } = await visit('/volumes/lun01', world)
    await click(page, 'Unmap all…')
    expect(text(dialog())).toContain('Remove 2 mappings')
    await click(dialog(), 'Unmap')
    expect(world.mappings.filter(({ volume }) => volume === 'lun01')).toEqual([])
  })

  it('unmaps it from one of its owners', async () => {
    const world = loggedIn()
    const { page } = await visit('/volumes/lun01', world)
    expect(control(page, 'host1 · LUN 1').getAttribute('href')).toBe('/hosts/host1')
    await click(page, 'Unmap lun01 from host1')
    await click(dialog(), 'Unmap')
    expect(world.mappings.some(({ volume }) => volume === 'lun01')).toBe(false)
  })
})
