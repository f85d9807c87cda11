/** What happens to storage over the years: a disk is lost and replaced, a moment is kept and cloned for another host. */
import { expect, test } from '@playwright/test'
import { atTheMachine, list } from './appliance'
import { confirm, dialog, finished, review } from './changing'

interface Disk {
  id: string
  serial: string
  transport: string
}

test('a pulled disk raises an alert that is acknowledged and leads to its replacement, and the array is whole again', async ({
  page,
}) => {
  // Drives of the machine that can be pulled while it runs.
  await page.goto('/arrays/new')
  const disks = (await list<Disk>(page, 'disks', 'sort=serial&limit=50&state=free')).filter(
    ({ transport }) => transport !== 'ubd',
  )
  const [first, second, fresh] = disks
  if (!first || !second || !fresh) throw new Error(`Three drives are needed, there are ${disks.length}.`)
  for (const { serial } of [first, second]) await page.getByLabel(serial, { exact: true }).check()
  await page.getByRole('radio', { name: /^RAID 1\b/ }).check()
  await page.getByLabel('Name', { exact: true }).fill('mirror')
  await review(page)
  await confirm(page, /raid1 of 2 disks/, 'Create array')
  await finished(page)
  await expect(page.getByRole('heading', { level: 1, name: 'mirror' })).toBeVisible()
  await expect(page.getByText('Healthy').first()).toBeVisible()

  await atTheMachine('pull', { serial: second.serial })
  await expect(page.getByText('Degraded').first()).toBeVisible()
  await page.goto('/alerts')
  const alert = page.getByRole('row').filter({ hasText: 'mirror' }).first()
  await expect(alert).toContainText(second.id)
  await alert.getByRole('button', { name: /^Acknowledge: / }).click()
  await dialog(page).getByLabel('Note').fill('the new one is in slot 3')
  await dialog(page).getByRole('button', { name: 'Review the plan' }).click()
  await confirm(page, /mirror/, 'Acknowledge')
  await expect(alert).toContainText('Acknowledged by admin: the new one is in slot 3')

  await alert.getByRole('link', { name: 'Replace disk' }).click()
  await dialog(page).getByLabel('New disk').selectOption(fresh.id)
  await dialog(page).getByRole('button', { name: 'Review the plan' }).click()
  await confirm(page, new RegExp(fresh.id), 'Replace')
  await finished(page)
  await expect(page.getByText('Healthy').first()).toBeVisible()
  const map = page.getByRole('list', { name: 'Disks' })
  await expect(map.getByText(fresh.serial)).toBeVisible()
  await expect(map.getByText(second.serial)).toBeHidden()
  await page.goto('/alerts?show=open')
  await expect(page.getByRole('row').filter({ hasText: 'mirror' })).toHaveCount(0)
})

test(
  'a snapshot of a thin volume becomes a clone that another host gets, and the broken link is named until it logs in',
  { tag: '@slow' },
  async ({ page }) => {
    await page.goto('/volumes/new')
    await page.getByLabel('Name', { exact: true }).fill('vm01')
    await page.getByLabel('Size', { exact: true }).fill('32')
    await page.getByLabel('Unit').selectOption('MiB')
    const arrays = await list<{ id: string; name: string }>(page, 'arrays')
    const tank = arrays.find(({ name }) => name === 'tank')
    await page.getByLabel('Array', { exact: true }).selectOption(tank?.id ?? '')
    await page.getByRole('button', { name: 'Thin', exact: true }).click()
    await review(page)
    await confirm(page, /thin/, 'Create volumes')
    await finished(page)

    await page.goto('/volumes/vm01')
    await page.getByRole('button', { name: 'Take snapshot' }).click()
    await dialog(page).getByLabel('Name', { exact: true }).fill('before-upgrade')
    await dialog(page).getByRole('button', { name: 'Review the plan' }).click()
    await confirm(page, /before-upgrade/, 'Take snapshot')
    await finished(page)
    await expect(page.getByText('before-upgrade', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Clone before-upgrade' }).click()
    await dialog(page).getByLabel('Name', { exact: true }).fill('vm02')
    await dialog(page).getByRole('button', { name: 'Review the plan' }).click()
    await confirm(page, /vm02/, 'Clone')
    await finished(page)

    await page.goto('/mappings?host=esx2&volume=vm02')
    await page.getByRole('grid').focus()
    await expect(page.getByRole('gridcell', { name: 'esx2, vm02: not mapped' })).toBeVisible()
    await page.keyboard.press('Enter')
    await confirm(page, /LUN \d+ of esx2/, 'Map')
    const cell = page.getByRole('gridcell', { name: /^esx2, vm02: LUN \d+, Online/ })
    await expect(cell).toBeVisible()
    const lun = Number(/LUN (\d+)/.exec((await cell.getAttribute('aria-label')) ?? '')?.[1])
    await page.getByRole('link', { name: 'Check host visibility' }).click()
    await expect(page.getByText(/^The path is broken at the session/)).toBeVisible()

    const [host] = await list<{ target_iqn: string }>(page, 'hosts', 'name=esx2')
    const iqn = 'iqn.2026-01.com.example:esx2'
    await atTheMachine('write-and-verify', { iqn, target: host?.target_iqn ?? '', lun })

    await page.goto('/volumes/vm01')
    await page.getByRole('button', { name: 'Delete before-upgrade' }).click()
    await confirm(page, /can be recovered for 24 hours/, 'Delete')
    await finished(page)
    await expect(page.getByText('No snapshots yet')).toBeVisible()
  },
)
