/** Active logins: who is logged in from where, and how a login is ended. */
import { describe, expect, it } from 'vitest'
import { click, control, dialog, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

describe('active logins', () => {
  it('say who is logged in from where, and which browser this is', async () => {
    const { page } = await visit('/logins', loggedIn())
    expect(text(page)).toContain('192.0.2.101')
    expect(text(page)).toContain('this browser')
    expect(text(page)).toContain('oscar')
  })

  it('are ended after their plan was seen, but not the one in use', async () => {
    const world = loggedIn()
    const { page, requests } = await visit('/logins', world)
    const own = control(page, 'End the login of admin') as HTMLButtonElement
    expect([own.disabled, own.title]).toEqual([true, 'This is your current login: log out instead'])
    await click(page, 'End the login of oscar')
    expect(text(dialog())).toContain('that browser has to log in again')
    expect(world.logins).toHaveLength(2)
    await click(dialog(), 'End login')
    expect(world.logins.map(({ username }) => username)).toEqual(['admin'])
    expect(requests.filter((one) => one.includes(':end'))).toEqual([
      'POST /logins/login-2:end?dry_run=true',
      'POST /logins/login-2:end?dry_run=false',
    ])
  })
})
