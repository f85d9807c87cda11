/** Sessions: the traffic of each, and how one is ended. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { click, control, dialog, settle, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const FOLLOWED_MS = 1_100

afterEach(() => vi.useRealTimers())

describe('sessions', () => {
  it('are ended by a plan that says that the host comes back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
    const world = loggedIn()
    const { page, requests } = await visit('/sessions', world)
    await click(page, 'Disconnect host2')
    expect(text(dialog())).toContain('logs in again automatically')
    expect(text(dialog())).toContain('host2')
    await click(dialog(), 'Disconnect')
    for (let round = 0; round < 3; round += 1) {
      await vi.advanceTimersByTimeAsync(FOLLOWED_MS)
      await settle()
    }
    const asked = requests.filter((one) => one.startsWith('POST /sessions/session-2:disconnect'))
    expect(asked).toEqual([
      'POST /sessions/session-2:disconnect?dry_run=true',
      'POST /sessions/session-2:disconnect?dry_run=false',
    ])
    expect(world.sessions.map((one) => one.id)).not.toContain('session-2')
    expect(world.sessions).toHaveLength(4)
  })

  it('tell why one cannot be ended', async () => {
    const world = loggedIn()
    world.sessions = world.sessions.map((one) =>
      one.host === 'host3'
        ? { ...one, can_disconnect: false, stays_because: 'LIO has no order for it.' }
        : one,
    )
    const { page } = await visit('/sessions', world)
    const button = control(page, 'Disconnect host3') as HTMLButtonElement
    expect([button.disabled, button.title]).toEqual([true, 'LIO has no order for it.'])
  })

  it('say which others there may be that nobody can list', async () => {
    const world = loggedIn()
    world.unseenSessions = [{ family: 'nvme', reason: 'This kernel does not tell who is connected.' }]
    const { page } = await visit('/sessions', world)
    expect(text(page)).toContain('Not all sessions can be listed')
    expect(text(page)).toContain('This kernel does not tell who is connected.')
  })
})
