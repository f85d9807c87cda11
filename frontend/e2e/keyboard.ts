/** A page used without a pointer: what is not reached with Tab is not reached. */
import { expect } from '@playwright/test'
import type { Locator, Page } from '@playwright/test'

const MOST_STOPS = 150

/** Tab until the focus is there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeEnabled()
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if (await target.evaluate((one) => one === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not stop there: ${target.toString()}`)
}

/** Uses what is reached with Tab. */
export async function press(page: Page, target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}
