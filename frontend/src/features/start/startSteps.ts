/** The way from a fresh appliance to a host that uses its first volume, and how far this one has come. */
import type { Counts } from '@/api'

export const STEPS = ['checks', 'appliance', 'array', 'volumes', 'portal', 'hosts', 'map', 'connect'] as const
export type Step = (typeof STEPS)[number]

/** A step that makes what can be counted; the checks and the name of the appliance make nothing. */
export type Making = Exclude<Step, 'checks' | 'appliance'>

/** How many there are of what each step makes. */
export const madeBy = (counts: Counts): Record<Making, number> => ({
  array: counts.arrays,
  volumes: counts.volumes,
  portal: counts.portals,
  hosts: counts.hosts,
  map: counts.mappings,
  connect: counts.sessions ?? 0,
})

/** Volumes are of use to somebody once there are mappings; until then the overview leads here. */
export const isFresh = (counts: Counts): boolean => counts.mappings === 0

/** What has to be there before a step can be gone, in the order in which it is made. */
const NEEDS: Partial<Record<Step, readonly ('array' | 'volumes' | 'hosts')[]>> = {
  volumes: ['array'],
  map: ['volumes', 'hosts'],
  connect: ['hosts'],
}

/** The step to go first, if what this one works on is not there yet. */
export const missingFor = (step: Step, counts: Counts) =>
  NEEDS[step]?.find((needed) => madeBy(counts)[needed] === 0)

export const after = (step: Step): Step | undefined => STEPS[STEPS.indexOf(step) + 1]
export const before = (step: Step): Step | undefined => STEPS[STEPS.indexOf(step) - 1]
