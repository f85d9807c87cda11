// Generates the API client from the committed API document, into LUNETTE_API_OUTPUT or src/api. The generator writes
// links to a package registry into comments; the names of the packages stay, the addresses go. Beside the client it
// writes operations.gen.ts, the types of each operation by the name of its function, texts.gen.json: of each field
// whose text a page shows, as t('api.VolumeCreate.size_bytes'), what the API says, and requests.gen.json: of each
// operation that changes something how it is called, which fields are secrets, and the defaults of the others.
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

const { paths, components } = JSON.parse(readFileSync('../backend/openapi.json', 'utf8'))
const { schemas } = components
writeFileSync(join(output, 'operations.gen.ts'), typesOfOperations())
const texts = {}
for (const [schema, field] of shownFields().sort()) {
  const text = schemas[schema]?.properties?.[field]?.description
  if (!text)
    throw new Error(`a page shows the text of ${schema}.${field}, which the API document does not have`)
  texts[schema] = { ...texts[schema], [field]: asMessage(text) }
}
writeFileSync(join(output, 'texts.gen.json'), `${JSON.stringify(texts, null, 2)}\n`)
writeFileSync(join(output, 'requests.gen.json'), `${JSON.stringify(requests(), null, 1)}\n`)

function requests() {
  const found = {}
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (method === 'get') continue
      const takes = (name) => (operation.parameters ?? []).some((one) => one.name === name)
      const schema = operation.requestBody?.content['application/json']?.schema
      const fields = { secrets: [], defaults: {} }
      if (schema) describe(schema, '', fields, [])
      found[operation.operationId] = {
        method: method.toUpperCase(),
        path,
        ...(takes('If-Match') && { hasMatch: true }),
        ...(takes('Idempotency-Key') && { hasKey: true }),
        ...(fields.secrets.length && { secrets: fields.secrets }),
        ...(Object.keys(fields.defaults).length && { defaults: fields.defaults }),
      }
    }
  }
  return found
}

/** Fields in fields by a dot; those in each item of a list after `[]`. */
function describe(schema, place, found, above) {
  const { $ref: ref } = schema
  if (ref) {
    if (!above.includes(ref)) describe(schemas[ref.split('/').pop()], place, found, [...above, ref])
    return
  }
  for (const one of [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])])
    describe(one, place, found, above)
  if (schema.items) describe(schema.items, `${place}[]`, found, above)
  if (place && (schema.writeOnly || schema.format === 'password') && !found.secrets.includes(place))
    found.secrets.push(place)
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const inner = place ? `${place}.${name}` : name
    if ('default' in field && !inner.includes('[]')) found.defaults[inner] = field.default
    describe(field, inner, found, above)
  }
}

function typesOfOperations() {
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  const lines = ids.sort().map((id) => {
    const name = id.replace(/_(\w)/g, (_all, letter) => letter.toUpperCase())
    const type = `types.${name[0].toUpperCase()}${name.slice(1)}`
    return `  ${name}: { request: ${type}Data; answers: ${type}Responses }\n`
  })
  return `import type * as types from './types.gen'\n\nexport interface Operations {\n${lines.join('')}}\n`
}

function shownFields() {
  const found = new Set()
  for (const entry of readdirSync('src', { recursive: true, withFileTypes: true })) {
    if (!/\.(vue|ts)$/.test(entry.name)) continue
    const source = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    for (const [, key] of source.matchAll(/'api\.([A-Z]\w+\.\w+)'/g)) found.add(key)
  }
  return [...found].map((key) => key.split('.'))
}

/** The first paragraph, with the characters that vue-i18n gives a meaning as themselves, and without backticks. */
function asMessage(text) {
  const paragraph = text.split('\n\n')[0].replace(/\s+/g, ' ').replaceAll('`', '')
  return paragraph.replace(/[{}@|]/g, (character) => `{'${character}'}`)
}
