import { describe, expect, it } from 'vitest'
import { visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

describe('drift', () => {
  it('says that all is as wanted, or what differs and what to do', async () => {
    const world = loggedIn()
    const clean = await visit('/drift', world)
    expect(clean.page.textContent).toContain('The machine is as the database says')
    world.drift.items = [
      {
        kind: 'foreign',
        noun: 'pool',
        name: 'vg-theirs',
        words: 'a volume group that this appliance did not make',
        fix: 'It is never touched.',
        is_repaired: false,
      },
    ]
    world.drift.unseen = ['exports: the agent has not answered since this process started']
    world.drift.complete = false
    const { page } = await visit('/drift', world)
    expect(page.textContent).toContain('vg-theirs')
    expect(page.textContent).toContain('It is never touched.')
    expect(page.textContent).toContain('Not everything could be looked at')
    expect(page.textContent).not.toContain('The machine is as the database says')
  })
})
