import { expect, it } from 'vitest'
import { click, dialog, rows, text, tick, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('lists the snapshots of all volumes, each with a link to its volume', async () => {
  const world = loggedIn()
  const { page, requests } = await visit('/snapshots', world)
  expect(rows(page)).toHaveLength(world.snapshots.length)
  const [first] = world.snapshots
  const link = page.querySelector(`a[href="/volumes/${first?.volume}"]`)
  expect(link && text(link)).toBe(first?.volume)
  expect(requests.find((one) => one.startsWith('GET /snapshots'))).toContain('sort=-created_at')
})

it('shows those of one volume', async () => {
  const { requests } = await visit('/snapshots?volume=vm01', loggedIn())
  expect(requests.some((one) => /^GET \/snapshots\?.*volume=vm01/.test(one))).toBe(true)
})

it('shows those that a schedule took, from the list of schedules', async () => {
  const { page, router, requests } = await visit('/schedules', loggedIn())
  await click(page, '3 snapshots retained')
  expect(router.currentRoute.value.fullPath).toBe('/snapshots?schedule=nightly')
  expect(requests.some((one) => /^GET \/snapshots\?.*schedule=nightly/.test(one))).toBe(true)
  expect(rows(page).map((cells) => cells.includes('nightly'))).toEqual([true, true])
})

it('deletes one after its plan', async () => {
  const world = loggedIn()
  const [first] = world.snapshots
  const { page, requests } = await visit('/snapshots', world)
  await click(page, `Delete ${first?.name}`)
  expect(text(dialog())).toContain(first?.name)
  expect(requests).toContain(`DELETE /snapshots/${first?.id}?dry_run=true`)
})

it('deletes those that are selected in one plan', async () => {
  const world = loggedIn()
  const [first, second] = world.snapshots.map(({ name }) => name)
  const { page, requests } = await visit('/snapshots', world)
  await tick(page, `Select ${first}`, `Select ${second}`)
  await click(page, 'Delete…')
  expect(text(dialog())).toContain(first)
  expect(text(dialog())).toContain(second)
  expect(requests.at(-1)).toContain('POST /snapshots:delete-batch?dry_run=true')
  expect(world.snapshots).toHaveLength(3)
})
