/** The appliance under test, named by the environment, and the first steps every test takes on it. */
import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'

export const PAGES = [
  'overview',
  'disks',
  'arrays',
  'arrays/new',
  'volumes',
  'volumes/new',
  'hosts',
  'host-groups',
  'mappings',
  'portals',
  'sessions',
  'jobs',
  'alerts',
  'events',
  'users',
  'tokens',
  'password',
  'about',
] as const
export type PageName = (typeof PAGES)[number]

export const pathOf = (page: PageName): string => (page === 'overview' ? '/' : `/${page}`)

function needed(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Set ${name}: these tests run against a real appliance, see frontend/README.md`)
  return value
}

export const username = process.env['LUNETTE_USER'] ?? 'admin'
/** The password in force; the first test changes the one-time password to it. */
export const password = (): string => needed('LUNETTE_PASSWORD')
export const oneTimePassword = (): string | undefined => process.env['LUNETTE_ONE_TIME_PASSWORD']

export async function fillLogin(page: Page, secret: string): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Log in' }).click()
}

export async function logIn(page: Page): Promise<void> {
  await fillLogin(page, password())
  await expect(page.getByRole('navigation', { name: 'Navigation' })).toBeVisible()
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.addInitScript((choice) => localStorage.setItem('lunette-theme', choice), theme)
}
