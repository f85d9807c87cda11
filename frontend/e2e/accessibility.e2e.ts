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

/** Looks at the page as it stands in both themes: loading it twice would take most of the time. */
async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await page.evaluate(async (isDark) => {
      document.documentElement.classList.toggle('dark', isDark)
      const fading = document.getAnimations().filter((one) => one instanceof CSSTransition)
      await Promise.allSettled(fading.map((one) => one.finished))
    }, theme === 'dark')
    expect(await violations(page), `${name}, ${theme}`).toEqual([])
  }
}

test('the chosen theme is the class of the page', async ({ page }) => {
  await setTheme(page, 'dark')
  await page.goto('/login')
  await expect(page.locator('html')).toHaveClass(/\bdark\b/)
})

test('no page breaks a rule of accessibility in either theme', async ({ page }) => {
  test.slow()
  await setTheme(page, 'light')
  await page.goto('/login')
  await expect(page.getByLabel('User name')).toBeVisible()
  await expectAccessible(page, 'login')
  await logIn(page)
  for (const name of PAGES) {
    await page.goto(pathOf(name))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[data-testid="loading"]')).toHaveCount(0)
    await expectAccessible(page, name)
  }
  await page.goto('/hosts')
  await page.getByRole('button', { name: 'Create host' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectAccessible(page, 'host form')
  await page.keyboard.press('Escape')
  await page.goto('/mappings')
  await page.getByRole('grid').focus()
  await expect(page.getByRole('gridcell').first()).toBeVisible()
  await expectAccessible(page, 'matrix with a cursor')
  await page.getByRole('button', { name: /^Account of/ }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page, 'account menu')
})

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
