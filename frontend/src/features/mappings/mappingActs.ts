/** Mapping and unmapping one volume, as changes of the API. */
import { mappingCreate, mappingDelete, mappingShow } from '@/api'
import type { MappingCreate } from '@/api'
import type { Change } from '@/changes/change'

export const mapping = (body: MappingCreate): Change => ({
  noun: 'mapping',
  send: (call) => mappingCreate({ body, ...call }),
})

export function unmapping(id: string): Change {
  const path = { mapping: id }
  return {
    noun: 'mapping',
    read: () => mappingShow({ path }),
    send: (call) => mappingDelete({ path, ...call }),
  }
}
