import { expect, it } from 'vitest'
import { control, field, rows, settle, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('shows what was deleted and until when it can be recovered', async () => {
  const { page } = await visit('/deleted-volumes', loggedIn())
  expect(rows(page)).toHaveLength(1)
  expect(rows(page)[0]?.slice(0, 4)).toEqual(['old-data', '512 GiB', '128 GiB', 'tank'])
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

it('lets an operator recover, and only an administrator erase', async () => {
  const world = loggedIn()
  if (world.me) world.me.role = 'operator'
  const { page } = await visit('/deleted-volumes', world)
  expect(control(page, 'Recover old-data')).toHaveProperty('disabled', false)
  expect(control(page, 'Erase old-data')).toHaveProperty('disabled', true)
})
