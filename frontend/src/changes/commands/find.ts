/** The objects that the page has shown, by their IDs: a command names them as a person does. */
import type { QueryClient } from '@tanstack/vue-query'
import type { Find } from './asked'

type Known = Record<string, unknown>

export function finderOf(queries: QueryClient, before: unknown): Find {
  const found = new Map<string, Known>()
  for (const query of queries.getQueryCache().getAll()) collect(query.state.data, found)
  collect(before, found)
  return (id) => found.get(id)
}

/** Of lists, of lists in pages, and of what was read alone. Only whole resources say when they were created. */
function collect(value: unknown, found: Map<string, Known>): void {
  if (Array.isArray(value)) for (const one of value) collect(one, found)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const known = value as Known
  if (typeof known['id'] === 'string' && known['created_at']) found.set(known['id'], known)
  collect(known['items'], found)
  collect(known['pages'], found)
}
