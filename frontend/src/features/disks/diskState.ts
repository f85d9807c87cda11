/** The state of a disk as a tone, and the kind of drive as an i18n key. */
import type { Disk } from '@/api'
import type { Tone } from '@/ui/tone'

const TONES: Record<Disk['state'], Tone> = {
  free: 'good',
  member: 'busy',
  occupied: 'warn',
  system: 'quiet',
  missing: 'bad',
  unknown: 'quiet',
}

export const diskTone = (disk: Disk): Tone => TONES[disk.state]

/** SSD or HDD; undefined while the drive is not observed. */
export function diskKind(disk: Disk): 'ssd' | 'hdd' | undefined {
  if (!disk.observed) return undefined
  return disk.observed.rotational ? 'hdd' : 'ssd'
}
