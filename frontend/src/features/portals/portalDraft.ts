/** What the form of a portal holds, and the request it becomes. */
import { portalCreate, portalPatch } from '@/api'
import type { Portal } from '@/api'
import type { Change } from '@/changes/change'
import type { Read } from '@/changes/dialog'
import { PORTS } from './portalChoices'
import type { Listening, Serving } from './portalChoices'

export const EVERYWHERE = '0.0.0.0'

export interface PortalDraft {
  name: string
  protocol: Listening
  engine: Serving
  /** Empty until the addresses of the appliance are known. */
  address: string
  port: number | undefined
}

export const draftOf = (row?: Portal): PortalDraft => ({
  name: row?.name ?? '',
  protocol: (row?.protocol ?? 'iscsi') as Listening,
  engine: row?.engine ?? 'lio',
  address: row?.address ?? '',
  port: row ? (row.port ?? undefined) : PORTS.iscsi,
})

/** `hasEngines`: there is a choice of engines, so that the chosen one is sent. */
export function creation(draft: PortalDraft, hasEngines: boolean): Change {
  const body = {
    ...draft,
    engine: hasEngines ? draft.engine : undefined,
    name: draft.name.trim(),
    address: draft.address.trim() || (draft.protocol === 'nvme-fc' ? '' : EVERYWHERE),
    port: draft.port === undefined ? undefined : Number(draft.port),
  }
  return { noun: 'portal', send: (call) => portalCreate({ body, ...call }) }
}

/** Only changed fields are sent: an unchanged address may no longer exist. */
export function patch(draft: PortalDraft, { data, response }: Read<Portal>): Change {
  const asked = { name: draft.name.trim(), address: draft.address.trim(), port: Number(draft.port) }
  const body = {
    ...(asked.name !== data.name && { name: asked.name }),
    ...(asked.address !== data.address && { address: asked.address }),
    ...(data.port !== null && asked.port !== data.port && { port: asked.port }),
  }
  return {
    noun: 'portal',
    read: () => Promise.resolve({ response }),
    send: (call) => portalPatch({ path: { portal: data.id }, body, ...call }),
  }
}
