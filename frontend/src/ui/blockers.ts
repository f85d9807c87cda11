/** Where the page shows an object that prevents a change. */
import type { RouteLocationRaw } from 'vue-router'
import type { Blocker, ReadableProblem } from './problems'

/** A list shows at most so many; the message of the API counts all of them. */
export const SHOWN = 12

const PLACES: Record<string, (name: string) => RouteLocationRaw> = {
  volume: (volume) => ({ name: 'volume', params: { volume } }),
  host: (q) => ({ name: 'hosts', query: { q } }),
  host_group: (q) => ({ name: 'hostGroups', query: { q } }),
  deleted_volume: (q) => ({ name: 'deletedVolumes', query: { q } }),
  deleted_snapshot: (q) => ({ name: 'deletedSnapshots', query: { q } }),
}

/** A snapshot has no place of its own: it is on the page of its volume, which asks for the change. */
export const placeOf = ({ noun, name }: Blocker): RouteLocationRaw | undefined => PLACES[noun]?.(name)

/** Each object once, in the order in which the problem names them. */
export function blockersOf(problem: ReadableProblem | undefined): Blocker[] {
  const found = problem?.fields.flatMap(({ blockers }) => blockers ?? []) ?? []
  return [...new Map(found.map((one) => [`${one.noun} ${one.id}`, one])).values()]
}
