/** Volumes and snapshots, and those that are deleted. */
import { bound, find, json, page, shown } from '../answers'
import * as bulk from '../bulk'
import * as care from '../care'
import { volumesNow } from '../mappings'
import type { Handlers } from '../operation'
import * as trash from '../trash'
import * as whole from '../whole'
import * as work from '../work'

export const VOLUMES = {
  volumeList: ({ world, query }) => page(volumesNow(world), query),
  volumeCreate: ({ world, body }) => work.createVolumes(world, [body]),
  volumeCreateBatch: ({ world, body }) => work.createVolumes(world, work.batchVolumes(body)),
  volumeDeleteBatch: ({ world, body }) => bulk.deleteVolumes(world, body),
  volumeShow: ({ world, path }) => shown(find(world.volumes, path.volume)),
  volumeWhy: ({ world, path }) => json(whole.why(world, find(world.volumes, path.volume))),
  volumeDelete: ({ world, path, query, request }) =>
    work.deleteVolume(world, bound(world.volumes, path.volume, request), query.cascade),
  volumePatch: ({ world, path, body, request }) =>
    care.patchVolume(world, bound(world.volumes, path.volume, request), body),
  volumeGrow: ({ world, path, body }) => care.growVolume(world, find(world.volumes, path.volume), body),
  volumeRollBack: ({ world, path, body }) => trash.rollBack(world, find(world.volumes, path.volume), body),
  deletedVolumeList: ({ world, query }) => page(world.deletedVolumes, query),
  deletedVolumeRecoverBatch: ({ world, body }) => bulk.recoverVolumes(world, body),
  deletedVolumeDeleteBatch: ({ world, body }) => bulk.eraseVolumes(world, body),
  deletedVolumeShow: ({ world, path }) => shown(find(world.deletedVolumes, path.deleted_volume)),
  deletedVolumeDelete: ({ world, path, request }) =>
    trash.erase(world, bound(world.deletedVolumes, path.deleted_volume, request)),
  deletedVolumeRecover: ({ world, path, body }) =>
    trash.recover(world, find(world.deletedVolumes, path.deleted_volume), body),
  snapshotList: ({ world, query }) => page(world.snapshots, query),
  snapshotCreate: ({ world, body }) => care.createSnapshot(world, body),
  snapshotCreateBatch: ({ world, body }) => bulk.takeSnapshots(world, body),
  snapshotDeleteBatch: ({ world, body }) => bulk.deleteSnapshots(world, body),
  snapshotShow: ({ world, path }) => shown(find(world.snapshots, path.snapshot)),
  snapshotDelete: ({ world, path, request }) =>
    care.deleteSnapshot(world, bound(world.snapshots, path.snapshot, request)),
  snapshotClone: ({ world, path, body }) =>
    care.cloneSnapshot(world, find(world.snapshots, path.snapshot), body),
  deletedSnapshotList: ({ world, query }) => page(world.deletedSnapshots, query),
  deletedSnapshotRecoverBatch: ({ world, body }) => bulk.recoverSnapshots(world, body),
  deletedSnapshotDeleteBatch: ({ world, body }) => bulk.eraseSnapshots(world, body),
  deletedSnapshotShow: ({ world, path }) => shown(find(world.deletedSnapshots, path.deleted_snapshot)),
  deletedSnapshotDelete: ({ world, path, request }) =>
    trash.eraseSnapshot(world, bound(world.deletedSnapshots, path.deleted_snapshot, request)),
  deletedSnapshotRecover: ({ world, path, body }) =>
    trash.recoverSnapshot(world, find(world.deletedSnapshots, path.deleted_snapshot), body),
} satisfies Partial<Handlers>
