/** The appliance's own OpenAPI document: the parts that the reference reads, and its search. */
import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import { client } from '@/api/client.gen'

export const API_DOCUMENT = '/api/v1/openapi.json'

export interface Schema {
  $ref?: string
  type?: string
  description?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  writeOnly?: boolean
  /** The meaning of each value of an enum. */
  'x-enumDescriptions'?: Record<string, string>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  description?: string
  schema: Schema
}

type Content = Record<string, { schema: Schema; example?: unknown }>

export interface Operation {
  operationId: string
  method: string
  path: string
  tags: string[]
  description: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content; headers?: Record<string, unknown> }>
  'x-role': 'public' | 'metrics' | 'viewer' | 'operator' | 'administrator'
}

export interface ApiDocument {
  info: { title: string; version: string }
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  components: { schemas: Record<string, Schema> }
}

export interface Noun {
  name: string
  operations: Operation[]
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Every operation with its method and path, in the order of the document. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const found = methods[method]
      return found ? [{ ...found, path, method: method.toUpperCase() }] : []
    }),
  )
}

const byPath = (left: Operation, right: Operation): number =>
  left.path === right.path
    ? METHODS.indexOf(left.method.toLowerCase()) - METHODS.indexOf(right.method.toLowerCase())
    : left.path < right.path
      ? -1
      : 1

/** Grouped by noun, nouns by name; within a noun the list first, then one object, then its verbs. */
export function nounsOf(operations: readonly Operation[]): Noun[] {
  const nouns = new Map<string, Operation[]>()
  for (const one of operations) {
    const noun = (one.tags[0] ?? '')
      .replaceAll('-', ' ')
      .replace(/^(fc|rdma)\b/, (word) => word.toUpperCase())
    nouns.set(noun, [...(nouns.get(noun) ?? []), one])
  }
  return [...nouns]
    .map(([name, found]) => ({ name, operations: found.sort(byPath) }))
    .sort((left, right) => left.name.localeCompare(right.name, 'en'))
}

/** Name of the schema of a reference. */
export const schemaName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** Follows references; a schema that is missing from the document is an empty one. */
export function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schema.$ref ? resolve(schemas[schemaName(schema.$ref)] ?? {}, schemas) : schema
}

/** The searched text of an operation: its words, its role, and the names of its parameters. */
function wordsOf(one: Operation, schemas: Record<string, Schema>): string {
  const bodies = Object.values(one.requestBody?.content ?? {}).map(({ schema }) => resolve(schema, schemas))
  return [
    one.operationId,
    `${one.method} ${one.path}`,
    ...one.tags,
    one.description,
    one['x-role'],
    ...(one.parameters ?? []).map(({ name }) => name),
    ...bodies.flatMap(({ properties }) => Object.keys(properties ?? {})),
  ]
    .join('\n')
    .toLowerCase()
}

/** The operations in which every word of the text is found. */
export function search(
  operations: readonly Operation[],
  schemas: Record<string, Schema>,
  text: string,
): readonly Operation[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (!wanted.length) return operations
  return operations.filter((one) => {
    const words = wordsOf(one, schemas)
    return wanted.every((word) => words.includes(word))
  })
}

/** The operations that accept or return a schema by name. */
export function usersOf(name: string, operations: readonly Operation[]): Operation[] {
  const mention = `"#/components/schemas/${name}"`
  return operations.filter((one) => JSON.stringify([one.requestBody, one.responses]).includes(mention))
}

export function useApiDocument() {
  const query = useQuery({
    queryKey: ['apiDocument'],
    queryFn: async ({ signal }) => {
      const { data } = await client.get({ url: API_DOCUMENT, signal, throwOnError: true })
      return data as ApiDocument
    },
    staleTime: Infinity,
    structuralSharing: false,
  })
  const operations = computed(() => (query.data.value ? operationsOf(query.data.value) : []))
  const schemas = computed(() => query.data.value?.components.schemas ?? {})
  return { query, operations, schemas, version: computed(() => query.data.value?.info.version) }
}
