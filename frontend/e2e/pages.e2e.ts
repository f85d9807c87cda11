/** Every page once: it shows what the API answers, keeps to the rules of accessibility, and asks nobody else. */
import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { PAGES, list, pathOf, settled } from './appliance'
import { DIALOGS } from './dialogs'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

async function violations(look: AxeBuilder): Promise<string[]> {
  const { violations: found } = await look.analyze()
  return found.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
  )
}

/** Looks at the page as it stands, at all of it in the light theme and at the colours, which alone differ, in the dark. */
async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    const look = new AxeBuilder({ page })
    await page.evaluate(async (isDark) => {
      document.documentElement.classList.toggle('dark', isDark)
      const fading = document.getAnimations().filter((one) => one instanceof CSSTransition)
      await Promise.allSettled(fading.map((one) => one.finished))
    }, theme === 'dark')
    const asked = theme === 'dark' ? look.withRules(['color-contrast']) : look.withTags(RULES)
    expect(await violations(asked), `${name}, ${theme}`).toEqual([])
  }
}

/** How far the page or one of its lists can be scrolled sideways on a telephone; 0 is right. */
async function overflow(page: Page): Promise<number> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  const far = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main [role=region]:has(> ul)')]
      .map((one) => one.scrollWidth - one.clientWidth)
      .reduce((most, one) => Math.max(most, one)),
  )
  if (before) await page.setViewportSize(before)
  return far
}

/** Goes there as the browser's own buttons do: without loading the application again. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    // What vue-router keeps with each entry.
    const before = window.history.state as { position: number }
    const entry = { back: null, current: to, forward: null, replaced: false, scroll: null }
    window.history.pushState({ ...entry, position: before.position + 1 }, '', to)
    window.dispatchEvent(new PopStateEvent('popstate', { state: window.history.state as unknown }))
  }, path)
}

/** What must not happen on any page: requests to other machines, and errors of scripts or of the console. */
function watch(page: Page, baseURL: string | undefined): string[] {
  const found: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== new URL(baseURL ?? '').origin)
      found.push(request.url())
  })
  page.on('pageerror', (error) => found.push(error.message))
  page.on('console', (message) => {
    // A plan that is refused is an answer, which the dialog shows: an array with volumes is not deleted.
    const isRefusedPlan = message.text().includes('409') && message.location().url.includes('dry_run=true')
    if (message.type() === 'error' && !isRefusedPlan)
      found.push(`${message.text()} ${message.location().url}`)
  })
  return found
}

async function expectPagesInOrder(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await follow(page, pathOf(name))
    await settled(page)
    await expectAccessible(page, name)
    expect(await overflow(page), `${name} on a telephone`).toBeLessThanOrEqual(0)
  }
}

test('a page of each kind is accessible, fits a telephone, logs no error and asks no other machine', async ({
  page,
  baseURL,
}) => {
  const wrong = watch(page, baseURL)
  await page.goto('/')
  await expectPagesInOrder(page, ['overview', 'disks', 'arrays/tank', 'mappings', 'settings', 'nowhere'])
  expect(wrong).toEqual([])
})

test(
  'every page is accessible, fits a telephone, logs no error and asks no other machine',
  { tag: '@slow' },
  async ({ page, baseURL }) => {
    const wrong = watch(page, baseURL)
    await page.goto('/')
    const [disk] = await list<{ id: string }>(page, 'disks')
    const hosts = await list<{ name: string }>(page, 'hosts')
    const single = [
      ...hosts.slice(0, 1).map(({ name }) => `hosts/${name}`),
      'arrays/tank',
      'volumes/lun01',
      'topology?focus=volume/lun01',
      `disks/${disk?.id}`,
      'nowhere',
    ]
    await expectPagesInOrder(page, [...PAGES, ...single])

    await follow(page, '/mappings')
    await page.getByRole('grid').focus()
    await expect(page.getByRole('gridcell').first()).toBeVisible()
    await expectAccessible(page, 'matrix with a cursor')
    await page.getByRole('button', { name: /^Account: / }).click()
    await expect(page.getByRole('menu')).toBeVisible()
    await expectAccessible(page, 'account menu')
    expect(wrong).toEqual([])
  },
)

test('every dialog breaks no rule of accessibility', { tag: '@slow' }, async ({ page, baseURL }) => {
  const wrong = watch(page, baseURL)
  await page.goto('/')
  for (const { of, path, button, key } of DIALOGS) {
    const name = `${of}: ${String(button ?? key)}`
    await follow(page, path)
    await settled(page)
    if (key) await page.keyboard.press(key)
    if (button) await page.getByRole('main').getByRole('button', { name: button }).first().click()
    await expect(page.getByRole('dialog'), name).toBeVisible()
    await expect(page.locator('[data-testid="loading"]'), name).toHaveCount(0)
    await expectAccessible(page, name)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog'), name).toHaveCount(0)
  }
  expect(wrong).toEqual([])
})

test('the login breaks no rule of accessibility', async ({ browser }) => {
  const stranger = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const page = await stranger.newPage()
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
  await expectAccessible(page, 'login')
  expect(await overflow(page), 'login on a telephone').toBeLessThanOrEqual(0)
  await stranger.close()
})

test('lists and figures are those of the API, and search, order and place are in the link', async ({
  page,
}) => {
  await page.goto('/')
  const answer = await page.request.get('/api/v1/status')
  const status = (await answer.json()) as { sentence: string; counts: Record<string, number | null> }
  await expect(page.getByRole('status').first()).toContainText(status.sentence)
  for (const noun of ['disks', 'arrays', 'volumes', 'hosts'])
    await expect(page.getByTestId(`count-${noun}`)).toContainText(String(status.counts[noun] ?? '—'))
  for (const noun of ['disks', 'arrays', 'volumes', 'hosts', 'portals', 'sessions']) {
    const items = await list<{ name?: string; serial?: string }>(page, noun)
    await follow(page, pathOf(noun))
    for (const { name, serial } of items)
      await expect(
        page
          .getByRole('main')
          .getByText(name ?? serial ?? '', { exact: true })
          .first(),
      ).toBeVisible()
    if (!items.length) await expect(page.getByText(/^No /).first()).toBeVisible()
  }

  await follow(page, '/volumes')
  await page.getByLabel('Name, NAA, serial, NGUID, UUID').fill('no-such-volume')
  await expect(page).toHaveURL(/q=no-such-volume/)
  await expect(page.getByText('No results for “no-such-volume”')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Name, NAA, serial, NGUID, UUID')).toHaveValue('no-such-volume')
  await follow(page, '/disks?sort=-size_bytes')
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-sort', 'descending')
})

test('a keyboard alone reaches the content, a telephone has the navigation behind a button', async ({
  page,
}) => {
  await page.goto('/disks')
  await settled(page)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Navigation' }).click()
  await page.getByRole('link', { name: 'Volumes' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Volumes' })).toBeVisible()
})

test('Ctrl-K finds a volume by its name and opens it, without a pointer', async ({ page }) => {
  await page.goto('/disks')
  await settled(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('lun07')
  await expect(page.getByRole('option').filter({ hasText: 'lun07' }).first()).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/volumes\/lun07/)
  await expect(page.getByRole('heading', { level: 1, name: 'lun07' })).toBeVisible()
})
