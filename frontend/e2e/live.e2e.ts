/** Pages that stay open while things happen elsewhere: another tab, a restart, a login that ends. */
import { expect, test } from '@playwright/test'
import { atTheMachine, change, fillLogin, settled } from './appliance'
import { networkTo } from './network'
import { within } from './pace'

test('a host made elsewhere shows in a second tab by itself', async ({ page, context }) => {
  await page.goto('/about')
  const second = await context.newPage()
  await second.goto('/')
  await expect(second.getByText('Live', { exact: true })).toBeVisible()
  const tile = second.getByTestId('count-hosts')
  await expect(tile).toHaveText(/\d/)
  const before = Number((await tile.innerText()).replace(/\D/g, ''))
  await change(page, 'POST', '/hosts', { name: 'elsewhere', os_type: 'linux' })
  // Nothing asks for the list of events at intervals: that it shows there is the event stream's doing.
  await expect(second.getByText('elsewhere').first()).toBeVisible()
  await expect(tile).toHaveText(new RegExp(`\\D${before + 1}$`))
  await change(page, 'DELETE', '/hosts/elsewhere')
  await expect(tile).toHaveText(new RegExp(`\\D${before}$`))
})

test('an open page comes back by itself when the server is restarted', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await settled(page)
  const streamAgain = page.waitForResponse((answer) => answer.url().endsWith('/events/stream') && answer.ok())
  await atTheMachine('restart-api')
  await streamAgain
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  // Without a new login and without a reload, what happens next is shown.
  await change(page, 'POST', '/hosts', { name: 'after-restart', os_type: 'linux' })
  await expect(page.getByText('after-restart').first()).toBeVisible()
  await change(page, 'DELETE', '/hosts/after-restart')
})

test('a server that hangs shows as no connection, and what changed meanwhile is fetched afterwards', async ({
  page,
}) => {
  // The file of this page has to be there already: the server that hangs sends that too.
  await page.goto('/schedules')
  await expect(page.getByTestId('empty')).toBeVisible()
  await page.getByRole('navigation').getByRole('link', { name: 'Hosts', exact: true }).click()
  await settled(page)
  const create = page.getByRole('button', { name: 'Create host' }).first()
  await expect(create).toBeEnabled()
  await atTheMachine('suspend-api')
  try {
    await expect(page.getByRole('alert')).toContainText('No connection since')
    await expect(page.getByRole('banner')).toContainText('No connection since')
    await expect(create).toBeDisabled()
    // A list that was empty may not be so any more.
    await page.getByRole('navigation').getByRole('link', { name: 'Schedules' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Schedules' })).toBeVisible()
    await expect(page.getByTestId('empty')).toHaveCount(0)
  } finally {
    await atTheMachine('resume-api')
  }
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(page.getByTestId('empty')).toBeVisible()
})

test('a server that is stopped and a network that is cut are told within 15 s, and what was shown stays', async ({
  page,
  baseURL,
}) => {
  const network = await networkTo(baseURL)
  await page.goto(`${network.url}/hosts`)
  const row = page.getByRole('row').filter({ hasText: 'esx1' })
  const cuts = {
    stopped: [() => atTheMachine('stop-api'), () => atTheMachine('start-api')],
    cut: [network.cut, network.join],
  } as const
  for (const [name, [cut, mend]] of Object.entries(cuts)) {
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(row).toBeVisible()
    await cut()
    try {
      const told = page.getByRole('banner')
      await expect(told, name).toContainText('No connection since', { timeout: within(15) })
      await expect(row, name).toBeVisible()
      await expect(page.getByTestId('empty'), name).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'Create host' }).first(), name).toBeDisabled()
    } finally {
      await mend()
    }
  }
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  network.close()
})

