/** The position of the cursor in a document of block YAML, and what the published schema allows there. */

export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  type?: string
  required?: string[]
}

export interface Place {
  /** Keys from the outermost to the mapping with the cursor; lists need no key. */
  path: string[]
  /** The key whose value is being typed; undefined while a key is. */
  key?: string
  /** The typed part of the word. */
  typed: string
  /** The present keys of the mapping. */
  taken: string[]
}

interface Line {
  /** Column of the key, after the dashes of a list. */
  column: number
  /** A new item of a list begins here. */
  isItem: boolean
  key?: string
}

const LINE = /^(\s*)((?:- +)*)(?:([\w-]+):)?/

function lineOf(text: string): Line | undefined {
  if (!text.trim() || text.trimStart().startsWith('#')) return undefined
  const [, space = '', dashes = '', key] = LINE.exec(text) ?? []
  return { column: space.length + dashes.length, isItem: dashes !== '', key }
}

/** Keys of the same mapping, from here in one direction until another item or an outer key ends it. */
function siblings(lines: readonly string[], column: number, isForward: boolean): string[] {
  const found: string[] = []
  for (const text of isForward ? lines : [...lines].reverse()) {
    const line = lineOf(text)
    if (!line) continue
    if (line.column < column) break
    if (line.column > column) continue
    if (isForward && line.isItem) break
    if (line.key) found.push(line.key)
    if (line.isItem) break
  }
  return found
}

/** Undefined in a comment, and within flow style, which is as free as JSON. */
export function placeAt(text: string, offset: number): Place | undefined {
  const before = text.slice(0, offset).split('\n')
  const current = before.pop() ?? ''
  if (/[#[{"']/.test(current)) return undefined
  const value = /^(\s*(?:- +)*)([\w-]+):\s+(\S*)$/.exec(current)
  const word = value ?? /^(\s*(?:- +)*)()([\w-]*)$/.exec(current)
  if (!word) return undefined
  const [, lead = '', key, typed = ''] = word
  const isItem = lead.includes('-')
  const path: string[] = []
  let column = lead.length
  for (const line of [...before].reverse().map(lineOf)) {
    if (!line?.key || line.column >= column) continue
    path.unshift(line.key)
    column = line.column
  }
  const after = text.slice(offset).split('\n').slice(1)
  const taken = [
    ...(isItem ? [] : siblings(before, lead.length, false)),
    ...siblings(after, lead.length, true),
  ]
  return { path, key: key || undefined, typed, taken }
}

function plain(schema: Schema | undefined, root: Schema): Schema | undefined {
  if (!schema) return undefined
  if (schema.$ref) return plain(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''], root)
  const some = schema.anyOf?.find(({ type }) => type !== 'null')
  if (some) return { description: schema.description, ...plain(some, root) }
  return schema.items ? plain(schema.items, root) : schema
}

export interface Offer {
  label: string
  /** Its description in the schema. */
  info?: string
  kind: 'key' | 'value'
}

const words = ({ enum: list, const: one, type }: Schema): unknown[] =>
  list ?? (one === undefined ? (type === 'boolean' ? [true, false] : []) : [one])

/** What can be written there. */
export function offersAt(root: Schema, place: Place): Offer[] {
  let here = plain(root, root)
  for (const key of place.path) here = plain(here?.properties?.[key], root)
  if (place.key) {
    const value = plain(here?.properties?.[place.key], root)
    return value ? words(value).map((label) => ({ label: String(label), kind: 'value' })) : []
  }
  return Object.entries(here?.properties ?? {})
    .filter(([label]) => !place.taken.includes(label))
    .map(([label, schema]) => ({
      label,
      info: plain(schema, root)?.description ?? schema.description,
      kind: 'key',
    }))
}
