/** A change made in one place shows in another tab at once, told by the event stream and not by polling. */
import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { logIn } from './appliance'

/** Much shorter than any interval at which the overview asks by itself (src/app/queries.ts: 10 s). */
const AT_ONCE_MS = 4_000

async function change(page: Page, method: 'POST' | 'DELETE', path: string, headers = {}, data?: object) {
  const me = (await (await page.request.get('/api/v1/me')).json()) as { csrf_token: string }
  return page.request.fetch(`/api/v1${path}`, {
    method,
    data,
    headers: { 'X-CSRF-Token': me.csrf_token, 'Idempotency-Key': crypto.randomUUID(), ...headers },
  })
}

test('a host made elsewhere is counted in a second tab at once', async ({ page, context }) => {
  await logIn(page)
  const second = await context.newPage()
  await second.goto('/')
  await expect(second.getByText('Live', { exact: true })).toBeVisible()
  const tile = second.getByTestId('count-hosts')
  await expect(tile).toHaveText(/\d/)
  const before = Number((await tile.innerText()).replace(/\D/g, ''))

  const name = `live-${Date.now()}`
  const made = await change(page, 'POST', '/hosts', {}, { name, os_type: 'linux' })
  expect(made.status(), await made.text()).toBe(201)
  try {
    await expect(tile).toHaveText(new RegExp(`\\D${before + 1}$`), { timeout: AT_ONCE_MS })
    await expect(second.getByText(name).first()).toBeVisible({ timeout: AT_ONCE_MS })
  } finally {
    const etag = made.headers()['etag'] ?? ''
    const gone = await change(page, 'DELETE', `/hosts/${name}`, { 'If-Match': etag })
    expect(gone.ok(), await gone.text()).toBe(true)
  }
  await expect(tile).toHaveText(new RegExp(`\\D${before}$`), { timeout: AT_ONCE_MS })
})
