/** What can be asked of a volume that stands and of its snapshots, as changes of the API. */
import {
  snapshotClone,
  snapshotCreate,
  snapshotDelete,
  snapshotShow,
  volumeDelete,
  volumeGrow,
  volumeRollBack,
  volumeShow,
} from '@/api'
import type { Snapshot, SnapshotClone, SnapshotCreate, Volume } from '@/api'
import { newerWords } from '@/changes/cascade'
import { deletionOf } from '@/changes/change'
import type { Change } from '@/changes/change'

const read = (volume: { id: string }) => () => volumeShow({ path: { volume: volume.id } })

export const deletion = (volume: { id: string }): Change =>
  deletionOf('volume', read(volume), (call, cascade) =>
    volumeDelete({ path: { volume: volume.id }, ...call, query: { ...call.query, ...cascade } }),
  )

export const grow = (volume: Volume, bytes: number): Change => ({
  noun: 'volume',
  read: read(volume),
  send: (call) => volumeGrow({ path: { volume: volume.id }, body: { size_bytes: bytes }, ...call }),
})

/** `keep`: what the volume holds now becomes a deleted volume, and is not lost. */
export function rollBack(volume: Volume, snapshot: Snapshot, keep: boolean): Change {
  const past = (isPast: boolean): Change => ({
    noun: 'volume',
    read: read(volume),
    send: (call) =>
      volumeRollBack({
        path: { volume: volume.id },
        body: { snapshot: snapshot.id, keep, ...(isPast && { delete_newer_snapshots: true }) },
        ...call,
      }),
  })
  return { ...past(false), cascade: past(true), cascadeWords: newerWords }
}

export const takeSnapshot = (body: SnapshotCreate): Change => ({
  noun: 'snapshot',
  send: (call) => snapshotCreate({ body, ...call }),
})

export const clone = (snapshot: Snapshot, body: SnapshotClone): Change => ({
  noun: 'volume',
  send: (call) => snapshotClone({ path: { snapshot: snapshot.id }, body, ...call }),
})

export const snapshotDeletion = (snapshot: Snapshot): Change => ({
  noun: 'snapshot',
  read: () => snapshotShow({ path: { snapshot: snapshot.id } }),
  send: (call) => snapshotDelete({ path: { snapshot: snapshot.id }, ...call }),
})

/** A name with a place for a number makes many: `test%02d`. */
export const cloneBody = (name: string, count: number): SnapshotClone =>
  /%(?:0[1-9])?d/.test(name) ? { name_pattern: name.trim(), count } : { name: name.trim() }

/** `lun01-2026-11-21`, which the person may change; told apart by the time where the day has one already. */
export function snapshotName(volume: Volume, taken: readonly Snapshot[], now: Date): string {
  const [day, time] = now.toISOString().split('T')
  const name = `${volume.name}-${day}`
  return taken.some((one) => one.name === name) ? `${name}-${time?.slice(0, 5).replace(':', '')}` : name
}
