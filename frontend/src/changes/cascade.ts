/** What a deletion takes along if it is asked for with what prevents it, in words. */
import type { Blocker } from '@/ui/problems'

/** The API names at most so many; beyond that their number is not known. */
const NAMED = 50

export interface CascadeWords {
  key: 'mappings' | 'snapshots' | 'both' | 'volumes' | 'group' | 'newer'
  count: number
}

/** By the noun of the change. Undefined where nothing can be taken along. */
export function cascadeWords(noun: string, blockers: readonly Blocker[]): CascadeWords | undefined {
  const countOf = (...nouns: string[]): number => blockers.filter((one) => nouns.includes(one.noun)).length
  const snapshots = countOf('snapshot', 'deleted_snapshot')
  const volumes = countOf('volume')
  if (noun === 'array') return volumes ? { key: 'volumes', count: known(volumes) } : undefined
  const mappings = noun === 'volume' ? countOf('host', 'host_group') : volumes
  if (mappings && snapshots) return { key: 'both', count: known(mappings) }
  if (mappings) return { key: 'mappings', count: known(mappings) }
  if (snapshots) return { key: 'snapshots', count: known(snapshots) }
  return countOf('host_group') ? { key: 'group', count: 1 } : undefined
}

/** A rollback can delete newer snapshots, and nothing else that prevents it. */
export function newerWords(blockers: readonly Blocker[]): CascadeWords | undefined {
  const areSnapshots = blockers.every(({ noun }) => noun === 'snapshot' || noun === 'deleted_snapshot')
  return areSnapshots ? { key: 'newer', count: known(blockers.length) } : undefined
}

/** 0 is an unknown number. */
const known = (count: number): number => (count < NAMED ? count : 0)
