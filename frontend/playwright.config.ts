import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'
import { LOGGED_IN } from './e2e/appliance.ts'
import { within } from './e2e/pace.ts'

// Both projects look at a running appliance, named by LUNETTE_URL; nothing is mocked here.
// The browser is the one the system's package manager brought; Playwright downloads none.
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const SPKI = process.env['LUNETTE_SPKI']

export default defineConfig({
  testDir: 'e2e',
  // One appliance, one administrator, one one-time password: the tests share them in order.
  fullyParallel: false,
  workers: 1,
  // The machine under the appliance may be busy with other tests, or be an emulated one.
  timeout: within(600),
  expect: { timeout: within(60) },
  reporter: [['list']],
  use: {
    baseURL: process.env['LUNETTE_URL'],
    ignoreHTTPSErrors: true,
    // What never appears is reported, instead of being waited for until the test ends.
    actionTimeout: within(120),
    navigationTimeout: within(120),
    viewport: { width: 1440, height: 900 },
    // No film of each test, and nothing that moves: drawing without a graphics card takes a core from the appliance.
    trace: { mode: 'retain-on-failure', screenshots: false },
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env['LUNETTE_CHROMIUM'] || CHROMIUM.find((path) => existsSync(path)),
      timeout: within(180),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        // The appliance's own certificate is the one that is trusted; ignoring errors asks anew for each connection.
        ...(SPKI ? [`--ignore-certificate-errors-spki-list=${SPKI}`] : []),
      ],
    },
  },
  projects: [
    // A fresh appliance is opened, furnished and left logged in by the first file; the others work on what it made.
    { name: 'first-run', testMatch: 'first-run.e2e.ts' },
    {
      name: 'e2e',
      testMatch: /.*\.e2e\.ts/,
      testIgnore: 'first-run.e2e.ts',
      dependencies: ['first-run'],
      use: { storageState: LOGGED_IN },
    },
    { name: 'zfs', testMatch: 'zfs-pool.ts' },
    { name: 'screenshots', testMatch: 'screenshots.ts' },
  ],
})
