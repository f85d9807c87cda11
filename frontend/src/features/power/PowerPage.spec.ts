import { expect, it } from 'vitest'
import { click, dialog, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('restarts after a plan that names who is interrupted', async () => {
  const world = loggedIn()
  const { page } = await visit('/settings/power', world)
  await click(page, 'Restart')
  expect(text(dialog())).toContain('esx1')
  expect(text(dialog())).toContain('loses its paths until it has restarted')
  await click(dialog(), 'Restart')
  expect(world.jobs.map((job) => job.title)).toContain('Restart the appliance')
})

it('says before a shutdown that the system must be switched on again', async () => {
  const world = loggedIn()
  const { page } = await visit('/settings/power', world)
  await click(page, 'Shut down')
  expect(text(dialog())).toContain('until the system is switched on')
  expect(world.jobs.map((job) => job.title)).not.toContain('Shut down the appliance')
})

it('is for administrators', async () => {
  const world = loggedIn()
  if (world.me) world.me = { ...world.me, role: 'viewer' }
  const { page } = await visit('/settings/power', world)
  const buttons = [...page.querySelectorAll('button')].filter((one) => text(one) === 'Shut down')
  expect(buttons.map((one) => one.disabled)).toEqual([true])
})
