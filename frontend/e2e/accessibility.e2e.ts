/** WCAG 2.2 AA by axe on every page, light and dark, and what axe cannot see: keyboard and a small screen. */
import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { PAGES, logIn, pathOf, setTheme } from './appliance'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).withTags(RULES).analyze()
  return found.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`))
}

for (const theme of ['light', 'dark'] as const) {
  test(`no page breaks a rule of accessibility in ${theme}`, async ({ page }) => {
    test.slow()
    await setTheme(page, theme)
    await page.goto('/login')
    await expect(page.getByLabel('User name')).toBeVisible()
    expect(await violations(page), 'login').toEqual([])
    await logIn(page)
    for (const name of PAGES) {
      await page.goto(pathOf(name))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('[data-testid="loading"]')).toHaveCount(0)
      expect(await violations(page), name).toEqual([])
    }
    await page.goto('/hosts')
    await page.getByRole('button', { name: 'Create host' }).first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(await violations(page), 'host form').toEqual([])
    await page.keyboard.press('Escape')
    await page.goto('/mappings')
    await page.getByRole('grid').focus()
    await expect(page.getByRole('gridcell').first()).toBeVisible()
    expect(await violations(page), 'matrix with a cursor').toEqual([])
    await page.getByRole('button', { name: /^Account of/ }).click()
    await expect(page.getByRole('menu')).toBeVisible()
    expect(await violations(page), 'account menu').toEqual([])
  })
}

test('a keyboard alone reaches the content and the menu', async ({ page }) => {
  await logIn(page)
  await page.goto('/disks')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()
})

test('a telephone shows the same pages behind a menu button, without scrolling sideways', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/login')
  await logInOnTelephone(page)
  await page.getByRole('button', { name: 'Navigation' }).click()
  await page.getByRole('link', { name: 'Volumes' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Volumes' })).toBeVisible()
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
})

async function logInOnTelephone(page: Page): Promise<void> {
  await page.getByLabel('User name').fill(process.env['LUNETTE_USER'] ?? 'admin')
  await page.getByLabel('Password', { exact: true }).fill(process.env['LUNETTE_PASSWORD'] ?? '')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('button', { name: 'Navigation' })).toBeVisible()
}
