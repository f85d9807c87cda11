/**
 * A fresh appliance, from its console's password to a host that reads back what it wrote. Everything is made in the
 * page, step after step; what stands at the end is the scene of all other tests.
 */
import { writeFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { LOGGED_IN, atTheMachine, fillLogin, list, oneTimePassword, password, username } from './appliance'
import { JOB_MS, confirm, dialog, review } from './changing'
import { press, tabTo } from './keyboard'

test.describe.configure({ mode: 'serial' })

/** What a first run may cost; what was never needed is not asked. */
const MOST_CLICKS = 15
const ESX1 = 'iqn.2026-01.com.example:esx1'

/** Where the clicks of a pointer and the time went: `to` ends a part. Keys are no clicks, and neither is typing. */
async function measured(page: Page) {
  await page.addInitScript(() => {
    const count = (event: Event) => {
      const { isTrusted, detail } = event as MouseEvent
      if (isTrusted && detail) sessionStorage['clicks'] = Number(sessionStorage['clicks'] ?? 0) + 1
    }
    document.addEventListener('click', count, true)
  })
  const parts: { part: string; clicks: number; seconds: number }[] = []
  let since = performance.now()
  const clicks = () => page.evaluate(() => Number(sessionStorage['clicks'] ?? 0))
  const to = async (part: string) => {
    const now = performance.now()
    const before = parts.reduce((sum, one) => sum + one.clicks, 0)
    parts.push({ part, clicks: (await clicks()) - before, seconds: (now - since) / 1000 })
    since = performance.now()
  }
  return { parts, clicks, to }
}

const step = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true })

test('nothing is shown without a login', async ({ page }) => {
  await page.goto('/volumes')
  await expect(page).toHaveURL(/\/login\?next=/)
  const answer = await page.request.get('/api/v1/volumes')
  expect(answer.status()).toBe(401)
})

test('the one-time password must be changed before anything else', async ({ page }) => {
  await page.goto('/login')
  await fillLogin(page, 'this is not the password')
  await expect(page.getByRole('alert')).toContainText('Incorrect')
  await fillLogin(page, oneTimePassword())
  await expect(page.getByRole('heading', { name: 'Set your password' })).toBeVisible()
  const closed = await page.request.get('/api/v1/volumes')
  expect(closed.status()).toBe(403)

  await page.getByLabel('New password', { exact: true }).fill('short')
  await page.getByLabel('Confirm new password').fill('short')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText(/12/).last()).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Navigation' })).toBeHidden()
})

test('15 clicks lead from the first login to a host that reads back what it wrote', async ({ page }) => {
  const cost = await measured(page)
  await page.goto('/login')
  await fillLogin(page, oneTimePassword())
  await page.getByLabel('New password', { exact: true }).fill(password())
  await page.getByLabel('Confirm new password').fill(password())
  await page.getByRole('button', { name: 'Set password' }).click()
  // A fresh appliance shows its first person the way.
  await expect(page.getByRole('heading', { level: 1, name: 'Set up storage' })).toBeVisible()
  await page.context().storageState({ path: LOGGED_IN })
  await cost.to('Log in and set a password')

  await expect(page.getByText('The agent responds')).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(step(page, 'This appliance')).toBeVisible()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await cost.to('Check the system')

  await page.getByRole('button', { name: 'Recommended layout' }).click()
  await expect(page.getByText('usable').first()).toBeVisible()
  await review(page)
  await confirm(page, /raid5 of 5 disks/, 'Create array')
  await expect(step(page, 'Create volumes')).toBeVisible({ timeout: JOB_MS })
  await cost.to('Create an array')

  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('lun01')
  await page.getByLabel('Size', { exact: true }).fill('16')
  await review(page)
  await confirm(page, /16 MiB/, 'Create volumes')
  await expect(step(page, 'Create a portal')).toBeVisible({ timeout: JOB_MS })
  await cost.to('Create a volume')

  await expect(page.getByLabel('Address', { exact: true })).not.toHaveValue(/^(0\.0\.0\.0|127\..*|)$/)
  await review(page)
  await confirm(page, /3260/, 'Create portal')
  await expect(step(page, 'Add hosts')).toBeVisible()
  await cost.to('Create a portal')

  await page.getByLabel('Name', { exact: true }).fill('esx1')
  await page.getByLabel('iSCSI names (IQN)').fill(ESX1)
  await review(page)
  await confirm(page, /1 initiator/, 'Create host')
  await expect(step(page, 'Map volumes')).toBeVisible()
  await cost.to('Add a host')

  await review(page)
  await confirm(page, /LUN 1 of esx1/, 'Map')
  await expect(step(page, 'Connect a host')).toBeVisible()
  await expect(page.getByText('Waiting for login')).toBeVisible()
  await cost.to('Map the volume')

  const [host] = await list<{ target_iqn: string }>(page, 'hosts', 'name=esx1')
  await expect
    .poll(async () => (await list<{ state: string }>(page, 'mappings', 'host=esx1')).map((one) => one.state))
    .toEqual(['open'])
  await atTheMachine('write-and-verify', { iqn: ESX1, target: host?.target_iqn ?? '', lun: 1 })
  await cost.to('Write, log out, log in, read back')

  const report = process.env['LUNETTE_FIRST_RUN']
  if (report) writeFileSync(report, JSON.stringify(cost.parts))
  expect(await cost.clicks(), JSON.stringify(cost.parts)).toBeLessThanOrEqual(MOST_CLICKS)
})

