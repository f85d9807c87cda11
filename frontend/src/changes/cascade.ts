/** What a deletion with `cascade` also deletes, in words. */
import { computed } from 'vue'
import type { Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { blockersOf } from '@/ui/blockers'
import { formatCount } from '@/ui/format'
import type { Blocker, ReadableProblem } from '@/ui/problems'
import type { Change } from './change'

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

/** The words on the button for a refused change together with what prevents it; undefined where there is none. */
export function useCascade(current: Ref<Change | undefined>, problem: Ref<ReadableProblem | undefined>) {
  const { t } = useI18n()
  return computed(() => {
    const blockers = blockersOf(problem.value)
    const change = current.value
    if (!change?.cascade || !blockers.length) return undefined
    const words = change.cascadeWords ? change.cascadeWords(blockers) : cascadeWords(change.noun, blockers)
    if (!words) return undefined
    const count = formatCount(words.count)
    return t(`plan.cascade.${words.key}`, { count }, words.count)
  })
}
