/** Which operation of the API document a request is, and its path and query as the document types them. */
import { paths } from './document'
import type { ApiOperation, ParameterSchema } from './document'

interface Pattern {
  method: string
  pattern: RegExp
  names: string[]
  operation: ApiOperation
}

/** A request as the API document has it. */
export interface Route {
  operation: ApiOperation
  path: Record<string, string>
  query: Record<string, unknown>
}

const escaped = (text: string): string => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&')

const patterns: Pattern[] = Object.entries(paths).flatMap(([path, operations]) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const pattern = new RegExp(`^${escaped(path).replace(/\{\w+\}/g, '([^/]+?)')}$`)
  return Object.entries(operations).map(([method, operation]) => ({
    method: method.toUpperCase(),
    pattern,
    names,
    operation,
  }))
})

function typed(schema: ParameterSchema, values: string[]): unknown {
  const [value = ''] = values
  const types = [schema, ...(schema.anyOf ?? [])].map(({ type }) => type)
  if (types.includes('array')) return values
  if (types.includes('boolean')) return value === 'true'
  return types.includes('integer') ? Number(value) : value
}

/** Unknown parameters are left out: the client's types have none. */
function queryOf(operation: ApiOperation, url: URL): Record<string, unknown> {
  const given = (operation.parameters ?? []).filter(
    (one) => one.in === 'query' && url.searchParams.has(one.name),
  )
  return Object.fromEntries(
    given.map(({ name, schema }) => [name, typed(schema, url.searchParams.getAll(name))]),
  )
}

/** A verb such as `/volumes/vm01:grow` also fits the pattern of `/volumes/{volume}`, so the longest pattern counts. */
export function routeOf(method: string, url: URL): Route | undefined {
  const [found] = patterns
    .filter((one) => one.method === method && one.pattern.test(url.pathname))
    .toSorted((left, right) => right.pattern.source.length - left.pattern.source.length)
  if (!found) return undefined
  const values = found.pattern.exec(url.pathname)?.slice(1) ?? []
  return {
    operation: found.operation,
    path: Object.fromEntries(
      found.names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]),
    ),
    query: queryOf(found.operation, url),
  }
}
