// Generates the API client from the committed API document, into LUNETTE_API_OUTPUT or src/api. The generator writes
// links to a package registry into comments; the names of the packages stay, the addresses go.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const output = process.env['LUNETTE_API_OUTPUT'] ?? 'src/api'
const LINK = /\{@link https?:\/\/[^\s}]*\/package\/[^\s}]* (`[^`]+`)\}/g

execFileSync('node_modules/.bin/openapi-ts', {
  stdio: process.env['LUNETTE_API_OUTPUT'] ? 'pipe' : 'inherit',
})
for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const path = join(entry.parentPath, entry.name)
  const text = readFileSync(path, 'utf8')
  const clean = text.replace(LINK, '$1')
  if (clean !== text) writeFileSync(path, clean)
}
