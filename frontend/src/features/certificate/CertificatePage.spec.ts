import { expect, it } from 'vitest'
import { facts } from '../../../mock/certificate'
import { click, dialog, field, settle, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

async function fill(label: string, value: string): Promise<void> {
  const area = field(dialog(), label) as unknown as HTMLTextAreaElement
  area.value = value
  area.dispatchEvent(new Event('input', { bubbles: true }))
  await settle()
}

it('tells what is shown now and when it ends', async () => {
  const world = loggedIn()
  world.certificate.not_after = new Date(Date.now() + 3.5 * 86_400_000).toISOString()
  const { page } = await visit('/settings/certificate', world)
  expect(page.textContent).toContain(world.certificate.fingerprint)
  expect(page.textContent).toContain('The certificate expires in 3 days')
  expect(page.textContent).not.toContain('Restore previous certificate')
})

it('says where it is wrong, keeps what was typed, and takes it after its plan', async () => {
  const world = loggedIn()
  const { page } = await visit('/settings/certificate', world)
  await click(page, 'Replace certificate')
  await fill('Certificate', '-----BEGIN CERTIFICATE-----')
  await fill('Private key', 'hello')
  await click(dialog(), 'Review the plan')
  expect(text(dialog())).toContain('it is not a private key in PEM format')
  await fill('Private key', 'the PRIVATE KEY of a test')
  await click(dialog(), 'Review the plan')
  expect(text(dialog())).toContain('for rack4, 10.20.0.2')
  await click(dialog(), 'Replace')
  await settle()
  expect(world.certificate.fingerprint).toBe(facts(2).fingerprint)
  expect(page.querySelector('main [role=status]')?.textContent).toContain(facts(2).fingerprint)
  expect(document.body.textContent).not.toContain('the PRIVATE KEY of a test')
})

it('goes back to the one before', async () => {
  const world = loggedIn()
  world.certificate.previous = facts(9)
  const { page } = await visit('/settings/certificate', world)
  await click(page, 'Restore previous certificate')
  await click(dialog(), 'Restore')
  await settle()
  expect(world.certificate.fingerprint).toBe(facts(9).fingerprint)
})

it('is not replaced here where it is kept elsewhere, nor by an operator', async () => {
  const world = loggedIn()
  world.certificate.replaceable = false
  const { page } = await visit('/settings/certificate', world)
  const buttons = [...page.querySelectorAll('button')].filter((one) => one.disabled)
  expect(buttons.map(text)).toEqual(['Generate self-signed certificate', 'Replace certificate'])
  expect(page.textContent).toContain('Replace them there.')
})

it('is not replaced here where TLS ends at a proxy, and says so', async () => {
  const world = loggedIn()
  world.isProxied = true
  const { page } = await visit('/settings/certificate', world)
  const buttons = [...page.querySelectorAll('button')].filter((one) => one.disabled)
  expect(buttons.map(text)).toEqual(['Generate self-signed certificate', 'Replace certificate'])
  const reason = 'TLS ends at a reverse proxy. Replace the certificate there.'
  expect(buttons.map(({ title }) => title)).toEqual([reason, reason])
  expect(page.textContent).toContain('a proxy in front of it does')
  expect(page.textContent).not.toContain('Try again')
})
