import { expect, it, vi } from 'vitest'
import { deletedVolume } from '../../../mock/trash'
import { click, control, dialog, field, rows, settle, text, tick, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('shows what was deleted and until when it can be recovered', async () => {
  const { page } = await visit('/deleted-volumes', loggedIn())
  expect(rows(page)).toHaveLength(1)
  expect(rows(page)[0]?.slice(1, 5)).toEqual(['old-data', '512 GiB', '128 GiB', 'tank'])
})

it('recovers one under the name that is given', async () => {
  const { page, requests } = await visit('/deleted-volumes', loggedIn())
  control(page, 'Recover old-data').click()
  await settle()
  type(field(document.body, 'Name'), 'data-again')
  control(document.body, 'Review the plan').click()
  await settle()
  control(document.body, 'Recover').click()
  await settle()
  expect(requests).toContain('POST /deleted-volumes/deleted-1:recover?dry_run=false')
  expect(document.body.textContent).toContain('Recover volume old-data')
})

it('erases one only once its name is typed', async () => {
  const { page, requests } = await visit('/deleted-volumes', loggedIn())
  control(page, 'Erase old-data').click()
  await settle()
  const erase = control(document.body, 'Erase')
  expect(erase).toHaveProperty('disabled', true)
  type(field(document.body, 'This cannot be undone. Type old-data to confirm'), 'old-data')
  await settle()
  control(document.body, 'Erase').click()
  await settle()
  expect(requests).toContain('DELETE /deleted-volumes/deleted-1?dry_run=false')
})

const several = () => ({
  ...loggedIn(),
  deletedVolumes: ['one', 'two', 'lun01'].map((name) => deletedVolume({ id: `deleted-${name}`, name })),
})

it('recovers those that are selected in one plan, less one whose name is taken', async () => {
  const world = several()
  const { page, requests } = await visit('/deleted-volumes', world)
  await tick(page, 'Select all rows')
  await click(page, 'Recover…')
  const refused = dialog().querySelector('[role="alert"]')
  expect([...(refused?.querySelectorAll('li') ?? [])].map(text)).toEqual([
    'lun01another volume is now named lun01; recover this one under a new name',
  ])
  await click(dialog(), 'Skip and continue with 2 volumes')
  await click(dialog(), 'Recover')
  expect(requests).toContain('POST /deleted-volumes:recover-batch?dry_run=false')
  await vi.waitFor(() => expect(world.deletedVolumes.map(({ name }) => name)).toEqual(['lun01']), 8_000)
  expect(world.volumes.slice(-2).map(({ id, name }) => `${id} ${name}`)).toEqual([
    'deleted-one one',
    'deleted-two two',
  ])
})

it('erases those that are selected only once their number is typed', async () => {
  const world = several()
  const { page, requests } = await visit('/deleted-volumes', world)
  await tick(page, 'Select one', 'Select two')
  await click(page, 'Erase…')
  expect(control(dialog(), 'Erase')).toHaveProperty('disabled', true)
  type(field(dialog(), 'This cannot be undone. Type 2 volumes to confirm'), '2 volumes')
  await settle()
  await click(dialog(), 'Erase')
  expect(requests).toContain('POST /deleted-volumes:delete-batch?dry_run=false')
  await vi.waitFor(() => expect(world.deletedVolumes.map(({ name }) => name)).toEqual(['lun01']), 8_000)
})

it('lets an operator recover, and only an administrator erase', async () => {
  const world = loggedIn()
  if (world.me) world.me.role = 'operator'
  const { page } = await visit('/deleted-volumes', world)
  expect(control(page, 'Recover old-data')).toHaveProperty('disabled', false)
  expect(control(page, 'Erase old-data')).toHaveProperty('disabled', true)
})
