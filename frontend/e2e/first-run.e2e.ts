/**
 * A fresh appliance, from its console's password to a host that reads back what it wrote. Everything is made in the
 * page, step after step; what stands at the end is the scene of all other tests.
 */
import { expect, test } from '@playwright/test'
import { LOGGED_IN, atTheMachine, fillLogin, list, oneTimePassword, password } from './appliance'
import { confirm, dialog, finished, review } from './changing'

test.describe.configure({ mode: 'serial' })

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

  await page.getByLabel('New password', { exact: true }).fill(password())
  await page.getByLabel('Confirm new password').fill(password())
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByRole('navigation', { name: 'Navigation' })).toBeVisible()
  // A fresh appliance shows its first person the way.
  await expect(page.getByRole('heading', { level: 1, name: 'Set up storage' })).toBeVisible()
  await expect(page.getByText('The agent responds')).toBeVisible()
  await page.context().storageState({ path: LOGGED_IN })
})

test.describe('logged in', () => {
  test.use({ storageState: LOGGED_IN })

  test('disks become an array, 24 volumes, and what a host writes to the first of them is read back', async ({
    page,
  }) => {
    await page.goto('/arrays/new')
    for (const number of [1, 2, 3, 4]) await page.getByLabel(`LUN-UBD-0${number}`).check()
    await page.getByLabel(/^RAID 5/).check()
    await expect(page.getByText('usable').first()).toBeVisible()
    await review(page)
    await confirm(page, /raid5 of 4 disks/, 'Create array')
    await finished(page)
    await expect(page.getByRole('heading', { name: 'tank' })).toBeVisible()

    await page.goto('/volumes/new')
    await page.getByRole('button', { name: 'Multiple volumes' }).click()
    await page.getByRole('spinbutton', { name: 'Number of volumes' }).fill('24')
    await page.getByLabel('Size of each volume').fill('16')
    await page.getByLabel('Unit').selectOption('MiB')
    await expect(page.getByText('lun24')).toBeVisible()
    await review(page)
    await confirm(page, /16 MiB/, 'Create volumes')
    await finished(page)

    await page.goto('/hosts')
    for (const host of ['esx1', 'esx2']) {
      await page.getByRole('button', { name: 'Create host' }).first().click()
      await dialog(page).getByLabel('Name', { exact: true }).fill(host)
      await dialog(page).getByLabel('iSCSI names (IQN)').fill(`iqn.2026-01.com.example:${host}`)
      await review(page)
      await confirm(page, /1 initiator/, 'Create host')
      await expect(page.getByRole('cell', { name: host }).first()).toBeVisible()
    }

    await page.goto('/portals')
    await page.getByRole('button', { name: 'Create portal' }).first().click()
    await dialog(page).getByLabel('Name', { exact: true }).fill('storage')
    await review(page)
    await confirm(page, /3260/, 'Create portal')
    await expect(page.getByRole('cell', { name: 'storage' }).first()).toBeVisible()

    await page.goto('/mappings?host=esx1')
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('Enter')
    await confirm(page, /LUN 1 of esx1/, 'Map')
    await expect(grid.getByRole('gridcell', { name: 'esx1, lun01: LUN 1, Online' })).toBeVisible()

    const [host] = await list<{ target_iqn: string }>(page, 'hosts', 'name=esx1')
    await atTheMachine('write-and-verify', {
      iqn: 'iqn.2026-01.com.example:esx1',
      target: host?.target_iqn ?? '',
      lun: 1,
    })
  })
})
