/** The deletion of many snapshots at once, as one plan. */
import { useI18n } from 'vue-i18n'
import { snapshotDeleteBatch } from '@/api'
import type { Snapshot } from '@/api'
import { idsOf } from '@/changes/bulk'
import type { BulkAct } from '@/changes/bulk'
import { formatCount } from '@/ui/format'

export function useSnapshotDeletion(): BulkAct<Snapshot> {
  const { t } = useI18n()
  return {
    title: (what) => t('bulk.delete', { what }),
    verb: t('plan.delete'),
    counted: (count) => t('snapshots.counted', { count: formatCount(count) }, count),
    change: (snapshots) => ({
      noun: 'snapshot',
      send: (call) => snapshotDeleteBatch({ body: { snapshots: idsOf(snapshots) }, ...call }),
    }),
    isDestructive: true,
  }
}
