/** Wiping or erasing a disk, as a change of the API. */
import { diskWipe } from '@/api'
import type { Disk, WipeMethod } from '@/api'
import type { Change } from '@/changes/change'

export interface WipeDraft {
  method: WipeMethod
  /** Content that may be part of something larger is destroyed too. */
  isForeign: boolean
}

/** Signatures of content that may span several disks, or be locked: the appliance requires that they are named. */
const OF_OTHERS = new Set([
  'linux_raid_member',
  'ddf_raid_member',
  'isw_raid_member',
  'LVM2_member',
  'zfs_member',
  'bcache',
  'crypto_LUKS',
  'btrfs',
  'drbd',
])

/** What the appliance certainly refuses is not offered; it judges the rest itself. */
export const canBeWiped = ({ state, observed, wipeable }: Disk): boolean =>
  observed !== null && (state === 'free' || (state === 'occupied' && wipeable))

export const foreignSignatures = ({ observed }: Disk): string[] => [
  ...new Set((observed?.signatures ?? []).map(({ type }) => type).filter((type) => OF_OTHERS.has(type))),
]

export const wipe = (disk: Disk, { method, isForeign }: WipeDraft): Change => ({
  noun: 'disk',
  send: (call) =>
    diskWipe({
      path: { disk: disk.id },
      body: { method, confirm: disk.serial, signatures: isForeign ? foreignSignatures(disk) : [] },
      ...call,
    }),
})
