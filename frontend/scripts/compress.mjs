// Writes a .gz beside every built file that gets smaller by it; the API sends that one to who takes gzip.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const PACKED = /\.(js|css|html|svg|json|webmanifest|txt)$/
/** Below this the headers of an answer are most of it. */
const LEAST_BYTES = 1000

for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !PACKED.test(entry.name)) continue
  const path = `${entry.parentPath}/${entry.name}`
  const plain = readFileSync(path)
  const packed = gzipSync(plain, { level: 9 })
  if (plain.length >= LEAST_BYTES && packed.length < plain.length) writeFileSync(`${path}.gz`, packed)
}
