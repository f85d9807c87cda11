import { defineConfig } from '@hey-api/openapi-ts'

// The committed API document is the only input; LUNETTE_OPENAPI and LUNETTE_API_OUTPUT let
// scripts/stale.mjs generate beside the committed client and compare.
export default defineConfig({
  input: process.env['LUNETTE_OPENAPI'] ?? '../backend/openapi.json',
  output: { path: process.env['LUNETTE_API_OUTPUT'] ?? 'src/api', clean: true },
  // Schema `Array` would hide TypeScript's own Array inside the generated types.
  parser: { transforms: { schemaName: (name) => (name === 'Array' ? 'StorageArray' : name) } },
  plugins: [
    '@hey-api/typescript',
    '@hey-api/client-fetch',
    '@hey-api/sdk',
    { name: '@tanstack/vue-query', queryKeys: { tags: true }, infiniteQueryOptions: false },
  ],
})
