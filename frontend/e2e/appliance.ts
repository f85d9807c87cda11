/** The appliance under test, named by the environment, and the first steps every test takes on it. */
import { expect } from '@playwright/test'
import type { APIResponse, Page } from '@playwright/test'

/** Every page that stands on its own; those of one array or volume need its name. */
export const PAGES = [
  'overview',
  'start',
  'disks',
  'arrays',
  'arrays/new',
  'volumes',
  'volumes/new',
  'snapshots',
  'deleted-volumes',
  'deleted-snapshots',
  'hosts',
  'host-groups',
  'mappings',
  'performance',
  'topology',
  'portals',
  'subsystems',
  'interfaces',
  'sessions',
  'schedules',
  'jobs',
  'alerts',
  'events',
  'drift',
  'site',
  'site/adopt',
  'settings',
  'settings/certificate',
  'settings/updates',
  'settings/power',
  'backup',
  'users',
  'tokens',
  'logins',
  'password',
  'second-factor',
  'about',
  'reference',
  'reference/operations/volume_create',
] as const

export const pathOf = (page: string): string => (page === 'overview' ? '/' : `/${page}`)

/** Where the first test leaves the cookie of its login for all others. */
export const LOGGED_IN = 'test-results/logged-in.json'

function needed(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Set ${name}: these tests run against a real appliance, see frontend/README.md`)
  return value
}

export const username = process.env['LUNETTE_USER'] ?? 'admin'
/** The password in force; the first test changes the one-time password to it. */
export const password = (): string => needed('LUNETTE_PASSWORD')
export const oneTimePassword = (): string => needed('LUNETTE_ONE_TIME_PASSWORD')

/** Has something done at the machines: `tests/lab/hands.py` knows the acts. Throws with its words. */
export async function atTheMachine(act: string, what: Record<string, string | number> = {}): Promise<void> {
  const answer = await fetch(`${needed('LUNETTE_HANDS')}/${act}`, {
    method: 'POST',
    body: JSON.stringify(what),
  })
  if (!answer.ok) throw new Error(`${act}: ${await answer.text()}`)
}

export async function fillLogin(page: Page, secret: string, name = username): Promise<void> {
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Log in' }).click()
}

export async function logIn(page: Page): Promise<void> {
  await page.goto('/login')
  await fillLogin(page, password())
  await expect(page.getByRole('navigation', { name: 'Navigation' })).toBeVisible()
}

/** The page has its heading and waits for nothing any more. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[data-testid="loading"]')).toHaveCount(0)
}

/** A list of the API, read with the login of the page. */
export async function list<Row>(page: Page, noun: string, query = 'limit=50'): Promise<Row[]> {
  const answer = await page.request.get(`/api/v1/${noun}?${query}`)
  expect(answer.ok(), await answer.text()).toBe(true)
  return ((await answer.json()) as { items: Row[] }).items
}

/** A change made past the page, as a colleague or a script would make it. */
export async function change(
  page: Page,
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  data?: object,
): Promise<APIResponse> {
  const me = (await (await page.request.get('/api/v1/me')).json()) as { csrf_token: string }
  const headers: Record<string, string> = {
    'X-CSRF-Token': me.csrf_token,
    'Idempotency-Key': crypto.randomUUID(),
  }
  if (method !== 'POST')
    headers['If-Match'] = (await page.request.get(`/api/v1${path}`)).headers()['etag'] ?? ''
  const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers })
  expect(answer.ok(), await answer.text()).toBe(true)
  return answer
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.addInitScript((choice) => localStorage.setItem('lunette-theme', choice), theme)
}
