import { fileURLToPath } from 'node:url'
import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { mockApi } from './mock/server.ts'

// `npm run dev` talks to the appliance named by LUNETTE_URL (its self-signed certificate is accepted),
// or, with no appliance given, to the typed mock the component tests use.
const appliance = process.env['LUNETTE_URL']

const PUBLISHED = ['../backend/openapi.json', '../docs/reference/site.schema.json']

/** Its work is done by src/app/colours.css: a style element made at run time would need 'unsafe-inline'. */
const COLOURS_PLUGIN = /@nuxt\/ui\/dist\/runtime\/plugins\/colors\.js$/
const withoutInlineColours: Plugin = {
  name: 'lunette:no-inline-colours',
  enforce: 'pre',
  load: (id) => (COLOURS_PLUGIN.test(id) ? 'export default { install() {} }' : undefined),
}

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  plugins: [
    vue(),
    withoutInlineColours,
    ui({
      autoImport: false,
      components: false,
      colorMode: false,
      ui: {
        // `ink` is our own neutral scale, defined in src/app/theme.css.
        colors: { primary: 'lunar', neutral: 'ink' as 'slate', success: 'emerald', warning: 'amber' },
      },
      icon: { clientBundle: { scan: { globInclude: ['src/**/*.{vue,ts}'] } } },
    }),
    ...(appliance ? [] : [mockApi()]),
  ],
  server: {
    // The mock, the tests' appliance, answers the API's own document and the schema of a site's.
    fs: { allow: ['.', ...PUBLISHED, ...PUBLISHED.map((file) => `${file}?raw`)] },
    ...(appliance && { proxy: { '/api': { target: appliance, secure: false, changeOrigin: true } } }),
  },
  build: { manifest: true, target: 'es2022', chunkSizeWarningLimit: 900 },
  test: {
    environment: 'happy-dom',
    environmentOptions: { happyDOM: { url: 'https://lunette.test/' } },
    include: ['src/**/*.spec.ts', 'mock/**/*.spec.ts'],
    restoreMocks: true,
    // Files share a process and its modules: loading them took half the time. A test undoes what it changes in a module.
    isolate: false,
    // A shared two-core machine is slow now and then; a page that never settles still fails.
    testTimeout: 30_000,
    unstubGlobals: true,
    maxWorkers: '100%',
    // A page makes many short-lived objects: with more room for the young ones a tenth less time goes to garbage.
    execArgv: ['--max-semi-space-size=32'],
    env: { TZ: 'UTC' },
  },
})
