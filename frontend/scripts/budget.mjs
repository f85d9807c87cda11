// Fails when the first page costs more than it may: the JavaScript of the entry, the shell and the overview as it is
// sent, which is what scripts/compress.mjs wrote beside it.
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'

const LIMIT_KB = 300
const FIRST = ['index.html', 'src/app/AppShell.vue', 'src/features/overview/OverviewPage.vue']

const manifest = JSON.parse(readFileSync('dist/.vite/manifest.json', 'utf8'))
const files = new Set()

function take(key) {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`${key} is not in the build; has it been renamed? Change scripts/budget.mjs.`)
  if (files.has(chunk.file)) return
  files.add(chunk.file)
  chunk.imports?.forEach(take)
}

FIRST.forEach(take)
const sent = (file) => (existsSync(`dist/${file}.gz`) ? `dist/${file}.gz` : `dist/${file}`)
const bytes = [...files].reduce((sum, file) => sum + statSync(sent(file)).size, 0)
const kilobytes = Math.ceil(bytes / 1000)
// Only this script needs the manifest; it is no file to serve.
rmSync('dist/.vite', { recursive: true })

console.log(`First page: ${kilobytes} kB of JavaScript (gzip), limit ${LIMIT_KB} kB`)
if (kilobytes > LIMIT_KB) process.exitCode = 1
