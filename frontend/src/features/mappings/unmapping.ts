/** Unmapping many volumes at once, in one plan. */
import { useI18n } from 'vue-i18n'
import { mappingDeleteBatch } from '@/api'
import type { Mapping, Volume } from '@/api'
import { idsOf } from '@/changes/bulk'
import type { BulkAct, BulkItem } from '@/changes/bulk'
import { formatCount } from '@/ui/format'

export function useUnmapping() {
  const { t } = useI18n()
  const of = (id: string, volume: string, owner: string | null): BulkItem => ({
    id,
    name: t('mappings.pair', { volume, owner }),
  })

  const act: BulkAct = {
    title: (what) => t('mappings.unmapMany', { what }),
    verb: t('mappings.unmap'),
    counted: (count) => t('mappings.mappings', { count: formatCount(count) }, count),
    change: (items) => ({
      noun: 'mapping',
      send: (call) => mappingDeleteBatch({ body: { mappings: idsOf(items) }, ...call }),
    }),
    isDestructive: true,
  }

  return {
    act,
    of,
    ofVolume: ({ name, mapped_to: owners }: Pick<Volume, 'name' | 'mapped_to'>): BulkItem[] =>
      owners.map((one) => of(one.mapping_id, name, one.host ?? one.host_group)),
    ofMapping: (row: Pick<Mapping, 'id' | 'volume' | 'host' | 'host_group'>): BulkItem =>
      of(row.id, row.volume, row.host ?? row.host_group),
  }
}
