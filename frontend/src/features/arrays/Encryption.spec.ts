import { describe, expect, it, vi } from 'vitest'
import { PASSPHRASE } from '../../../mock/encryption'
import { click, control, field, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

function vaultWorld(change: Record<string, unknown> = {}) {
  const world = loggedIn()
  const [tank] = world.arrays
  if (!tank) throw new Error('The mock has no array.')
  Object.assign(tank, { encryption: 'luks2', locked: true, ...change })
  return { world, tank }
}

describe('an encrypted array', () => {
  it('says that it waits for its key, and is unlocked by the passphrase alone', async () => {
    const { world, tank } = vaultWorld()
    const { page, requests } = await visit('/arrays/tank', world)
    expect(text(page)).toContain('Locked: exports wait for the key')
    type(field(page, 'Passphrase'), 'something else')
    await click(page, 'Unlock')
    await vi.waitFor(() => expect(text(page)).toContain('does not unlock array tank'), 8_000)
    expect(tank.locked).toBe(true)
    type(field(page, 'Passphrase'), PASSPHRASE)
    await click(page, 'Unlock')
    await vi.waitFor(() => expect(text(page)).toContain('Encrypted, unlocked'), 8_000)
    expect(requests.filter((one) => one.includes(':unlock'))).toHaveLength(2)
  })

  it('sends what was filled in again under the same key, and anything else under another', async () => {
    const { world, tank } = vaultWorld()
    world.isAnswerLost = true
    const { page } = await visit('/arrays/tank', world)
    type(field(page, 'Passphrase'), PASSPHRASE)
    await click(page, 'Unlock')
    await vi.waitFor(() => expect(world.answered.size).toBe(1), 8_000)
    tank.locked = true
    await click(page, 'Unlock')
    await vi.waitFor(() => expect(field(page, 'Passphrase').value).toBe(''), 8_000)
    expect([world.answered.size, tank.locked]).toEqual([1, true])
    type(field(page, 'Passphrase'), PASSPHRASE)
    await click(page, 'Unlock')
    await vi.waitFor(() => expect([world.answered.size, tank.locked]).toEqual([2, false]), 8_000)
  })

  it('offers a change of keys once it is unlocked', async () => {
    const { page } = await visit('/arrays/tank', vaultWorld({ locked: false }).world)
    expect(text(page)).toContain('After each start, the array stays locked until you enter the passphrase')
    expect(control(page, 'Change keys')).toBeTruthy()
  })

  it('offers an operator to unlock it, and no change of keys', async () => {
    const { world } = vaultWorld()
    if (world.me) world.me.role = 'operator'
    const { page } = await visit('/arrays/tank', world)
    expect(control(page, 'Unlock')).toBeTruthy()
    expect(text(page)).not.toContain('Change keys')
  })

  it('shows nothing of keys for an array that is not encrypted', async () => {
    const { page } = await visit('/arrays/tank', loggedIn())
    expect(text(page)).not.toContain('Encryption')
  })
})