test('a keyboard alone logs in, makes volumes, a portal and a host, and maps in the matrix', async ({
  page,
}) => {
  const cost = await measured(page)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (name: string) => page.getByLabel(name, { exact: true })
  const type = async (name: string, text: string) => {
    await tabTo(page, field(name).last())
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(text)
  }
  const inDialog = (name: string) => dialog(page).getByRole('button', { name, exact: true }).last()

  await page.goto('/login?next=/start?step=volumes')
  await expect(field('User name')).toBeFocused()
  await page.keyboard.type(username)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password())
  await page.keyboard.press('Enter')

  await press(page, button('Create volumes'))
  await press(page, button('Multiple volumes'), 'Space')
  await type('First number', '2')
  await type('Number of volumes', '23')
  await type('Size of each volume', '16')
  await press(page, button('Thick'), 'Space')
  await expect(page.getByText('lun24')).toBeVisible()
  await press(page, button('Review the plan'))
  await press(page, inDialog('Create volumes'))
  await expect(step(page, 'Create a portal')).toBeVisible({ timeout: JOB_MS })

  await press(page, button('Create portal').first())
  // The name is proposed, and the focus is in it.
  await expect(dialog(page).getByLabel('Name', { exact: true })).toBeFocused()
  await expect(dialog(page).getByLabel('Name', { exact: true })).toHaveValue('storage2')
  await type('Port', '3262')
  await page.keyboard.press('Enter')
  await press(page, inDialog('Create portal'))
  await expect(page.getByText(/:3262$/)).toBeVisible()

  await press(page, button('Continue'))
  await press(page, button('Create host').first())
  await expect(dialog(page).getByLabel('Name', { exact: true })).toBeFocused()
  await page.keyboard.type('esx2')
  await tabTo(page, dialog(page).getByLabel('iSCSI names (IQN)'))
  await page.keyboard.type('iqn.2026-01.com.example:esx2')
  await press(page, inDialog('Review the plan'))
  await press(page, inDialog('Create host'))
  await expect(dialog(page)).toBeHidden()

  await page.goto('/mappings?host=esx1&volume=lun02')
  const grid = page.getByRole('grid')
  await tabTo(page, grid)
  await expect(grid.getByRole('gridcell', { name: 'esx1, lun02: not mapped' })).toBeVisible()
  await page.keyboard.press('Enter')
  await press(page, inDialog('Map'))
  await expect(grid.getByRole('gridcell', { name: /^esx1, lun02: LUN \d+, Online$/ })).toBeVisible()
  expect(await cost.clicks()).toBe(0)
})
