// How the page does on a large site: `python -m tests.benchmarks.scale` starts it against an API it has filled.
// Prints JSON: a list of {what, value}. Frames are those the browser drew while the list was scrolled by the wheel.
import { chromium } from '@playwright/test'

const URL = process.env['LUNETTE_URL']
const PASSWORD = process.env['LUNETTE_PASSWORD']
const WHEELS = 60
const WHEEL_PX = 400
const ROWS = 'tbody[data-index] [data-pick]'
const found = []
const tell = (what, value, unit = 'ms') => found.push({ what, value: `${Math.round(value)} ${unit}` })

const browser = await chromium.launch({
  executablePath: process.env['LUNETTE_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, baseURL: URL })

/** Notes the time between frames until `stop` is called in the page. */
const watchFrames = () =>
  page.evaluate(() => {
    const frames = []
    let last = performance.now()
    let isOn = true
    const tick = (now) => {
      frames.push(now - last)
      last = now
      if (isOn) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
    window.stopFrames = () => {
      isOn = false
      return frames.slice(1)
    }
  })

async function scrolled(what, byX, byY) {
  await watchFrames()
  for (let wheel = 0; wheel < WHEELS; wheel += 1) {
    await page.mouse.wheel(byX, byY)
    await page.waitForTimeout(30)
  }
  const frames = (await page.evaluate(() => window.stopFrames())).sort((left, right) => left - right)
  tell(`${what}: longest frame`, frames.at(-1))
  tell(`${what}: 95 of 100 frames within`, frames[Math.floor(frames.length * 0.95)])
}

/** From the click on a link to what is there when all is drawn. */
async function opened(what, path, selector) {
  const began = Date.now()
  await page.goto(path)
  await page.locator(selector).first().waitFor()
  tell(what, Date.now() - began)
}

await page.goto('/login')
await page.getByLabel('User name').fill('admin')
await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
await page.getByRole('button', { name: 'Log in' }).click()
await page.getByRole('navigation', { name: 'Navigation' }).waitFor()

await opened('volumes: first rows', '/volumes', ROWS)
const paint = await page.evaluate(
  () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
)
tell('volumes: first contentful paint', paint)
const table = page.getByRole('region', { name: 'Volumes' })
await table.hover()
await scrolled('volumes, by the wheel', 0, WHEEL_PX)
tell('volumes: rows in the page', await page.locator('tbody[data-index]').count(), 'rows')
const jump = Date.now()
await table.evaluate((frame) => frame.scrollTo({ top: frame.scrollHeight * 0.7 }))
await page
  .locator('[data-testid=gap]')
  .first()
  .waitFor({ timeout: 5_000 })
  .catch(() => undefined)
await page.waitForFunction(() => !document.querySelector('[data-testid=gap]'))
tell('volumes: jump to row 7,000, all rows there', Date.now() - jump)

await opened('matrix: first cells', '/mappings', '[role=gridcell]')
await page
  .getByText(/500 .* 10,000|10,000 .* 500/)
  .first()
  .waitFor({ timeout: 60_000 })
  .catch(() => undefined)
const matrix = page.getByRole('grid')
await matrix.hover()
await scrolled('matrix, down', 0, WHEEL_PX)
await scrolled('matrix, across', WHEEL_PX * 3, 0)
tell('matrix: columns in the page', await page.locator('[role=columnheader]').count(), 'columns')
await browser.close()
console.log(JSON.stringify(found))
