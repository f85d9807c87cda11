/** Where the page shows an object that prevents a change. */
import type { RouteLocationRaw } from 'vue-router'
import { PLACES } from './places'
import type { Blocker, ReadableProblem } from './problems'

/** A list shows at most so many; the message of the API counts all of them. */
export const SHOWN = 12

const hasPlace = (noun: string): noun is keyof typeof PLACES => noun in PLACES

/** A snapshot has no place of its own: it is on the page of its volume, which asks for the change. */
export const placeOf = ({ noun, name }: Blocker): RouteLocationRaw | undefined =>
  hasPlace(noun) && noun !== 'snapshot' ? PLACES[noun].of({ name }) : undefined

/** Each object once, in the order in which the problem names them. */
export function blockersOf(problem: ReadableProblem | undefined): Blocker[] {
  const found = problem?.fields.flatMap(({ blockers }) => blockers ?? []) ?? []
  return [...new Map(found.map((one) => [`${one.noun} ${one.id}`, one])).values()]
}
