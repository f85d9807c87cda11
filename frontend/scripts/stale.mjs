// Fails when src/api is not what the committed API document generates: generates beside it and compares.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const COMMITTED = 'src/api'
const fresh = mkdtempSync(join(tmpdir(), 'lunette-api-'))

function contents(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length), readFileSync(path, 'utf8')]
    }),
  )
}

try {
  execFileSync('node', ['scripts/generate.mjs'], {
    env: { ...process.env, LUNETTE_API_OUTPUT: fresh },
    stdio: 'pipe',
  })
  const [before, after] = [contents(COMMITTED), contents(fresh)]
  const stale = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )
  if (stale.length) {
    console.error(
      `Stale against ../backend/openapi.json: ${stale.map((path) => COMMITTED + path).join(', ')}`,
    )
    console.error('Run `npm run generate` and commit src/api.')
    process.exitCode = 1
  }
} finally {
  rmSync(fresh, { recursive: true })
}
