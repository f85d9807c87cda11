/** Changes of the API to an existing host. */
import { hostDelete, hostDeleteBatch, hostShow } from '@/api'
import type { Host } from '@/api'
import { deletionOfAll, idsOf } from '@/changes/bulk'
import { deletionOf } from '@/changes/change'
import type { Change } from '@/changes/change'

export function deletion({ id }: Pick<Host, 'id'>): Change {
  const path = { host: id }
  return deletionOf(
    'host',
    () => hostShow({ path }),
    (call, cascade) => hostDelete({ path, ...call, query: { ...call.query, ...cascade } }),
  )
}

export const deleteAll = (hosts: readonly Pick<Host, 'id' | 'name'>[]): Change =>
  deletionOfAll('host', (call, cascade) =>
    hostDeleteBatch({ body: { hosts: idsOf(hosts), ...cascade }, ...call }),
  )
