import { describe, expect, it, vi } from 'vitest'
import { externalEngine, lvmEngine, mdEngine, zfsEngine } from '../../../mock/engines'
import { nvmeDisk, sasDisk } from '../../../mock/storage'
import { click, control, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
const PAUSE_MS = 500
/** The API was queried about the content of the form, and has answered. */
const planned = async () => {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  await vi.waitFor(() => expect(document.querySelector('[aria-busy=true]')).toBeNull(), 5_000)
  await settle()
}

async function choose(page: Element, label: string, value: string) {
  const select = page.querySelector<HTMLSelectElement>(`select[aria-label="${label}"]`)
  if (!select) throw new Error(`no list ${label}`)
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
  await settle()
}

const summary = (page: Element): string => {
  const panel = [...page.querySelectorAll('section')].find((one) => one.textContent?.includes('Summary'))
  return panel ? (panel.textContent ?? '').replace(/\s+/g, ' ') : ''
}

function tick(page: Element, label: string): void {
  const found = [...page.querySelectorAll('label')].find((one) => text(one) === label)
  const box = document.getElementById(found?.htmlFor ?? '') ?? found?.querySelector('input')
  if (!box) throw new Error(`nothing to tick is called ${label}`)
  box.click()
}

const radio = (page: Element, value: string) =>
  page.querySelector<HTMLInputElement>(`input[value=${value}]`)?.click()

const review = (page: Element) => control(page, 'Review the plan') as HTMLButtonElement

describe('the wizard', () => {
  it('shows the capacity the API plans as soon as there are enough disks', async () => {
    const { page, requests } = await visit('/arrays/new', loggedIn())
    expect(summary(page)).toContain('RAID 5 needs at least 3 disks')
    await choose(page, 'Number of disks: ST12000NM004J', '3')
    await planned()
    expect(summary(page)).toContain('21.8 TiB')
    expect(summary(page)).toContain('one disk')
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual(['POST /arrays?dry_run=true'])
    expect(review(page).disabled).toBe(false)
  })

  it.each([true, false])(
    'offers a partial parity log unless a disk has a write cache: %s',
    async (cached) => {
      const world = loggedIn()
      for (const { observed } of world.disks) if (observed) observed.write_cache = cached
      const { page } = await visit('/arrays/new', world)
      await choose(page, 'Number of disks: ST12000NM004J', '3')
      await planned()
      expect(summary(page)).toContain('RAID 5')
      const offered = [...page.querySelectorAll<HTMLInputElement>('fieldset input[type=radio]')].map(
        ({ value }) => value,
      )
      expect(offered).toContain('bitmap')
      expect(offered.includes('ppl')).toBe(!cached)
    },
  )

  it('follows the number of disks with the usual level until one is chosen', async () => {
    const { page } = await visit('/arrays/new', loggedIn())
    await choose(page, 'Number of disks: ST12000NM004J', '2')
    expect(summary(page)).toContain('RAID 1')
    radio(page, 'raid10')
    await choose(page, 'Number of disks: ST12000NM004J', '3')
    expect(summary(page)).toContain('RAID 10')
  })

  it('recommends engine, level and disks, and comes back to them from another choice', async () => {
    const { page } = await visit('/arrays/new', loggedIn())
    radio(page, 'raid10')
    await click(page, 'Recommended layout')
    await planned()
    expect(summary(page)).toContain('RAID 5')
    expect(summary(page)).toContain('Disks')
    radio(page, 'raid6')
    await settle()
    await click(page, 'Recommended layout')
    await planned()
    expect(summary(page)).toContain('RAID 5')
    expect(review(page).disabled).toBe(false)
  })

  it('wipes no disk of which nobody said so, and asks for the name before it does', async () => {
    const { page, requests } = await visit('/arrays/new', loggedIn())
    await choose(page, 'Number of disks: ST12000NM004J', '3')
    tick(page, 'ZL2A004Q')
    requests.splice(0) // on a busy machine the plan of the first three disks has been requested already
    await planned()
    expect(summary(page)).toContain('One selected disk is not blank. Confirm that it can be wiped')
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual([])
    expect(page.querySelector('fieldset')?.textContent).toContain('ext4: backup')
    tick(page, 'Allow wipe')
    await planned()
    expect(summary(page)).toContain('1 disk will be wiped')
    await click(page, 'Review the plan')
    expect(text(dialog())).toContain('it carries an ext4 signature (label backup): all data is lost')
    expect((control(dialog(), 'Create array') as HTMLButtonElement).disabled).toBe(true)
    expect(field(dialog(), 'This cannot be undone. Type tank2 to confirm')).toBeTruthy()
  })

  it('makes the array by a job and leads to its page when that is closed', async () => {
    const world = loggedIn()
    const { page, router } = await visit('/arrays/new', world)
    await choose(page, 'Number of disks: ST12000NM004J', '3')
    type(field(page, 'Name'), 'archive')
    await planned()
    await click(page, 'Review the plan')
    await click(dialog(), 'Create array')
    await vi.waitFor(() => expect(text(dialog())).toContain('Done: Create array archive'), 8_000)
    expect(world.arrays.map(({ name }) => name)).toContain('archive')
    ;[...dialog().querySelectorAll('button')].at(-1)?.click()
    await vi.waitFor(() => expect(router.currentRoute.value.fullPath).toBe('/arrays/archive'), 8_000)
  })

  it('keeps all that was chosen where the job was taken back', async () => {
    const world = loggedIn()
    world.failingStep = 'the tool is broken'
    const { page, router } = await visit('/arrays/new', world)
    await choose(page, 'Number of disks: ST12000NM004J', '3')
    await planned()
    await click(page, 'Review the plan')
    await click(dialog(), 'Create array')
    await vi.waitFor(() => expect(text(dialog())).toContain('the tool is broken'), 5_000)
    await click(dialog(), 'Close')
    await settle()
    expect(router.currentRoute.value.name).toBe('arrayNew')
    expect(summary(page)).toContain('Disks3')
  })

  it('shows a refusal under the field it names', async () => {
    const { page } = await visit('/arrays/new', loggedIn())
    await choose(page, 'Number of disks: ST12000NM004J', '3')
    type(field(page, 'Name'), 'tank')
    await planned()
    const described = field(page, 'Name').getAttribute('aria-describedby') ?? ''
    const messages = described.split(' ').map((id) => document.getElementById(id)?.textContent)
    expect(messages.join()).toContain('array tank exists already')
    expect(review(page).disabled).toBe(true)
  })

  it('makes a pool with disks beside its data', async () => {
    const world = loggedIn()
    world.disks.push(...[5, 6, 7].map((number) => sasDisk(number)))
    const { page } = await visit('/arrays/new', world)
    await choose(page, 'Number of disks: ST12000NM004J', '4')
    radio(page, 'zfs')
    await settle()
    radio(page, 'raidz1')
    await settle()
    expect(page.textContent).not.toContain('Write-hole protection')
    await click(page, 'Choose disks: Log')
    await choose(page, 'Number of disks: ST12000NM004J, Log', '1')
    await planned()
    expect(summary(page)).toContain('ZFS · RAID-Z1')
    expect(summary(page)).toContain('Log1')
    await click(page, 'Review the plan')
    await click(dialog(), 'Create array')
    await vi.waitFor(() => expect(text(dialog())).toContain('Done: Create array'), 5_000)
    const made = world.arrays.at(-1)
    expect(made).toMatchObject({ engine: 'zfs', level: 'raidz1' })
    expect(made?.members.map(({ role }) => role)).toEqual(['data', 'data', 'data', 'data', 'log'])
  })

  it('asks for what the level has: groups of a dRAID, no chunk of a pool', async () => {
    const { page } = await visit('/arrays/new', loggedIn())
    expect(page.textContent).toContain('Chunk size')
    radio(page, 'zfs')
    await settle()
    radio(page, 'draid1')
    await settle()
    expect(page.textContent).toContain('Distributed spares')
    expect(page.textContent).not.toContain('Chunk size')
  })

  it('shows an engine that is missing with the reason, and takes one it was never told of', async () => {
    const world = loggedIn()
    const strange = { ...mdEngine(), engine: 'vendorraid' }
    world.engines = [mdEngine(), { ...zfsEngine(), available: false, reason: 'install zfs-dkms' }, strange]
    const { page } = await visit('/arrays/new', world)
    expect(page.textContent).toContain('install zfs-dkms')
    expect(page.querySelector<HTMLInputElement>('input[value=zfs]')?.disabled).toBe(true)
    radio(page, 'vendorraid')
    await settle()
    expect(summary(page)).toContain('vendorraid')
  })

  it('takes a device as it is, with the command that tells its health', async () => {
    const world = loggedIn()
    world.engines = [mdEngine(), externalEngine(['myraid'])]
    const { page } = await visit('/arrays/new', world)
    radio(page, 'external')
    await choose(page, 'Number of disks: ST12000NM004J', '1')
    expect(summary(page)).toContain('unknown to Lunette')
    expect(page.textContent).not.toContain('Write-hole protection')
    const command = field(page, 'Health command') as unknown as HTMLSelectElement
    expect([...command.options].map(({ text: label }) => label)).toEqual(['None', 'myraid'])
    await planned()
    expect(review(page).disabled).toBe(false)
  })

  it('offers checksums where the engine has them', async () => {
    const world = loggedIn()
    world.engines = [mdEngine(), lvmEngine()]
    const { page } = await visit('/arrays/new', world)
    expect(page.textContent).not.toContain('Checksums')
    radio(page, 'lvm')
    await settle()
    const checksums = field(page, 'Checksums') as unknown as HTMLSelectElement
    expect([...checksums.options].map(({ text: label }) => label)).toEqual(['None', 'On each disk'])
  })

  it('says so when no disk can be taken', async () => {
    const world = loggedIn()
    world.disks = [nvmeDisk(1)]
    const { page } = await visit('/arrays/new', world)
    expect(page.textContent).toContain('No disks available')
  })
})
