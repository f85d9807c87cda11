/** A ZFS pool with a spare, from the wizard to the replacement of a disk that was lost. */
import { expect, test } from '@playwright/test'
import { atTheMachine, list, logIn } from './appliance'
import { JOB_MS, confirm, dialog, finished, review } from './changing'
import { within } from './pace'

interface Disk {
  id: string
  serial: string
  transport: string
}

/** zpool takes up to a minute on an emulated machine that others share, and ZED acts when it sees the loss. */
const POOL_MS = within(600)
test.setTimeout(within(2400))

test('a pool with a spare is created, the spare replaces a pulled disk, and stands by again once that is replaced', async ({
  page,
}) => {
  await logIn(page)
  await page.goto('/arrays/new')
  const disks = (await list<Disk>(page, 'disks', 'sort=serial&limit=50&state=free')).filter(
    ({ transport }) => transport === 'nvme',
  )
  const [first, second, third, spare, fresh] = disks
  if (!first || !second || !third || !spare || !fresh)
    throw new Error(`Five drives are needed, there are ${disks.length}.`)
  for (const { serial } of [first, second, third])
    await page.getByLabel(serial, { exact: true }).first().check()
  await page.getByRole('radio', { name: /^ZFS\b/ }).check()
  await page.getByRole('radio', { name: /^RAID-Z1\b/ }).check()
  const spares = page.getByRole('listitem').filter({ hasText: 'Standby disks' })
  await spares.getByRole('button', { name: 'Choose disks: Spare' }).click()
  await spares.getByLabel(spare.serial, { exact: true }).check()
  await page.getByLabel('Name', { exact: true }).fill('pool')
  await review(page)
  await confirm(page, /raidz1 of 3 disks/, 'Create array')
  await finished(page)
  await expect(page.getByRole('heading', { level: 1, name: 'pool' })).toBeVisible()
  await expect(page.getByText('Healthy').first()).toBeVisible()
  const member = (disk: Disk) =>
    page.getByRole('list', { name: 'Disks' }).getByRole('listitem').filter({ hasText: disk.serial })
  await expect(member(spare)).not.toContainText('In sync')
  await expect(member(first)).toContainText('In sync')

  await atTheMachine('pull', { serial: second.serial })
  const alert = page.getByRole('row').filter({ hasText: second.id }).filter({ hasText: 'pool' })
  await page.goto('/alerts?show=open')
  await expect(alert.getByRole('link', { name: 'Replace disk' }).first()).toBeVisible({ timeout: POOL_MS })
  await page.goto('/arrays/pool')
  await expect(page.getByText('Healthy').first()).toBeVisible({ timeout: POOL_MS })
  await expect(member(spare)).toContainText('In sync', { timeout: JOB_MS })

  await page.goto('/alerts?show=open')
  await alert.getByRole('link', { name: 'Replace disk' }).first().click()
  await dialog(page).getByLabel('New disk').selectOption(fresh.id)
  await dialog(page).getByRole('button', { name: 'Review the plan' }).click()
  await confirm(page, new RegExp(fresh.id), 'Replace')
  await expect(dialog(page).getByText(/^Done: /)).toBeVisible({ timeout: POOL_MS })
  await dialog(page).getByRole('button', { name: 'Close' }).last().click()
  await expect(member(fresh)).toContainText('In sync', { timeout: POOL_MS })
  await expect(member(spare)).not.toContainText('In sync', { timeout: POOL_MS })
  await expect(member(second)).toBeHidden()
  await page.goto('/alerts?show=open')
  await expect(alert).toHaveCount(0, { timeout: POOL_MS })
})
