import { expect, it } from 'vitest'
import { CODE } from '../../../mock/secondFactor'
import { loggedIn, makeWorld } from '../../../mock/world'
import { control, field, settle, text, type, visit } from '../../../mock/visit'

async function open(secondFactor: boolean) {
  const world = loggedIn({ ...makeWorld(), secondFactor })
  return { world, ...(await visit('/second-factor', world)) }
}

async function click(page: Element, label: string) {
  control(page, label).click()
  await settle()
}

async function prove(page: Element, password: string, code?: string) {
  type(field(page, 'Current password'), password)
  if (code) type(field(page, 'Code'), code)
  await settle()
}

it('sets one up after the password was typed again', async () => {
  const { world, page } = await open(false)
  expect(text(page)).toContain('Anyone who has your password can log in')
  await click(page, 'Set up a second factor')
  await prove(page, 'wrong')
  await click(page, 'Continue')
  expect(text(page)).toContain('is not the current password')
  await prove(page, world.password)
  await click(page, 'Continue')
  expect(page.querySelector('svg[aria-label^=QR] path')?.getAttribute('d')?.length).toBeGreaterThan(1000)
  type(field(page, 'Current code from the app'), '000000')
  await click(page, 'Enable second factor')
  expect(text(page)).toContain('is not a code of the new secret')
  type(field(page, 'Current code from the app'), CODE)
  await click(page, 'Enable second factor')
  expect(text(page)).toContain('abcd-efgh-jkmn')
  expect(text(page)).not.toContain('Cancel')
  await click(page, 'I have stored the codes')
  expect(world.secondFactor).toBe(true)
  expect(text(page)).toContain('Each login requires a code')
  expect(text(page)).not.toContain('abcd-efgh-jkmn')
})

it('makes new recovery codes and removes it, each with password and code', async () => {
  const { world, page } = await open(true)
  await click(page, 'Create new recovery codes')
  await prove(page, world.password, '000000')
  await click(page, 'Create new recovery codes')
  expect(text(page)).toContain('wait for the next one')
  await prove(page, world.password, CODE)
  await click(page, 'Create new recovery codes')
  expect(page.querySelectorAll('[data-testid=recovery-code]')).toHaveLength(4)
  await click(page, 'I have stored the codes')
  await click(page, 'Remove the second factor')
  await prove(page, world.password, CODE)
  await click(page, 'Remove the second factor')
  expect(world.secondFactor).toBe(false)
  expect(text(page)).toContain('Anyone who has your password can log in')
})

it('asks for a code where one was set up in another window meanwhile', async () => {
  const { world, page } = await open(false)
  await click(page, 'Set up a second factor')
  world.secondFactor = true
  await prove(page, world.password)
  await click(page, 'Continue')
  expect(text(page)).toContain('wait for the next one')
  type(field(page, 'Code'), CODE)
  await click(page, 'Continue')
  expect(page.querySelector('svg[aria-label^=QR]')).not.toBeNull()
})

it('shows what is so now, not when the application was loaded', async () => {
  const { world, page, router } = await open(false)
  await router.push('/password')
  world.secondFactor = true
  await router.push('/second-factor')
  await settle()
  expect(text(page)).toContain('Each login requires a code')
})
