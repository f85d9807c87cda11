/** Changes as a person makes them on a real appliance: planned, confirmed, followed to their end, or refused in words. */
import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { logIn } from './appliance'

const run = Date.now().toString(36)
const HOST = `journey-host-${run}`
const VOLUME = `journey-${run}`

const dialog = (page: Page) => page.getByRole('dialog')

/** The dialog's plan, then its last button. */
async function confirm(page: Page, words: RegExp, verb: string, typed?: string): Promise<void> {
  await expect(dialog(page).getByText(words).first()).toBeVisible()
  if (typed)
    await dialog(page)
      .getByLabel(/^This cannot be taken back/)
      .fill(typed)
  await dialog(page).getByRole('button', { name: verb, exact: true }).click()
}

async function deleteRow(page: Page, path: string, name: string): Promise<void> {
  await page.goto(`${path}?q=${name}`)
  await page.getByRole('button', { name: `Delete ${name}` }).click()
}

test.describe.configure({ mode: 'serial' })

test('a volume is cut by a job that the dialog follows to its end', async ({ page }) => {
  await logIn(page)
  await page.goto('/volumes')
  await page.getByRole('link', { name: 'Create volumes' }).click()
  await page.getByLabel('Name', { exact: true }).fill(VOLUME)
  await page.getByLabel('Size', { exact: true }).fill('16')
  await page.getByLabel('Unit').selectOption('MiB')
  await page.getByRole('button', { name: 'Review the plan' }).click()
  await confirm(page, /16 MiB/, 'Create volumes')
  await expect(dialog(page).getByText(/^Done: /)).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Close' }).last().click()
  await expect(page).toHaveURL(/\/volumes$/)
})

test('a host is made, mapped in the matrix, served, and unmapped through the plan', async ({ page }) => {
  await logIn(page)
  await page.goto('/hosts')
  await page.getByRole('button', { name: 'Create host' }).first().click()
  await dialog(page).getByLabel('Name', { exact: true }).fill(HOST)
  await dialog(page).getByLabel('iSCSI names (IQN)').fill(`iqn.2026-01.com.example:${HOST}`)
  await dialog(page).getByRole('button', { name: 'Review the plan' }).click()
  await confirm(page, /1 initiator/, 'Create host')
  await expect(page.getByRole('cell', { name: HOST }).first()).toBeVisible()

  await page.goto(`/mappings?host=${HOST}&volume=${VOLUME}`)
  await page.getByRole('grid').focus()
  await expect(page.getByRole('gridcell', { name: `${HOST}, ${VOLUME}: not mapped` })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('gridcell', { name: `${HOST}, ${VOLUME}: LUN 1, Served` })).toBeVisible()

  await page.keyboard.press('Enter')
  await confirm(page, new RegExp(`LUN 1 of ${HOST} goes away`), 'Unmap')
  await expect(page.getByRole('gridcell', { name: `${HOST}, ${VOLUME}: not mapped` })).toBeVisible()
})

test('what the appliance refuses is shown in its words, and nothing typed is lost', async ({ page }) => {
  await logIn(page)
  await page.goto('/hosts')
  await page.getByRole('button', { name: 'Create host' }).first().click()
  await dialog(page).getByLabel('Name', { exact: true }).fill(HOST)
  await dialog(page).getByLabel('iSCSI names (IQN)').fill('not an initiator')
  await dialog(page).getByRole('button', { name: 'Review the plan' }).click()
  await expect(dialog(page).getByRole('alert').first()).toContainText('expected an iSCSI name')
  await expect(dialog(page).getByLabel('iSCSI names (IQN)')).toHaveValue('not an initiator')
  await page.keyboard.press('Escape')

  // A volume that is mapped is not deleted, whatever is clicked.
  await deleteRow(page, '/volumes', 'lun01')
  await expect(dialog(page).getByRole('alert').first()).toContainText('delete these mappings first')
  await expect(dialog(page).getByRole('button', { name: 'Delete', exact: true })).toBeDisabled()
})

test('a deletion that cannot be taken back asks for the name', async ({ page }) => {
  await logIn(page)
  await deleteRow(page, '/volumes', VOLUME)
  const button = dialog(page).getByRole('button', { name: 'Delete', exact: true })
  await expect(dialog(page).getByText('16 MiB of data will be destroyed')).toBeVisible()
  await expect(button).toBeDisabled()
  await confirm(page, /data are lost/, 'Delete', VOLUME)
  await expect(dialog(page).getByText(/^Done: /)).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByText(`Nothing matches “${VOLUME}”`)).toBeVisible()

  await deleteRow(page, '/hosts', HOST)
  await confirm(page, /its initiators are forgotten/, 'Delete')
  await expect(page.getByText(`Nothing matches “${HOST}”`)).toBeVisible()
})
