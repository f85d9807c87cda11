import { expect, it } from 'vitest'
import { click, dialog, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('restarts after a plan that names who is interrupted', async () => {
  const world = loggedIn()
  const { page } = await visit('/settings/power', world)
  await click(page, 'Restart')
  expect(text(dialog())).toContain('esx1')
  expect(text(dialog())).toContain('loses its paths until it is up again')
  await click(dialog(), 'Restart')
  expect(world.jobs.map((job) => job.title)).toContain('Restart the appliance')
})

it('says before it is switched off that somebody must switch it on', async () => {
  const world = loggedIn()
  const { page } = await visit('/settings/power', world)
  await click(page, 'Switch off')
  expect(text(dialog())).toContain('until somebody switches the machine on')
  expect(world.jobs.map((job) => job.title)).not.toContain('Switch the appliance off')
})

it('is for administrators', async () => {
  const world = loggedIn()
  if (world.me) world.me = { ...world.me, role: 'viewer' }
  const { page } = await visit('/settings/power', world)
  const buttons = [...page.querySelectorAll('button')].filter((one) => text(one) === 'Switch off')
  expect(buttons.map((one) => one.disabled)).toEqual([true])
})
