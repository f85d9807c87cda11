import type { Composer } from 'vue-i18n'
import type { ArrayMember, MemberRole, StorageArray } from '@/api'
import type { Tone } from '@/ui/tone'

const HEALTH: Record<StorageArray['health'], Tone> = {
  clean: 'good',
  resyncing: 'busy',
  reshaping: 'busy',
  rebuilding: 'busy',
  degraded: 'warn',
  failed: 'bad',
  missing: 'bad',
  unknown: 'quiet',
}

/** A member's state is the engine's own term; one that is not in this table has no color. */
const MEMBER: Record<string, Tone> = {
  in_sync: 'good',
  rebuilding: 'busy',
  replacing: 'busy',
  spare: 'quiet',
  faulty: 'bad',
  missing: 'bad',
}

/** An array is in service while it is ready, and while a job changes its disks. */
const stands = (array: StorageArray): boolean => array.state === 'ready' || array.state === 'changing'

/** An array that is being created, deleted or stuck says so; one in service shows the kernel's health. */
export function arrayTone(array: StorageArray): Tone {
  if (stands(array)) return array.locked ? 'bad' : HEALTH[array.health]
  return array.state === 'stuck' ? 'bad' : 'busy'
}

/** i18n key of the word that belongs to the tone. */
export const arrayWord = (array: StorageArray): string => {
  if (!stands(array)) return `states.${array.state}`
  if (array.observed?.dirty_degraded) return 'arrays.dirtyDegraded'
  return array.locked ? 'arrays.encryption.word' : `arrays.health.${array.health}`
}

/** i18n key of the present protection against the write hole: while an array grows, it is not the chosen one. */
export const writeHoleWord = (array: StorageArray): string =>
  `arrays.writeHole.${array.observed?.write_hole ?? array.write_hole}`

export const memberTone = (member: ArrayMember): Tone => MEMBER[member.state] ?? 'quiet'

const LEVELS: Record<string, string> = { stripe: 'Stripe', mirror: 'Mirror', external: 'External device' }

/** "RAID 5" of `raid5`, "RAID-Z2" of `raidz2`, "dRAID2" of `draid2`; unknown levels unchanged. */
export const levelName = (level: string): string =>
  LEVELS[level] ??
  level
    .replace(/^raid(\d+)$/, 'RAID $1')
    .replace(/^raidz(\d)$/, 'RAID-Z$1')
    .replace(/^draid(\d)$/, 'dRAID$1')

const ROLES = ['data', 'log', 'cache', 'special', 'spare'] as const satisfies readonly MemberRole[]
const WORKS = new Set(['in_sync', 'spare'])

/** The number of disks with each role, in order, and how many of them work. */
export function roleCounts({ members }: Pick<StorageArray, 'members'>) {
  return ROLES.map((role) => {
    const found = members.filter((member) => member.role === role)
    return { role, count: found.length, present: found.filter(({ state }) => WORKS.has(state)).length }
  }).filter(({ count }) => count)
}

/** "8 of 8 disks in sync"; with other disks beside the data, "6 data, 2 log, 1 cache, 1 spare". */
export function diskWords(array: Pick<StorageArray, 'members'>, t: Composer['t']): string {
  const counts = roleCounts(array)
  const [only] = counts
  if (counts.length === 1 && only?.role === 'data')
    return t('arrays.inSync', { present: only.present, slots: only.count })
  return counts
    .map(({ role, count, present }) =>
      present === count
        ? t(`arrays.roleCounts.${role}`, { count })
        : t('arrays.roleSome', { present, of: t(`arrays.roleCounts.${role}`, { count }) }),
    )
    .join(', ')
}
