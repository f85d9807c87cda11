import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

// Both projects look at a running appliance, named by LUNETTE_URL; nothing is mocked here.
// The browser is the one the system's package manager brought; Playwright downloads none.
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export default defineConfig({
  testDir: 'e2e',
  // One appliance, one administrator, one one-time password: the tests share them in order.
  fullyParallel: false,
  workers: 1,
  // An emulated appliance on a busy machine takes half a minute to check a password.
  timeout: 300_000,
  expect: { timeout: 90_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env['LUNETTE_URL'],
    ignoreHTTPSErrors: true,
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env['LUNETTE_CHROMIUM'] || CHROMIUM.find((path) => existsSync(path)),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
    },
  },
  projects: [
    // The one-time password comes first: nothing else is open until it is changed.
    { name: 'door', testMatch: 'login.e2e.ts' },
    { name: 'e2e', testMatch: /.*\.e2e\.ts/, testIgnore: 'login.e2e.ts', dependencies: ['door'] },
    { name: 'screenshots', testMatch: 'screenshots.ts' },
  ],
})
