/** An example call of an operation: with curl, and with the command line if it has a command. */
import { resolve } from './apiDocument'
import type { Operation, Schema } from './apiDocument'
import COMMANDS from './commands.gen.json'

/** Names in examples: the scene of the tutorial. */
const NAMES: Record<string, string> = {
  volume: 'lun01',
  array: 'tank',
  host: 'esx1',
  host_group: 'cluster',
  portal: 'storage',
  snapshot: 'before-update',
  schedule: 'nightly',
  interface: 'ens19',
  username: 'kim',
  user: 'kim',
}

/** A value of a query parameter that fits its schema. */
function sample(name: string, schema: Schema, schemas: Record<string, Schema>): unknown {
  const one = resolve(schema.anyOf?.find(({ type }) => type !== 'null') ?? schema, schemas)
  if (one.enum) return one.enum[0]
  if (one.type === 'boolean') return true
  if (one.type === 'integer' || one.type === 'number')
    return Number(NAMES[name] ?? one.default ?? one.minimum ?? 1)
  return NAMES[name] ?? name.toUpperCase().replaceAll('_', '-')
}

const inPath = (one: Operation): string =>
  one.path.replace(
    /\{(\w+)\}/g,
    (_whole, name: string) => NAMES[name] ?? name.toUpperCase().replaceAll('_', '-'),
  )

function headersOf(one: Operation, media: string | undefined): string[] {
  const takes = (name: string): boolean => (one.parameters ?? []).some((parameter) => parameter.name === name)
  return [
    ...(one['x-role'] === 'public' ? [] : ['-H "Authorization: Bearer $LUNETTE_TOKEN"']),
    ...(takes('If-Match') ? [`-H 'If-Match: "ETAG"'`] : []),
    ...(takes('Idempotency-Key') ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(media ? [`-H 'Content-Type: ${media}'`] : []),
  ]
}

/** Quoted for a shell: a body contains no secret, and may contain an apostrophe. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function dataOf(one: Operation): { media?: string; data?: string } {
  const [first] = Object.entries(one.requestBody?.content ?? {})
  if (!first) return {}
  const [media, { example }] = first
  if (media !== 'application/json') return { media, data: '--data-binary @FILE' }
  return { media, data: `-d ${quoted(JSON.stringify(example, null, 2))}` }
}

/** Responses that are files are saved to one, and the stream of events is shown as it arrives. */
function flagsOf(one: Operation): string[] {
  const media = Object.entries(one.responses).flatMap(([status, { content }]) =>
    status.startsWith('2') ? Object.keys(content ?? {}) : [],
  )
  if (media.includes('text/event-stream')) return ['-N']
  return media.length && !media.some((type) => type.endsWith('json')) ? ['-OJ'] : []
}

export function curlOf(one: Operation, schemas: Record<string, Schema>, origin: string): string {
  const { media, data } = dataOf(one)
  const query = (one.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(sample(name, schema, schemas)))}`)
  const address = origin + inPath(one) + (query.length ? `?${query.join('&')}` : '')
  const method = one.method === 'GET' ? [] : [`-X ${one.method}`]
  const first = ['curl', '--fail-with-body', ...flagsOf(one), ...method, quoted(address)].join(' ')
  return [first, ...headersOf(one, media), ...(data ? [data] : [])].join(' \\\n  ')
}

/** The usage of each command that calls the operation; none if the command line has none. */
export const commandsOf = (operationId: string): string[] =>
  (COMMANDS as Record<string, string>)[operationId]?.split('\n') ?? []
