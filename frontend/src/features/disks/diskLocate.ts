/** The locate light of a disk's bay, as a change of the API. */
import { diskLocate } from '@/api'
import type { Disk } from '@/api'
import type { Change } from '@/changes/change'

/** Whether its light is on; null for a disk without one. */
export const isLocated = ({ observed }: Disk): boolean | null => observed?.place.is_located ?? null

export const locate = (disk: Disk, off: boolean): Change => ({
  noun: 'disk',
  send: (call) => diskLocate({ path: { disk: disk.id }, body: { off }, ...call }),
})
