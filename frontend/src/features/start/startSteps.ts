/** The steps from a fresh appliance to a host that uses its first volume, and the progress so far. */
import type { Counts } from '@/api'

export const STEPS = ['checks', 'appliance', 'array', 'volumes', 'portal', 'hosts', 'map', 'connect'] as const
export type Step = (typeof STEPS)[number]

/** A step that creates something countable; the checks and the name of the appliance create nothing. */
export type Making = Exclude<Step, 'checks' | 'appliance'>

/** The number of objects that each step creates. */
export const madeBy = (counts: Counts): Record<Making, number> => ({
  array: counts.arrays,
  volumes: counts.volumes,
  portal: counts.portals,
  hosts: counts.hosts,
  map: counts.mappings,
  connect: counts.sessions ?? 0,
})

/** Volumes are useful once there are mappings; until then the overview links here. */
export const isFresh = (counts: Counts): boolean => counts.mappings === 0

/** What must exist before a step is possible, in the order of creation. */
const NEEDS: Partial<Record<Step, readonly ('array' | 'volumes' | 'hosts')[]>> = {
  volumes: ['array'],
  map: ['volumes', 'hosts'],
  connect: ['hosts'],
}

/** The step to do first, if what this one needs does not exist yet. */
export const missingFor = (step: Step, counts: Counts) =>
  NEEDS[step]?.find((needed) => madeBy(counts)[needed] === 0)

export const after = (step: Step): Step | undefined => STEPS[STEPS.indexOf(step) + 1]
export const before = (step: Step): Step | undefined => STEPS[STEPS.indexOf(step) - 1]
