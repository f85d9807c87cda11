/** A change as a person makes it: the dialog's plan is read, confirmed, and its job followed to the end. */
import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { within } from './pace'

export const dialog = (page: Page) => page.getByRole('dialog')

/** The dialog's plan says `words`; then the button that makes the change. `typed` is the name it asks for. */
export async function confirm(page: Page, words: RegExp, verb: string, typed?: string): Promise<void> {
  await expect(dialog(page).getByText(words).first()).toBeVisible()
  if (typed)
    await dialog(page)
      .getByLabel(/^(This cannot be undone\. )?Type /)
      .fill(typed)
  await dialog(page).getByRole('button', { name: verb, exact: true }).click()
}

export async function review(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review the plan' }).click()
}

/** Jobs take as long as the machine below takes: 24 volumes one and a half minutes, where other guests share its cores. */
export const JOB_MS = within(240)

/** The job of the dialog is done, and the dialog closed. */
export async function finished(page: Page): Promise<void> {
  await expect(dialog(page).getByText(/^Done: /)).toBeVisible({ timeout: JOB_MS })
  await dialog(page).getByRole('button', { name: 'Close' }).last().click()
  await expect(dialog(page)).toBeHidden()
}

export async function deleteRow(page: Page, path: string, name: string): Promise<void> {
  await page.goto(`${path}?q=${name}`)
  await page.getByRole('button', { name: `Delete ${name}` }).click()
}
