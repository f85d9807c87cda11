/** What is done with many deleted volumes or snapshots at once. */
import { useI18n } from 'vue-i18n'
import {
  deletedSnapshotDeleteBatch,
  deletedSnapshotRecoverBatch,
  deletedVolumeDeleteBatch,
  deletedVolumeRecoverBatch,
} from '@/api'
import { idsOf } from '@/changes/bulk'
import type { BulkAct, BulkItem } from '@/changes/bulk'
import type { Call, Change } from '@/changes/change'
import { formatCount } from '@/ui/format'

export type DeletedAct = 'recover' | 'erase'

type Send = (ids: string[], call: Call) => ReturnType<Change['send']>

const SENDS: Record<'volume' | 'snapshot', Record<DeletedAct, Send>> = {
  volume: {
    recover: (ids, call) => deletedVolumeRecoverBatch({ body: { deleted_volumes: ids }, ...call }),
    erase: (ids, call) => deletedVolumeDeleteBatch({ body: { deleted_volumes: ids }, ...call }),
  },
  snapshot: {
    recover: (ids, call) => deletedSnapshotRecoverBatch({ body: { deleted_snapshots: ids }, ...call }),
    erase: (ids, call) => deletedSnapshotDeleteBatch({ body: { deleted_snapshots: ids }, ...call }),
  },
}
const COUNTED = { volume: 'volumes.bulk.volumes', snapshot: 'snapshots.counted' } as const

export function useDeletedBulk(noun: 'volume' | 'snapshot'): Record<DeletedAct, BulkAct> {
  const { t } = useI18n()
  const act = (key: DeletedAct): BulkAct => ({
    title: (what) => t(`deletedVolumes.many.${key}`, { what }),
    verb: t(`deletedVolumes.${key}`),
    counted: (count) => t(COUNTED[noun], { count: formatCount(count) }, count),
    change: (items: readonly BulkItem[]) => ({
      noun,
      send: (call) => SENDS[noun][key](idsOf(items), call),
    }),
    isDestructive: key === 'erase',
  })
  return { recover: act('recover'), erase: act('erase') }
}
