/** How the mock answers: problem documents, pages of lists, and a change that can be rehearsed. */
import type { Action, Job, Plan, Problem, ProblemBlocker, ProblemField } from '@/api'

/** A success: its status, and what the operation answers with it. */
export interface Answer<Status = number, Body = unknown> {
  status: Status
  body: Body
  headers?: Record<string, string>
}
export type Shown<Body> = Answer<200, Body>
export type Made<Body> = Answer<201, Body>
export type Started = Answer<202, Job>
export type Gone = Answer<204, undefined>

export function json<Body>(body: Body): Shown<Body>
export function json<Body, Status extends number>(
  body: Body,
  status: Status,
  headers?: Record<string, string>,
): Answer<Status, Body>
export function json(body: unknown, status = 200, headers?: Record<string, string>): Answer {
  return { status, body, headers }
}
export const noContent = (): Gone => ({ status: 204, body: undefined })

/** Ends an operation with a refusal, from within what it asks. */
export class Refused extends Error {
  constructor(readonly response: Response) {
    super('refused')
  }
}

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

/** A field, what is wrong with it, and what prevents the change. */
export type Wrong = [field: string, message: string, blockers?: ProblemBlocker[]]

/** A refusal that names fields. */
export function refusal(what: string, wrong: Wrong[], status = 422): Response {
  const errors = wrong.map(([field, message, blockers = []]) => ({ field, value: null, message, blockers }))
  const title = status === 422 ? 'Invalid input' : 'Conflict'
  return problem(status, title, `${what}: ${wrong[0]?.[1]}.`, errors)
}

/** What changes: how, the noun, its name, and what becomes of it. */
export type Line = [action: Action, noun: string, name: string, detail: string]

export function plan(title: string, changes: Line[], more: Partial<Plan> = {}): Plan {
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

/** A change: what a dry run answers, and making it. */
export interface Planned<Done = Started, Rehearsed = Plan> {
  plan: Rehearsed
  apply: () => Done
}

const field = (row: object, key: string): unknown => Reflect.get(row, key)
const PAGING = new Set([
  'name',
  'sort',
  'limit',
  'cursor',
  'offset',
  'active',
  'progress',
  'operations',
  'fields',
  'job',
  'text',
  'people',
  'since',
  'until',
])

/** What a filter of the API looks at where it is no field of the row. */
function looked(row: object, key: string): unknown[] {
  const mapped = field(row, 'mapped_to')
  if (Array.isArray(mapped) && key.startsWith('host')) return mapped.map((one: object) => field(one, key))
  // What belongs to another thing is found by its ID as well as by its name.
  if (key === 'host_group') return ['group', 'group_id', key, `${key}_id`].map((name) => field(row, name))
  if (['host', 'volume', 'array'].includes(key)) return [field(row, key), field(row, `${key}_id`)]
  const value = field(row, key)
  return [key === 'health' && value instanceof Object ? field(value, 'state') : value]
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left).localeCompare(String(right), 'en', { numeric: true })
}

/** What the lists of the API have in common; the rest of a query are filters. */
interface ListQuery {
  name?: string | null
  text?: string | null
  active?: boolean | null
  sort?: string | null
  limit?: number
  cursor?: string | null
  offset?: number
  fields?: string | null
}

/** The same identifier however it is written. */
const plain = (text: string): string => text.replace(/^(naa\.|wwn-0x|0x|eui\.)/, '').replaceAll(/[:-]/g, '')

function matches(row: object, query: ListQuery): boolean {
  const content = JSON.stringify(row).toLowerCase()
  const name = query.name?.replaceAll('*', '').toLowerCase()
  if (name && !content.includes(name)) return false
  const text = query.text?.toLowerCase()
  if (text && !content.includes(text) && !plain(content).includes(plain(text))) return false
  if (typeof query.active === 'boolean' && (field(row, 'resolved_at') === null) !== query.active) return false
  return Object.entries(query).every(([key, value]) => {
    const wanted = [value].flat().map(String)
    return PAGING.has(key) || looked(row, key).some((one) => wanted.includes(String(one)))
  })
}

/** One page of a list: search, filters by equality, order and cursor as the API has them. */
export function page<Row extends object>(rows: Row[], query: ListQuery) {
  const { sort, limit = 50, cursor, offset = 0 } = query
  const found = rows.filter((row) => matches(row, query))
  if (sort) {
    const key = sort.replace(/^-/, '')
    const sign = sort.startsWith('-') ? -1 : 1
    found.sort((left, right) => sign * compare(field(left, key), field(right, key)))
  }
  const from = Number(cursor ?? 0) + offset
  const to = from + limit
  const shown = query.fields?.split(',')
  /** Without the fields that were not asked for, which its type does not know. */
  const reduced = (row: Row): Row =>
    shown ? (Object.fromEntries(shown.map((key) => [key, field(row, key)])) as Row) : row
  return json({
    items: found.slice(from, to).map(reduced),
    next_cursor: to < found.length ? String(to) : null,
    total: found.length,
  })
}

/** What a path may name a row by. */
const NAMES = ['id', 'name', 'username', 'wwpn', 'seq']

/** The row of a path; refuses a name that none has. */
export function find<Row extends object>(rows: Row[], reference: string | number): Row {
  const row = rows.find((one) => NAMES.some((name) => String(field(one, name)) === String(reference)))
  if (!row) throw new Refused(problem(404, 'Not found', `There is no ${reference}.`))
  return row
}

/** The row of a path that is changed or deleted; refuses a request that is not bound to how it is now. */
export function bound<Row extends object>(rows: Row[], reference: string, request: Request): Row {
  const row = find(rows, reference)
  const match = request.headers.get('If-Match')
  if (!match) throw new Refused(problem(428, 'If-Match is required', 'Send If-Match with the ETag you read.'))
  if (match !== etag(row)) {
    const words = 'It was changed meanwhile. Read it again, then repeat.'
    throw new Refused(problem(412, 'Changed by another request', words))
  }
  return row
}

/** One thing, with the tag that binds a change to it. */
export const shown = <Row extends object>(row: Row): Shown<Row> => json(row, 200, { ETag: etag(row) })

/** Stands for the row's version: another content, another tag. */
export function etag(row: object): string {
  let hash = 7
  for (const letter of JSON.stringify(row)) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_000_007
  return `"${hash}"`
}
