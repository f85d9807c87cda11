/** A request that changes something, as the texts are made from it: names for IDs, and no secret. */
import type { Sent } from '@/server/sent'
import REQUESTS from '@/api/requests.gen.json'

export type Json = null | boolean | number | string | Placeholder | Json[] | { [key: string]: Json }
export type Fields = Record<string, Json>

/** The place of a secret: the variable of the environment that has it. */
export class Placeholder {
  constructor(readonly variable: string) {}
}

interface Known {
  method: string
  path: string
  hasMatch?: boolean
  hasKey?: boolean
  /** `site.hosts[].chap.secret` */
  secrets?: string[]
  defaults?: Record<string, Json>
}

export interface Asked {
  operation: string
  known: Known
  path: Record<string, string>
  /** Without what only says how it is asked for, such as `dry_run`. */
  query: Fields
  body: Fields
  /** The state to which the change is bound. */
  match: string | null
  /** The resource before the change, if it was read. */
  before: Fields
}

/** Finds an object that the page has shown by its ID. */
export type Find = (id: string) => Record<string, unknown> | undefined

const known = REQUESTS as unknown as Record<string, Known>
const HOW = new Set(['dry_run', 'confirm'])

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Placeholder)

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Whether the fields of the request are those to change: what is absent stays as it is. */
export const isPatch = ({ operation }: Asked): boolean => /_(?:patch|change)$/.test(operation)

function withoutUndefined(value: Fields): Fields {
  return JSON.parse(JSON.stringify(value)) as Fields
}

/** `chap.secret` is in the variable `CHAP_SECRET`. */
const variableOf = (place: string): string => place.replace(/\[\]/g, '').replace(/\./g, '_').toUpperCase()

/** Replaces what is at a place such as `hosts[].chap.secret`. */
function masked(value: Json, steps: string[], variable: string): Json {
  const [step, ...rest] = steps
  if (step === undefined) return typeof value === 'string' && value ? new Placeholder(variable) : value
  if (step === '[]') return Array.isArray(value) ? value.map((one) => masked(one, rest, variable)) : value
  if (!isFields(value) || value[step] === undefined) return value
  return { ...value, [step]: masked(value[step], rest, variable) }
}

const stepsOf = (place: string): string[] => place.replace(/\[\]/g, '.[]').split('.').filter(Boolean)

export function askedOf(sent: Sent, before: unknown = {}): Asked | undefined {
  const found = Object.entries(known).find(
    ([, one]) => one.method === sent.method && one.path === sent.template,
  )
  // A file is no text to copy.
  if (!found || sent.body instanceof Blob) return undefined
  const [operation, facts] = found
  const query = Object.entries(sent.query).filter(([name, value]) => !HOW.has(name) && value !== undefined)
  let body: Json = withoutUndefined((sent.body ?? {}) as Fields)
  for (const place of facts.secrets ?? []) body = masked(body, stepsOf(place), variableOf(place))
  return {
    operation,
    known: facts,
    path: Object.fromEntries(Object.entries(sent.path).map(([name, value]) => [name, String(value)])),
    query: Object.fromEntries(query) as Fields,
    body: body as Fields,
    match: sent.match,
    before: isFields(before) ? before : {},
  }
}

/** The fields of a change that differ from what is there; all of them if none does. */
export function changedFields(asked: Asked): Fields {
  if (!isPatch(asked)) return asked.body
  const changed = Object.entries(asked.body).filter(([name, value]) => !isSame(value, asked.before[name]))
  return changed.length ? Object.fromEntries(changed) : asked.body
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']

export const isSize = (field: string): boolean => /_bytes(?:_s)?$/.test(field)

/** The same number of bytes in the largest unit of which it is a multiple. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = ''
  for (const larger of UNITS) {
    if (value === 0 || value % 1024) break
    value /= 1024
    unit = larger
  }
  return `${value}${unit}`
}

/** By which a command finds it: not what somebody else created, and not what is deleted, whose name others may have. */
function nameOf(found: Record<string, unknown> | undefined): string | undefined {
  const name = found?.['name'] ?? found?.['username']
  const isOurs = Boolean(found?.['created_at']) && !found?.['deleted_at']
  return isOurs && typeof name === 'string' ? name : undefined
}

/** IDs as names, as far as they are known. */
export function named(value: Json, find: Find): Json {
  if (typeof value === 'string') return nameOf(find(value)) ?? value
  if (Array.isArray(value)) return value.map((one) => named(one, find))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one, find)]))
}

const [BEGIN, END] = ['\uE000', '\uE001']

/** JSON in which each placeholder is what `write` makes of its variable, and other text what `escape` makes of it. */
export function jsonText(
  value: Json,
  write: (variable: string) => string,
  escape: (text: string) => string,
): string {
  const text = JSON.stringify(
    value,
    (_key, one: Json) => (one instanceof Placeholder ? `${BEGIN}${one.variable}${END}` : one),
    2,
  )
  return text
    .split(new RegExp(`${BEGIN}(\\w+)${END}`))
    .map((part, index) => (index % 2 ? write(part) : escape(part)))
    .join('')
}

export const hasSecret = (value: Json): boolean => variablesOf(value).length > 0

/** The variables of all secrets, each once. */
export function variablesOf(value: Json): string[] {
  if (value instanceof Placeholder) return [value.variable]
  const inner = Array.isArray(value) ? value : isFields(value) ? Object.values(value) : []
  return [...new Set(inner.flatMap(variablesOf))]
}
