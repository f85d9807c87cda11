/** What is asked of many volumes at once, as one change of the API, and which of them a refusal is about. */
import { mappingCreateBatch, snapshotCreateBatch, volumeDeleteBatch } from '@/api'
import type { MappingCreate, Volume } from '@/api'
import type { Change } from '@/changes/change'
import type { ReadableProblem } from '@/ui/problems'

export type BulkAct = 'map' | 'snapshot' | 'delete'

/** The API's most for one plan, and its longest page. */
export const BULK_LIMIT = 1000

const ids = (volumes: readonly Volume[]): string[] => volumes.map(({ id }) => id)

export function deleteAll(volumes: readonly Volume[]): Change {
  const withAll = (cascade: boolean): Change => ({
    noun: 'volume',
    send: (call) =>
      volumeDeleteBatch({ body: { volumes: ids(volumes), ...(cascade && { cascade }) }, ...call }),
  })
  return { ...withAll(false), cascade: withAll(true) }
}

export const snapshotAll = (
  volumes: readonly Volume[],
  name: string,
  description: string,
  atomic: boolean,
): Change => ({
  noun: 'snapshot',
  send: (call) =>
    snapshotCreateBatch({ body: { volumes: ids(volumes), name: name.trim(), description, atomic }, ...call }),
})

export const mapAll = (volumes: readonly Volume[], owner: Partial<MappingCreate>): Change => ({
  noun: 'mapping',
  send: (call) =>
    mappingCreateBatch({ body: { mappings: volumes.map(({ id }) => ({ ...owner, volume: id })) }, ...call }),
})

export interface Refused {
  volume: Volume
  reason: string
}

/** A refusal of the host, which is the same for all. */
const OF_OWNER = /\.(?:host|host_group|family)$/
export const ownerMessage = (problem: ReadableProblem | undefined): string | undefined =>
  problem?.fields.find(({ field }) => OF_OWNER.test(field))?.message

const PLACE = /\b(?:volumes|mappings)\[(\d+)\]/

/** The volumes a refusal names, each once; empty where it is about something else, such as the host. */
export function refusedOf(volumes: readonly Volume[], problem: ReadableProblem | undefined): Refused[] {
  if (ownerMessage(problem)) return []
  const reasons = new Map<Volume, string[]>()
  for (const { field, message } of problem?.fields ?? []) {
    const place =
      PLACE.exec(field)?.[1] ?? (volumes.length === 1 && /\bvolume$/.test(field) ? '0' : undefined)
    const volume = place === undefined ? undefined : volumes[Number(place)]
    if (!volume) return []
    const reason = message.replace(`volume ${volume.name}: `, '')
    reasons.set(volume, [...(reasons.get(volume) ?? []), reason])
  }
  return [...reasons].map(([volume, found]) => ({ volume, reason: found.join('; ') }))
}
