/** Pictures of every page in both themes, for the documentation and for the eye of whoever changed a page. */
import { test } from '@playwright/test'
import { PAGES, logIn, pathOf, setTheme } from './appliance'

const folder = process.env['LUNETTE_SCREENSHOTS'] ?? 'screenshots'

for (const theme of ['light', 'dark'] as const) {
  test(`pages in ${theme}`, async ({ page }) => {
    await setTheme(page, theme)
    await page.goto('/login')
    await page.getByLabel('User name').waitFor()
    await page.screenshot({ path: `${folder}/login-${theme}.png` })
    await logIn(page)
    for (const name of PAGES) {
      await page.goto(pathOf(name))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('[data-testid="loading"]').first().waitFor({ state: 'detached' })
      await page.getByText('Live', { exact: true }).waitFor()
      await page.screenshot({ path: `${folder}/${name.replace('/', '-')}-${theme}.png` })
    }
  })
}
