import type { ArrayMember, StorageArray } from '@/api'
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

export const inSync = (array: StorageArray): number =>
  array.members.filter((member) => member.state === 'in_sync').length
