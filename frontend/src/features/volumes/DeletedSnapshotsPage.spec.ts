import { expect, it, vi } from 'vitest'
import { deletedSnapshot } from '../../../mock/trash'
import { click, control, dialog, field, rows, settle, text, tick, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('shows what was deleted and until when it can be recovered', async () => {
  const { page } = await visit('/deleted-snapshots', loggedIn())
  expect(rows(page)).toHaveLength(1)
  expect(rows(page)[0]?.slice(1, 4)).toEqual(['before-update', '512 GiB', 'vm01'])
})

it('recovers one under the name that is given', async () => {
  const { page, requests } = await visit('/deleted-snapshots', loggedIn())
  control(page, 'Recover before-update').click()
  await settle()
  type(field(document.body, 'Name'), 'before-again')
  control(document.body, 'Review the plan').click()
  await settle()
  control(document.body, 'Recover').click()
  await settle()
  expect(requests).toContain('POST /deleted-snapshots/deleted-s1:recover?dry_run=false')
  expect(document.body.textContent).toContain('Recover snapshot before-update')
})

it('erases one only once its name is typed', async () => {
  const { page, requests } = await visit('/deleted-snapshots', loggedIn())
  control(page, 'Erase before-update').click()
  await settle()
  const erase = control(document.body, 'Erase')
  expect(erase).toHaveProperty('disabled', true)
  type(field(document.body, 'This cannot be undone. Type before-update to confirm'), 'before-update')
  await settle()
  control(document.body, 'Erase').click()
  await settle()
  expect(requests).toContain('DELETE /deleted-snapshots/deleted-s1?dry_run=false')
})

it('lets an operator recover, and only an administrator erase', async () => {
  const world = loggedIn()
  if (world.me) world.me.role = 'operator'
  const { page } = await visit('/deleted-snapshots', world)
  expect(control(page, 'Recover before-update')).toHaveProperty('disabled', false)
  expect(control(page, 'Erase before-update')).toHaveProperty('disabled', true)
})

it('recovers those that are selected in one plan, less one whose volume is deleted too', async () => {
  const world = loggedIn()
  world.deletedSnapshots = ['one', 'two', 'three'].map((name) =>
    deletedSnapshot({ id: `deleted-${name}`, name, volume_deleted: name === 'two' }),
  )
  const { page, requests } = await visit('/deleted-snapshots', world)
  await tick(page, 'Select all rows')
  await click(page, 'Recover…')
  expect([...dialog().querySelectorAll('[role="alert"] li')].map(text)).toEqual([
    'twoits volume vm01 was deleted after it; recover the volume first',
  ])
  await click(dialog(), 'Skip and continue with 2 snapshots')
  await click(dialog(), 'Recover')
  expect(requests).toContain('POST /deleted-snapshots:recover-batch?dry_run=false')
  await vi.waitFor(() => expect(world.deletedSnapshots.map(({ name }) => name)).toEqual(['two']), 8_000)
})