test('a page whose file cannot be loaded says so, and comes when it is tried again', async ({ page }) => {
  await page.goto('/about')
  await settled(page)
  await page.route(/\/assets\/SchedulesPage/, (route) => route.abort())
  await page.getByRole('navigation').getByRole('link', { name: 'Schedules' }).click()
  await expect(page.getByRole('alert')).toContainText('This page could not be loaded')
  await page.unroute(/\/assets\/SchedulesPage/)
  await page.getByRole('alert').getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Schedules' })).toBeVisible()
})

test(
  'a login that ends leads to the door and from there back to the same page',
  { tag: '@slow' },
  async ({ page, browser }) => {
    const words = ['moonlight-over-tank', 'starlight-over-tank']
    await page.goto('/about')
    await change(page, 'POST', '/users', { username: 'marta', password: words[0], role: 'operator' })
    const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
    const other = await context.newPage()
    await other.goto('/volumes?q=lun01')
    await fillLogin(other, words[0] ?? '', 'marta')
    await other.getByLabel('New password', { exact: true }).fill(words[1] ?? '')
    await other.getByLabel('Confirm new password').fill(words[1] ?? '')
    await other.getByRole('button', { name: 'Set password' }).click()
    await expect(other.getByText('lun01', { exact: true }).first()).toBeVisible()

    // An administrator sets another password: all logins of the account end.
    await change(page, 'PATCH', '/users/marta', { password: words[0] })
    await other.goto('/volumes?q=lun02') // by itself the page may be at the door already
    await expect(other).toHaveURL(/\/login\?next=/)
    await expect(other.getByLabel('User name')).toBeVisible()
    await fillLogin(other, words[0] ?? '', 'marta')
    await other.getByLabel('New password', { exact: true }).fill('sunlight-over-tank')
    await other.getByLabel('Confirm new password').fill('sunlight-over-tank')
    await other.getByRole('button', { name: 'Set password' }).click()
    await expect(other).toHaveURL(/\/volumes\?/)

    await other.getByRole('button', { name: /^Account: / }).click()
    await other.getByRole('menuitem', { name: 'Log out' }).click()
    await expect(other.getByRole('button', { name: 'Log in' })).toBeVisible()
    expect((await other.request.get('/api/v1/me')).status()).toBe(401)
    await context.close()
    await change(page, 'DELETE', '/users/marta')
  },
)

test('a login is ended from the list of active logins; that browser is at the door, and keeps what was typed', async ({
  page,
  browser,
}) => {
  const words = ['moonlight-over-tank', 'starlight-over-tank'] as const
  await page.goto('/about')
  await change(page, 'POST', '/users', { username: 'nils', password: words[0], role: 'operator' })
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const other = await context.newPage()
  await other.goto('/volumes')
  await fillLogin(other, words[0], 'nils')
  await other.getByLabel('New password', { exact: true }).fill(words[1])
  await other.getByLabel('Confirm new password').fill(words[1])
  await other.getByRole('button', { name: 'Set password' }).click()
  await expect(other.getByText('lun01', { exact: true }).first()).toBeVisible()
  await other.getByRole('main').getByRole('link', { name: 'Create volumes' }).first().click()
  await other.getByLabel('Name', { exact: true }).fill('half-typed')

  await page.goto('/logins')
  await expect(page.getByText('this browser')).toBeVisible()
  await page.getByRole('button', { name: 'End the login of nils' }).click()
  const ending = page.getByRole('dialog')
  await expect(ending).toContainText('must log in again')
  await ending.getByRole('button', { name: 'End login' }).click()
  // What lies below an open dialog has no roles: not until it is closed does a missing button say anything.
  await expect(ending).toBeHidden()
  await expect(page.getByRole('button', { name: 'End the login of nils' })).toHaveCount(0)
  expect((await other.request.get('/api/v1/me')).status()).toBe(401)
  // The page finds that out by itself.
  await expect(other.getByLabel('User name')).toBeVisible()
  await fillLogin(other, words[1], 'nils')
  await expect(other).toHaveURL(/\/volumes\/new/)
  await expect(other.getByLabel('Name', { exact: true })).toHaveValue('half-typed')
  await context.close()
  await change(page, 'DELETE', '/users/nils')
})
