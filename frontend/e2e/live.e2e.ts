/**
 * A change made in one place shows in another tab, told by the event stream: the list of events is the proof, because
 * nothing asks for it at intervals.
 */
import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { logIn } from './appliance'

async function change(page: Page, method: 'POST' | 'DELETE', path: string, headers = {}, data?: object) {
  const me = (await (await page.request.get('/api/v1/me')).json()) as { csrf_token: string }
  return page.request.fetch(`/api/v1${path}`, {
    method,
    data,
    headers: { 'X-CSRF-Token': me.csrf_token, 'Idempotency-Key': crypto.randomUUID(), ...headers },
  })
}

test('a host made elsewhere shows in a second tab by itself', async ({ page, context }) => {
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
    await expect(second.getByText(name).first()).toBeVisible()
    await expect(tile).toHaveText(new RegExp(`\\D${before + 1}$`))
  } finally {
    const etag = made.headers()['etag'] ?? ''
    const gone = await change(page, 'DELETE', `/hosts/${name}`, { 'If-Match': etag })
    expect(gone.ok(), await gone.text()).toBe(true)
  }
  await expect(tile).toHaveText(new RegExp(`\\D${before}$`))
})
