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

/** A button that does nothing is grey, whatever it would do: a pale one looks as if it did. */
const GREY = 'disabled:opacity-100 aria-disabled:opacity-100 disabled:text-dimmed aria-disabled:text-dimmed'
const GREY_FILL = 'disabled:bg-accented aria-disabled:bg-accented disabled:ring-0 aria-disabled:ring-0'
const GREY_LINE = 'disabled:ring-default aria-disabled:ring-default disabled:bg-muted aria-disabled:bg-muted'
const PALE = 'disabled:text-dimmed aria-disabled:text-dimmed disabled:opacity-60 aria-disabled:opacity-60'

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
        button: {
          compoundVariants: [
            { variant: ['solid', 'soft', 'subtle'], class: `${GREY} ${GREY_FILL}` },
            { variant: 'outline', class: `${GREY} ${GREY_LINE}` },
            { variant: ['ghost', 'link'], class: PALE },
          ],
        },
        // The border of a field is strong, that of a mark that only says something is not.
        badge: { compoundVariants: [{ color: 'neutral', variant: 'subtle', class: 'ring-default' }] },
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
    environmentOptions: { happyDOM: { url: 'https://lunette.test/', width: 1440, height: 900 } },
    include: ['src/**/*.spec.ts', 'mock/**/*.spec.ts'],
    // Style sheets are not needed, but for contrast.spec.ts, which reads their colours.
    css: { include: [/\.css\?raw$/] },
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
