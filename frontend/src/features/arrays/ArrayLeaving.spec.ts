import { describe, expect, it, vi } from 'vitest'
import { click, control, dialog, field, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const ended = (words: string) => vi.waitFor(() => expect(text(dialog())).toContain(words), 8_000)

describe('an array that leaves', () => {
  it('lets an array go of which nothing is mapped, and offers to forget none that works', async () => {
    const world = loggedIn()
    for (const one of world.volumes) one.mapped_to = []
    const { page } = await visit('/arrays/tank', world)
    expect([...page.querySelectorAll('button')].map(text)).not.toContain('Forget')
    await click(page, 'Release')
    await vi.waitFor(() => control(dialog(), 'Release'), 8_000)
    await click(dialog(), 'Release')
    await ended('Done: Release array tank')
    expect(world.arrays.map(({ name }) => name)).not.toContain('tank')
  })

  it('says why an array with a mapped volume stays', async () => {
    const { page } = await visit('/arrays/tank', loggedIn())
    await click(page, 'Release')
    await vi.waitFor(() => expect(text(dialog())).toContain('is mapped: unmap it first'), 8_000)
  })

  it('forgets an array that is lost once its name was typed', async () => {
    const world = loggedIn()
    const [tank] = world.arrays
    if (!tank) throw new Error('The mock has no array.')
    Object.assign(tank, { health: 'missing', observed: null })
    const { page } = await visit('/arrays/tank', world)
    await click(page, 'Forget')
    await vi.waitFor(() => expect(text(dialog())).toContain('attach them instead'), 8_000)
    const go = [...dialog().querySelectorAll('button')].find((one) => text(one) === 'Forget')
    expect(go?.disabled).toBe(true)
    type(field(dialog(), 'This cannot be undone. Type tank to confirm'), 'tank')
    await vi.waitFor(() => expect(go?.disabled).toBe(false), 8_000)
    await click(dialog(), 'Forget')
    await vi.waitFor(() => expect(world.arrays).not.toContain(tank), 8_000)
    expect(world.volumes.filter((one) => one.array === 'tank')).toEqual([])
  })
})
