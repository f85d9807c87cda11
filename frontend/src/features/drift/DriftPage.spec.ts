import { expect, it } from 'vitest'
import { visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const AS_WANTED = 'No differences'

it('says that all is as wanted', async () => {
  const { page } = await visit('/drift', loggedIn())
  expect(page.textContent).toContain(AS_WANTED)
})

it('says what differs, what to do, and what could not be looked at', async () => {
  const world = loggedIn()
  world.drift = {
    items: [
      {
        kind: 'foreign',
        noun: 'pool',
        name: 'vg-theirs',
        words: 'a volume group that this appliance did not create',
        fix: 'It is never touched.',
        is_repaired: false,
      },
    ],
    complete: false,
    unseen: ['exports: the agent has not answered since the API started'],
    repaired: null,
  }
  const { page } = await visit('/drift', world)
  expect(page.textContent).toContain('vg-theirs')
  expect(page.textContent).toContain('It is never touched.')
  expect(page.textContent).toContain('Some parts could not be checked')
  expect(page.textContent).not.toContain(AS_WANTED)
})
