/** How the mock answers: problem documents, pages of lists, and a change that can be rehearsed. */
import type { Action, Plan, Problem, ProblemField } from '@/api'

export type Row = object
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers })
export const noContent = () => new Response(null, { status: 204 })

export function problem(
  status: number,
  title: string,
  detail: string,
  errors: ProblemField[] = [],
  type: Problem['type'] = 'invalid',
): Response {
  const body: Problem = { type, title, status, detail, instance: '/', errors }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  })
}

/** A refusal that names fields, as `[field, message]`. */
export function refusal(what: string, wrong: [string, string][], status = 422): Response {
  const errors = wrong.map(([field, message]) => ({ field, value: null, message }))
  const title = status === 422 ? 'Invalid input' : 'Conflict'
  return problem(status, title, `${what}: ${wrong[0]?.[1]}.`, errors)
}

export function plan(
  title: string,
  changes: [action: Action, noun: string, name: string, detail: string][],
  more: Partial<Plan> = {},
): Plan {
  return {
    title,
    changes: changes.map(([action, noun, name, detail]) => ({ action, noun, name, detail })),
    steps: [],
    devices: [],
    bytes_destroyed: 0,
    hosts_interrupted: [],
    warnings: [],
    volumes: [],
    reused: [],
    ...more,
  }
}

/** What a request would do, and the doing. */
export interface Wish {
  plan: Plan
  apply: () => Response
}

const field = (row: Row, key: string): unknown => (row as Record<string, unknown>)[key]
const PAGING = new Set([
  'name',
  'sort',
  'limit',
  'cursor',
  'offset',
  'active',
  'progress',
  'text',
  'people',
  'since',
  'until',
])

/** What a filter of the API looks at where it is no field of the row. */
function looked(row: Row, key: string): unknown[] {
  const mapped = field(row, 'mapped_to')
  if (Array.isArray(mapped) && key.startsWith('host')) return mapped.map((one: Row) => field(one, key))
  if (key === 'host_group') return [field(row, 'group')]
  const value = field(row, key)
  return [key === 'health' ? field(value as Row, 'state') : value]
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left).localeCompare(String(right), 'en', { numeric: true })
}

function matches(row: Row, url: URL): boolean {
  const text = url.searchParams.get('name')?.replaceAll('*', '').toLowerCase()
  if (text && !JSON.stringify(row).toLowerCase().includes(text)) return false
  const active = url.searchParams.get('active')
  if (active && (field(row, 'resolved_at') === null) !== (active === 'true')) return false
  return [...new Set(url.searchParams.keys())].every(
    (key) =>
      PAGING.has(key) || looked(row, key).some((one) => url.searchParams.getAll(key).includes(String(one))),
  )
}

/** One page of a list: search, filters by equality, order and cursor as the API has them, and what it says besides. */
export function page(rows: Row[], url: URL, besides: object = {}): Response {
  const { sort, limit, cursor, offset } = Object.fromEntries(url.searchParams)
  const found = rows.filter((row) => matches(row, url))
  if (sort) {
    const key = sort.replace(/^-/, '')
    const sign = sort.startsWith('-') ? -1 : 1
    found.sort((left, right) => sign * compare(field(left, key), field(right, key)))
  }
  const from = Number(cursor ?? 0) + Number(offset ?? 0)
  const to = from + Number(limit ?? 50)
  return json({
    items: found.slice(from, to),
    next_cursor: to < found.length ? String(to) : null,
    total: found.length,
    ...besides,
  })
}

/** Stands for the row's version: another content, another tag. */
export function etag(row: Row): string {
  let hash = 7
  for (const letter of JSON.stringify(row)) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_000_007
  return `"${hash}"`
}
