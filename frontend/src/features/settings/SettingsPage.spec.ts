import { describe, expect, it, vi } from 'vitest'
import {
  FakeEventSource,
  click,
  control,
  dialog,
  field,
  hold,
  settle,
  text,
  type,
  visit,
} from '../../../mock/visit'
import { loggedIn, makeWorld } from '../../../mock/world'

/** Events of this time are taken together. */
const GATHERED_MS = 400

const tick = async (page: Element, label: string) => {
  const found = [...page.querySelectorAll('label')].find((one) => text(one) === label)
  document.getElementById(found?.htmlFor ?? '')?.click()
  await settle()
}

describe('settings', () => {
  it('send a secret only where one was typed, and show none', async () => {
    const world = loggedIn()
    const { page } = await visit('/settings/notifications', world)
    expect(field(page, 'Signing secret').value).toBe('')
    expect(text(page)).toContain('Stored; type to replace')
    await tick(page, 'Send alerts by mail')
    type(field(page, 'Mail server'), 'mail.example.com')
    type(field(page, 'Sender'), 'san@example.com')
    type(field(page, 'User'), 'lunette')
    type(field(page, 'Password'), 'a-password')
    const lines = page.querySelector<HTMLTextAreaElement>('textarea')
    if (!lines) throw new Error('The form has no place for recipients.')
    lines.value = 'ops@example.com'
    lines.dispatchEvent(new Event('input', { bubbles: true }))
    await settle()
    await click(page, 'Review and save')
    expect(text(dialog())).toContain('server mail.example.com')
    await click(dialog(), 'Save changes')
    await settle()
    expect(world.settings.mail).toMatchObject({ user: 'lunette', has_password: true, port: 587 })
    expect(world.settings.webhook?.has_secret).toBe(true)
    expect(field(page, 'Password').value).toBe('')
  })

  it('show the server of a webhook alone, and leave the rest as it is unless another address is typed', async () => {
    const world = loggedIn()
    const { page } = await visit('/settings/notifications', world)
    expect(field(page, 'Address').value).toBe('https://hooks.example.com')
    expect(text(page)).toContain('The path is stored and not shown')
    type(field(page, 'Time'), '07:00')
    await settle()
    await click(page, 'Review and save')
    await click(dialog(), 'Save changes')
    await settle()
    expect(world.settings.webhook).toEqual({
      url: 'https://hooks.example.com',
      has_path: true,
      has_secret: true,
    })
    type(field(page, 'Address'), 'https://other.example.com')
    await settle()
    await click(page, 'Review and save')
    await click(dialog(), 'Save changes')
    await settle()
    expect(world.settings.webhook).toMatchObject({ url: 'https://other.example.com', has_path: false })
    expect(text(page)).not.toContain('The path is stored and not shown')
  })

  it('have a test that says for each channel what its server said', async () => {
    const world = loggedIn()
    world.settings.mail = {
      server: 'mail.example.com',
      port: 587,
      security: 'starttls',
      user: 'lunette',
      has_password: true,
      sender: 'san@example.com',
      recipients: ['ops@example.com'],
    }
    const { page, requests } = await visit('/settings/notifications', world)
    await click(page, 'Send test message')
    await settle()
    expect(requests.at(-1)).toBe('POST /settings/alerts:test')
    expect(text(page)).toContain('Mail: test message failed')
    expect(text(page)).toContain('refuses user lunette')
    expect(text(page)).toContain('Webhook: test message accepted')
  })

  it('are read and not changed by others than administrators', async () => {
    const world = loggedIn()
    if (world.me) world.me = { ...world.me, role: 'viewer' }
    const { page } = await visit('/settings', world)
    expect(text(page)).toContain('Only administrators can change the settings')
    const fields = [...page.querySelectorAll('main :is(input, select, textarea, [role=checkbox])')]
    expect(fields.length).toBeGreaterThan(5)
    expect(fields.filter((one) => !one.closest('fieldset[disabled]'))).toEqual([])
    expect(() => control(page, 'Review and save')).toThrow('No button')
  })

  it('are tested only as they are saved, and say so', async () => {
    const { page, requests } = await visit('/settings/notifications', loggedIn())
    const button = (label: string) => [...page.querySelectorAll('button')].find((one) => text(one) === label)
    expect(button('Send test message')?.disabled).toBe(false)
    type(field(page, 'Time'), '07:00')
    await settle()
    expect(button('Send test message')?.disabled).toBe(true)
    expect(text(page)).toContain('Save first: a test message uses the saved settings.')
    await click(page, 'Discard changes')
    expect(field(page, 'Time').value).toBe('')
    expect(button('Send test message')?.disabled).toBe(false)
    expect(button('Review and save')?.disabled).toBe(true)
    expect(requests.filter((one) => !one.startsWith('GET'))).toEqual([])
  })

  it('that were saved fill the form although an event cancels what was asked', async () => {
    const world = loggedIn()
    const { page } = await visit('/settings', world)
    type(field(page, 'Appliance name'), 'rack5')
    await settle()
    await click(page, 'Review and save')
    const release = hold('GET /settings')
    await click(dialog(), 'Save changes')
    FakeEventSource.last?.tell(JSON.stringify({ noun: 'setting', kind: 'setting.changed' }))
    await new Promise((resolve) => setTimeout(resolve, GATHERED_MS))
    release()
    await vi.waitFor(() => expect(text(page)).toContain('No changes.'), 5_000)
    expect(field(page, 'Appliance name').value).toBe('rack5')
  })

  it('of one page are saved without those of the others', async () => {
    const world = loggedIn()
    const { page } = await visit('/settings', world)
    type(field(page, 'Appliance name'), 'rack5')
    world.settings.heartbeat = '08:00'
    await settle()
    await click(page, 'Review and save')
    await click(dialog(), 'Save changes')
    await settle()
    expect([world.settings.name, world.settings.heartbeat]).toEqual(['rack5', '08:00'])
    expect(text(page)).toContain('No changes.')
  })

  it('offer every time zone by a part of its name', async () => {
    const { page } = await visit('/settings', loggedIn())
    const zone = field(page, 'Time zone')
    expect(zone.value).toBe('Europe/Berlin')
    const names = [...(zone.list?.options ?? [])].map((one) => one.value)
    expect(names).toContain('America/New_York')
    expect(names.filter((name) => name === 'UTC')).toHaveLength(1)
  })

  it('ask everybody for a second factor', async () => {
    const world = loggedIn({ ...makeWorld(), secondFactor: true })
    const { page } = await visit('/settings/security', world)
    await tick(page, 'Require a second factor')
    await settle()
    await click(page, 'Review and save')
    await click(dialog(), 'Save changes')
    await settle()
    expect(world.settings.second_factor_required).toBe(true)
  })

  it('choose the firewall, or leave it as the machine was installed', async () => {
    const world = loggedIn()
    const { page } = await visit('/settings/security', world)
    const label = [...page.querySelectorAll('label')].find((one) => text(one) === 'Firewall')
    const select = page.querySelector<HTMLSelectElement>(`#${CSS.escape(label?.htmlFor ?? '')}`)
    if (!select) throw new Error('The form has no choice of the firewall.')
    select.value = 'off'
    select.dispatchEvent(new Event('change', { bubbles: true }))
    await settle()
    await click(page, 'Review and save')
    await click(dialog(), 'Save changes')
    await settle()
    expect(world.settings.firewall).toBe('off')
  })

  it('ask for a login before discovery, and send no secret that was not typed', async () => {
    const world = loggedIn()
    const { page } = await visit('/settings/security', world)
    const boxes = [...page.querySelectorAll('label')]
    const label = boxes.find((one) => text(one) === 'Require authentication for discovery')
    document.getElementById(label?.htmlFor ?? '')?.click()
    await settle()
    type(field(page, 'CHAP user of the hosts'), 'hosts')
    type(field(page, 'CHAP secret of the hosts'), 'secret-of-hosts1')
    await settle()
    await click(page, 'Review and save')
    await click(dialog(), 'Save changes')
    await settle()
    expect(world.settings.discovery_auth).toEqual({
      user: 'hosts',
      has_secret: true,
      mutual_user: null,
      has_mutual_secret: false,
    })
    expect(field(page, 'CHAP secret of the hosts').value).toBe('')
  })

  it('say what waits and why', async () => {
    const world = loggedIn()
    world.settings.deliveries = [
      { channel: 'webhook', waiting: 4, trouble: 'hooks.example.com cannot be reached', last_told_at: null },
    ]
    const { page } = await visit('/settings/notifications', world)
    expect(text(page)).toContain('Webhook: 4 messages queued')
    expect(text(page)).toContain('hooks.example.com cannot be reached')
  })
})
