import { expect, it } from 'vitest'
import { token } from '../../../mock/people'
import { CODE } from '../../../mock/secondFactor'
import { loggedIn, makeWorld } from '../../../mock/world'
import type { World } from '../../../mock/world'
import { control, field, settle, text, type, visit } from '../../../mock/visit'

async function logIn(world: World, password: string) {
  const opened = await visit('/login', world)
  type(field(opened.page, 'User name'), 'admin')
  type(field(opened.page, 'Password'), password)
  control(opened.page, 'Log in').click()
  await settle()
  return opened
}

async function setPassword(page: Element, fresh: string, repeated = fresh) {
  type(field(page, 'New password'), fresh)
  type(field(page, 'Confirm new password'), repeated)
  control(page, 'Set password').click()
  await settle()
}

const oneTime = (): World => ({ ...makeWorld(), password: 'once-only', isOneTime: true })

it('leads to the overview with the right password', async () => {
  const { router, page } = await logIn(makeWorld(), 'moonlight-over-tank')
  expect(router.currentRoute.value.name).toBe('overview')
  expect(page.textContent).toContain('lunette-rack4')
})

it('shows why a login was refused and stays', async () => {
  const { router, page } = await logIn(makeWorld(), 'wrong')
  expect(page.querySelector('[role=alert]')?.textContent).toBe('Incorrect user name or password')
  expect(router.currentRoute.value.name).toBe('login')
})

it('asks for a new password after the one-time password, without asking for the old one again', async () => {
  const world = oneTime()
  const { router, page, requests } = await logIn(world, 'once-only')
  expect(page.textContent).toContain('Set your password')
  expect(page.textContent).not.toContain('Current password')
  await setPassword(page, 'a-much-better-password')
  expect(world.password).toBe('a-much-better-password')
  expect(router.currentRoute.value.name).toBe('overview')
  expect(requests).toContain('POST /password')
})

it('refuses two entries that differ without asking the server', async () => {
  const { page, requests } = await logIn(oneTime(), 'once-only')
  await setPassword(page, 'a-much-better-password', 'a-much-better-passwort')
  expect(page.textContent).toContain('The entries do not match')
  expect(requests).not.toContain('POST /password')
})

it("puts the server's refusal under the field it names", async () => {
  const { page } = await logIn(oneTime(), 'once-only')
  await setPassword(page, 'short')
  const described = field(page, 'New password').getAttribute('aria-describedby') ?? ''
  const messages = described.split(' ').map((id) => page.querySelector(`[id="${id}"]`)?.textContent)
  expect(messages.join()).toContain('give at least 12 characters')
})

const withFactor = (): World => ({ ...makeWorld(), secondFactor: true })

async function giveCode(page: Element, code: string) {
  type(field(page, 'Code'), code)
  control(page, 'Log in').click()
  await settle()
}

it('asks for a code where there is a second factor, and says why one is not taken', async () => {
  const { router, page } = await logIn(withFactor(), 'moonlight-over-tank')
  expect(page.querySelector('[role=alert]')).toBeNull()
  await giveCode(page, '000000')
  expect(page.querySelector('[role=alert]')?.textContent).toContain('The code was not accepted')
  expect(page.querySelector('[role=alert]')?.textContent).toContain('used before')
  await giveCode(page, CODE)
  expect(router.currentRoute.value.name).toBe('overview')
})

it('asks for another code with the new password after the one-time password', async () => {
  const world: World = { ...oneTime(), secondFactor: true }
  const { router, page } = await logIn(world, 'once-only')
  await giveCode(page, CODE)
  expect(text(page)).not.toContain('Current password')
  type(field(page, 'Code'), '000000')
  await setPassword(page, 'a-much-better-password')
  expect(text(page)).toContain('wait for the next one')
  type(field(page, 'Code'), CODE)
  await setPassword(page, 'a-much-better-password')
  expect(world.password).toBe('a-much-better-password')
  expect(router.currentRoute.value.name).toBe('overview')
})

it('goes back from the code to name and password', async () => {
  const { page } = await logIn(withFactor(), 'moonlight-over-tank')
  control(page, 'Log in as a different user').click()
  await settle()
  expect(field(page, 'Password').value).toBe('')
})

it('sets up a second factor before anything else where the appliance asks for one', async () => {
  const world = makeWorld()
  world.settings = { ...world.settings, second_factor_required: true }
  const { router, page } = await logIn(world, 'moonlight-over-tank')
  expect(page.querySelector('svg[aria-label^=QR]')).not.toBeNull()
  type(field(page, 'Current code from the app'), CODE)
  control(page, 'Enable second factor').click()
  await settle()
  expect(page.querySelectorAll('[data-testid=recovery-code]')).toHaveLength(4)
  control(page, 'I have stored the codes').click()
  await settle()
  expect(world.secondFactor).toBe(true)
  expect(router.currentRoute.value.name).toBe('overview')
})

it('leads to the second factor where it is asked for while somebody is logged in', async () => {
  const world = loggedIn()
  const { router, page, queryClient } = await visit('/disks', world)
  world.settings = { ...world.settings, second_factor_required: true }
  await queryClient.invalidateQueries()
  await settle()
  expect(router.currentRoute.value.fullPath).toBe('/login?next=/disks')
  expect(text(page)).toContain('Set up a second factor')
  type(field(page, 'Current password'), world.password)
  control(page, 'Continue').click()
  await settle()
  type(field(page, 'Current code from the app'), CODE)
  control(page, 'Enable second factor').click()
  await settle()
  control(page, 'I have stored the codes').click()
  await settle()
  expect(router.currentRoute.value.fullPath).toBe('/disks')
})

it('asks for the password where the one of the login is refused', async () => {
  const world = makeWorld()
  const passwords = [world.password]
  Object.defineProperty(world, 'password', { get: () => passwords.shift() ?? 'changed meanwhile' })
  world.settings = { ...world.settings, second_factor_required: true }
  const { page } = await logIn(world, 'moonlight-over-tank')
  expect(text(page)).toContain('is not the current password')
  type(field(page, 'Current password'), 'changed meanwhile')
  control(page, 'Continue').click()
  await settle()
  expect(page.querySelector('svg[aria-label^=QR]')).not.toBeNull()
})

it('lets somebody leave who does not set one up now', async () => {
  const world = makeWorld()
  world.settings = { ...world.settings, second_factor_required: true }
  const { page, requests } = await logIn(world, world.password)
  control(page, 'Log out').click()
  await settle()
  expect(requests).toContain('POST /logout')
  expect(world.me).toBeUndefined()
  expect(field(page, 'User name').value).toBe('')
})

it('shows what was typed when asked to', async () => {
  const { page } = await visit('/login', makeWorld())
  expect(field(page, 'Password').type).toBe('password')
  control(page, 'Show password').click()
  await settle()
  expect(field(page, 'Password').type).toBe('text')
})

it.each([
  [false, 0],
  [true, 3],
])('ends the API tokens with the old password unless they are to stay: %s', async (stay, left) => {
  const world = loggedIn()
  world.tokens = ['ci', 'backup', 'ansible'].map((name) => token(name))
  const { page } = await visit('/password', world)
  type(field(page, 'Current password'), world.password)
  if (stay) page.querySelector<HTMLElement>('[role=checkbox]')?.click()
  await setPassword(page, 'a-much-better-password')
  expect(world.password).toBe('a-much-better-password')
  expect(world.tokens).toHaveLength(left)
})
