import { describe, expect, it, vi } from 'vitest'
import { click, control, dialog, field, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const DISKS = 'ol[aria-label=Disks] li'
const bays = (page: Element) => [...page.querySelectorAll(DISKS)].map(text)
const ended = (words: string) => vi.waitFor(() => expect(text(dialog())).toContain(words), 8_000)

function spareWorld() {
  const world = loggedIn()
  const [tank] = world.arrays
  const free = world.disks.filter(({ state }) => state === 'free')
  if (!tank) throw new Error('The mock has no array.')
  const [first, second] = tank.members
  if (first) first.state = 'faulty'
  if (second) second.state = 'missing'
  return { world, tank, free }
}

describe('the map of an array', () => {
  it('shows each disk in its slot with its state and what can be done with it', async () => {
    const { page } = await visit('/arrays/tank', spareWorld().world)
    expect(bays(page)).toHaveLength(8)
    expect(bays(page)[0]).toContain('Slot 0')
    expect(bays(page)[0]).toContain('FaultyReplaceRe-addRemove')
    expect(bays(page)[2]).toContain('In syncReplaceMark as failed')
  })

  it('shows of a disk that is no data disk what it is for', async () => {
    const { world, tank } = spareWorld()
    Object.assign(tank.members[0] ?? {}, { role: 'log', slot: null, state: 'in_sync' })
    const { page } = await visit('/arrays/tank', world)
    expect(bays(page)[7]).toContain('Log')
    expect(bays(page)[7]).not.toContain('No slot')
  })

  it('asks at once for the replacement of the disk that the page of a disk named', async () => {
    const { tank, world } = spareWorld()
    const { router } = await visit(`/arrays/tank?replace=${tank.members[2]?.disk_id}`, world)
    await vi.waitFor(() => expect(text(dialog())).toContain(tank.members[2]?.serial))
    expect(text(dialog())).toContain('Replace')
    expect(router.currentRoute.value.query).toEqual({})
  })

  it('shows what the kernel does now, how fast and how long still', async () => {
    const { page } = await visit('/arrays/tank', loggedIn())
    expect(page.textContent).toContain('41.7 % · 1.33 GiB/s · 24 min 20 s left')
    expect(page.textContent).toContain('Last scrub or resyncScrubMismatches0 sectors')
  })

  it('shows how the write hole is treated now, not how it was chosen to be', async () => {
    const world = loggedIn()
    const [tank] = world.arrays
    if (tank?.observed) tank.observed.write_hole = 'none'
    const { page } = await visit('/arrays/tank', world)
    expect(page.textContent).toContain('No write log')
    expect(page.textContent).not.toContain('Partial parity log')
  })

  it('says that an array stays stopped, and starts it once its name was typed', async () => {
    const world = loggedIn()
    const [tank] = world.arrays
    if (!tank?.observed) throw new Error('The mock has no array.')
    Object.assign(tank, { health: 'missing' })
    Object.assign(tank.observed, { dirty_degraded: true, progress: null })
    const { page } = await visit('/arrays/tank', world)
    expect(page.textContent).toContain('Stopped: dirty and degraded')
    expect([...page.querySelectorAll('button')].map(text)).not.toContain('Start scrub')
    await click(page, 'Force start')
    const go = [...dialog().querySelectorAll('button')].find((one) => text(one) === 'Force start')
    expect(go?.disabled).toBe(true)
    type(field(dialog(), 'This cannot be undone. Type tank to confirm'), 'tank')
    await vi.waitFor(() => expect(go?.disabled).toBe(false), 8_000)
    await click(dialog(), 'Force start')
    await ended('Done: Start array tank by force')
    expect(tank.observed.dirty_degraded).toBe(false)
  })

  it('has a disk of a mirror read no more, and says so', async () => {
    const world = loggedIn()
    const [tank] = world.arrays
    if (!tank) throw new Error('The mock has no array.')
    Object.assign(tank, { level: 'raid1', write_mostly: [tank.members[1]?.disk_id] })
    const { page } = await visit('/arrays/tank', world)
    expect(bays(page)[1]).toContain('Clear write-mostly')
    const button = page.querySelector<HTMLElement>(
      `button[aria-label="Set write-mostly: ${tank.members[0]?.serial}"]`,
    )
    button?.click()
    await vi.waitFor(() => control(dialog(), 'Set write-mostly'), 8_000)
    await click(dialog(), 'Set write-mostly')
    await vi.waitFor(
      () => expect(tank.write_mostly).toEqual([tank.members[1]?.disk_id, tank.members[0]?.disk_id]),
      8_000,
    )
  })

  it('offers only what the engine does with its level', async () => {
    const world = loggedIn()
    const [tank] = world.arrays
    if (tank) tank.level = 'raid0'
    const { page } = await visit('/arrays/tank', world)
    expect([...page.querySelectorAll(`${DISKS} button`)]).toEqual([])
    const offered = [...page.querySelectorAll('button')].map(text)
    expect(offered).toContain('Delete')
    expect(offered).not.toContain('Add data disks')
    expect(offered).not.toContain('Add spares')
  })

  it('offers a viewer nothing to do', async () => {
    const world = loggedIn()
    if (world.me) world.me.role = 'viewer'
    const { page } = await visit('/arrays/tank', world)
    expect([...page.querySelectorAll(`${DISKS} button`)]).toEqual([])
  })
})

describe('what is asked of an array', () => {
  it('exchanges a lost disk for a new one through the plan', async () => {
    const { world, tank, free } = spareWorld()
    const { page, requests } = await visit('/arrays/tank', world)
    await click(page, `Replace: ${tank.members[0]?.serial}`)
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain(`disk ${free[0]?.id} takes its place`)
    await click(dialog(), 'Replace')
    await ended('Done: Replace disk')
    expect(requests).toContain('POST /arrays/array-1:replace?dry_run=false')
    expect(tank.members.map(({ disk_id }) => disk_id)).toContain(free[0]?.id)
  })

  it('adds the spares that were chosen', async () => {
    const { world, tank, free } = spareWorld()
    const { page } = await visit('/arrays/tank', world)
    await click(page, 'Add spares')
    const box = [...dialog().querySelectorAll('label')].find((one) => text(one) === free[1]?.serial)
    box?.click()
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Add spares')
    await ended('Done: Add spares')
    expect(tank.members.at(-1)).toMatchObject({ disk_id: free[1]?.id, state: 'spare' })
  })

  it('grows by the disks that were chosen', async () => {
    const { world, tank, free } = spareWorld()
    const { page } = await visit('/arrays/tank', world)
    await click(page, 'Add data disks')
    const box = [...dialog().querySelectorAll('label')].find((one) => text(one) === free[1]?.serial)
    box?.click()
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Add data disks')
    await ended('Done: Grow array tank')
    expect(tank.members.at(-1)).toMatchObject({ disk_id: free[1]?.id, role: 'data' })
  })

  it('adds disks for the role that was chosen', async () => {
    const { world, tank, free } = spareWorld()
    const offered = world.engines.flatMap(({ levels }) => levels).find(({ level }) => level === tank.level)
    offered?.verbs.push('add_disks')
    const { page } = await visit('/arrays/tank', world)
    await click(page, 'Add log, cache or special disks')
    expect(text(dialog())).toContain('Log disks receive synchronous writes first')
    const box = [...dialog().querySelectorAll('label')].find((one) => text(one) === free[1]?.serial)
    box?.click()
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Add log, cache or special disks')
    await ended('Done: Add disks')
    expect(tank.members.at(-1)).toMatchObject({ disk_id: free[1]?.id, role: 'log' })
  })

  it('makes a RAID 5 a RAID 6 with the disk that was chosen', async () => {
    const { world, tank, free } = spareWorld()
    tank.level = 'raid5'
    const { page, requests } = await visit('/arrays/tank', world)
    await click(page, 'Change level')
    expect(text(dialog())).toContain('The new level needs one more disk')
    const box = [...dialog().querySelectorAll('label')].find((one) => text(one) === free[1]?.serial)
    box?.click()
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Change level')
    await ended('Done: Change array tank to raid6')
    expect(requests).toContain('POST /arrays/array-1:reshape?dry_run=false')
    expect(tank).toMatchObject({ level: 'raid6' })
    expect(tank.members.at(-1)).toMatchObject({ disk_id: free[1]?.id })
  })

  it('hands the pace back to the kernel where nothing is typed', async () => {
    const world = loggedIn()
    Object.assign(world.arrays[0] ?? {}, { sync_speed_max_bytes_s: 200 * 2 ** 20 })
    const { page } = await visit('/arrays/tank', world)
    await click(page, 'Set resync speed')
    expect(field(dialog(), 'Maximum').value).toBe('200')
    type(field(dialog(), 'Minimum'), '50')
    type(field(dialog(), 'Maximum'), '')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Set resync speed')
    expect(world.arrays[0]).toMatchObject({
      sync_speed_min_bytes_s: 50 * 2 ** 20,
      sync_speed_max_bytes_s: null,
    })
  })

  it('puts an array into a spare group, and out of it where nothing is typed', async () => {
    const world = loggedIn()
    Object.assign(world.arrays[0] ?? {}, { spare_group: 'shelf' })
    const { page } = await visit('/arrays/tank', world)
    expect(text(page)).toContain('Spare groupshelf')
    await click(page, 'Set spare group')
    expect(field(dialog(), 'Spare group').value).toBe('shelf')
    type(field(dialog(), 'Spare group'), ' ')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Set spare group')
    expect(world.arrays[0]).toMatchObject({ spare_group: null })
  })

  it('shows how the array is tuned and why, and changes what it has', async () => {
    const { page, requests } = await visit('/arrays/tank', loggedIn())
    expect(text(page)).toContain('Parity threads4 automatichalf of 8 cores')
    await click(page, 'Tune')
    expect(text(dialog())).not.toContain('I/O scheduler')
    type(field(dialog(), 'Stripe cache'), '1024')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('group_thread_cnt, stripe_cache_size')
    await click(dialog(), 'Tune')
    expect(requests).toContain('PATCH /arrays/array-1?dry_run=false')
    await vi.waitFor(() => expect(text(page)).toContain('Stripe cache1024 manualcurrently 256'), 8_000)
  })

  it('stops a check that runs, and offers none beside it', async () => {
    const { page, requests } = await visit('/arrays/tank', loggedIn())
    await click(page, 'Start scrub')
    await click(dialog(), 'Start scrub')
    await ended('Done: Scrub')
    await click(dialog(), 'Close')
    await vi.waitFor(() => control(page, 'Stop scrub'), 8_000)
    expect(() => control(page, 'Scrub and repair')).toThrow()
    expect(requests).toContain('POST /arrays/array-1:scrub?dry_run=false')
  })
})
