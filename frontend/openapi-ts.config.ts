import { defineConfig } from '@hey-api/openapi-ts'

// The committed API document is the only input; LUNETTE_API_OUTPUT lets scripts/stale.mjs generate next to the committed
// client and compare.
export default defineConfig({
  input: '../backend/openapi.json',
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
