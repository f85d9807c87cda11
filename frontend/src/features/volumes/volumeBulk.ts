/** What is asked of many volumes at once, as one change of the API. */
import { mappingCreateBatch, snapshotCreateBatch, volumeDeleteBatch } from '@/api'
import type { MappingCreate, SnapshotBatch } from '@/api'
import { deletionOfAll, idsOf } from '@/changes/bulk'
import type { BulkItem } from '@/changes/bulk'
import type { Change } from '@/changes/change'
import type { ReadableProblem } from '@/ui/problems'

export const VOLUME_ACTS = ['map', 'unmap', 'snapshot', 'delete'] as const
export type VolumeAct = (typeof VOLUME_ACTS)[number]

type Items = readonly BulkItem[]

export const deleteAll = (volumes: Items): Change =>
  deletionOfAll('volume', (call, cascade) =>
    volumeDeleteBatch({ body: { volumes: idsOf(volumes), ...cascade }, ...call }),
  )

export const snapshotAll = (volumes: Items, spec: Omit<SnapshotBatch, 'volumes'>): Change => ({
  noun: 'snapshot',
  send: (call) => snapshotCreateBatch({ body: { volumes: idsOf(volumes), ...spec }, ...call }),
})

export const mapAll = (volumes: Items, owner: Partial<MappingCreate>): Change => ({
  noun: 'mapping',
  send: (call) =>
    mappingCreateBatch({ body: { mappings: volumes.map(({ id }) => ({ ...owner, volume: id })) }, ...call }),
})

/** A refusal of the host, which is the same for all. */
const OF_OWNER = /\.(?:host|host_group|family)$/
export const ownerMessage = (problem: ReadableProblem | undefined): string | undefined =>
  problem?.fields.find(({ field }) => OF_OWNER.test(field))?.message
