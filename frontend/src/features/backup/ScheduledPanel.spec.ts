import { describe, expect, it, vi } from 'vitest'
import { click, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const PASSPHRASE = 'a-long-passphrase'

const target = (url = 'https://nas.example.com/backups') => ({
  url,
  user: 'san1',
  has_password: true,
  has_passphrase: true,
  when: '0 3 * * *',
  keep: 14,
  certificate: true,
})
const state = {
  next_run_at: '2026-11-22T02:00:00Z',
  last_tried_at: null,
  trouble: null,
  untidy: null,
  stored: [],
}

function setUp(url?: string) {
  const world = loggedIn()
  world.settings.backup = target(url)
  world.settings.backup_state = { ...state }
  return world
}

describe('scheduled backups', () => {
  it('are set up with secrets that are then shown no more', async () => {
    const world = loggedIn()
    const { page } = await visit('/backup', world)
    await click(page, 'Set up')
    type(field(dialog(), 'Folder on the server'), ' https://nas.example.com/backups ')
    type(field(dialog(), 'User'), 'san1')
    type(field(dialog(), 'Password'), 'a-password')
    type(field(dialog(), 'Passphrase'), PASSPHRASE)
    type(field(dialog(), 'Confirm passphrase'), PASSPHRASE)
    await click(dialog(), 'Review the plan')
    await vi.waitFor(() => expect(text(dialog())).toContain('url https://nas.example.com/backups'))
    await click(dialog(), 'Save changes')
    await settle()
    expect(world.settings.backup).toEqual(target())
    expect(text(page)).toContain('Waiting for the first backup')
    await click(page, 'Edit')
    expect(field(dialog(), 'Passphrase').value).toBe('')
    expect(text(dialog())).toContain('Stored; type to replace')
  })

  it('are not planned with a passphrase that was typed in two ways', async () => {
    const { page, requests } = await visit('/backup', loggedIn())
    await click(page, 'Set up')
    type(field(dialog(), 'Folder on the server'), 'https://nas.example.com/backups')
    type(field(dialog(), 'Passphrase'), PASSPHRASE)
    type(field(dialog(), 'Confirm passphrase'), 'another-passphrase')
    await click(dialog(), 'Review the plan')
    await settle()
    expect(text(dialog())).toContain('The entries do not match')
    expect(requests.filter((one) => one.startsWith('PATCH'))).toEqual([])
  })

  it('are made now, and listed', async () => {
    const { page, requests } = await visit('/backup', setUp())
    await click(page, 'Back up now')
    await vi.waitFor(() => expect(text(page)).toContain('Up to date'))
    expect(requests).toContain('POST /appliance:store-backup')
    expect(text(page)).toMatch(/Backup rack4-0f1e2d3c-\d{8}T\d{6}Z\.lunette-backup stored/)
    expect(text(page)).toContain('1 backup on the server')
  })

  it('say why the server does not take one', async () => {
    const { page } = await visit('/backup', setUp('https://nas.example.com/full'))
    await click(page, 'Back up now')
    await vi.waitFor(() => expect(text(page)).toContain('Last backup failed'))
    expect(page.querySelector('[role=alert]')?.textContent).toContain('the server has no space left')
  })

  it('say what failed at their time, and what old ones stay', async () => {
    const world = setUp()
    world.settings.backup_state = {
      ...state,
      trouble: 'nas.example.com cannot be reached',
      untidy: 'no right',
    }
    const { page } = await visit('/backup', world)
    expect(text(page)).toContain('nas.example.com cannot be reached')
    expect(text(page)).toContain('The appliance tries again every 15 minutes')
    expect(text(page)).toContain('Old backups cannot be deleted')
  })

  it('are turned off, and what is stored stays', async () => {
    const world = setUp()
    const { page } = await visit('/backup', world)
    await click(page, 'Turn off')
    await vi.waitFor(() => expect(text(dialog())).toContain('stay there'))
    await click(dialog(), 'Turn off')
    await settle()
    expect(world.settings.backup).toBeNull()
    expect(text(page)).toContain('Set up')
  })
})
