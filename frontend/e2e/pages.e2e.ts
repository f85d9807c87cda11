/** Each page shows what the API of the same appliance answers, and nothing is fetched from anywhere else. */
import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { PAGES, logIn, pathOf } from './appliance'

interface Named {
  name?: string
  serial?: string
  initiator?: string
}

async function list(page: Page, noun: string): Promise<{ items: Named[]; total: number }> {
  const answer = await page.request.get(`/api/v1/${noun}?limit=50`)
  expect(answer.ok()).toBe(true)
  return (await answer.json()) as { items: Named[]; total: number }
}

test('disks, arrays, volumes, hosts, portals and sessions are those of the API', async ({ page }) => {
  await logIn(page)
  for (const noun of ['disks', 'arrays', 'volumes', 'hosts', 'portals', 'sessions'] as const) {
    const { items, total } = await list(page, noun)
    await page.goto(pathOf(noun))
    for (const item of items) {
      const words = item.name ?? item.serial ?? item.initiator ?? ''
      await expect(page.getByRole('main').getByText(words, { exact: true }).first()).toBeVisible()
    }
    if (total === 0) await expect(page.getByText(/^No /).first()).toBeVisible()
  }
})

test('the overview counts what the API counts', async ({ page }) => {
  await logIn(page)
  const status = (await (await page.request.get('/api/v1/status')).json()) as {
    sentence: string
    counts: Record<string, number | null>
  }
  await page.goto('/')
  await expect(page.getByRole('status').first()).toContainText(status.sentence)
  for (const noun of ['disks', 'arrays', 'volumes', 'hosts'])
    await expect(page.getByTestId(`count-${noun}`)).toContainText(String(status.counts[noun] ?? '—'))
})

test('no page asks any other machine for anything, or logs an error', async ({ page, baseURL }) => {
  const strangers: string[] = []
  const errors: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== new URL(baseURL ?? '').origin)
      strangers.push(request.url())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await logIn(page)
  // Before the login the page asks who we are, and 401 is the answer; the browser logs that.
  errors.length = 0
  for (const name of PAGES) {
    await page.goto(pathOf(name))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[data-testid="loading"]')).toHaveCount(0)
  }
  expect(strangers).toEqual([])
  expect(errors).toEqual([])
})

test('search, order and place are in the link', async ({ page }) => {
  await logIn(page)
  await page.goto('/volumes')
  await page.getByLabel('Search by name').fill('no-such-volume')
  await expect(page).toHaveURL(/q=no-such-volume/)
  await expect(page.getByText('Nothing matches “no-such-volume”')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Search by name')).toHaveValue('no-such-volume')
  await page.goto('/disks?sort=-size_bytes')
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-sort', 'descending')
})
