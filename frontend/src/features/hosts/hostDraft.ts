/** What the form of a host holds, and the body of the request it becomes. */
import type { ChapWritable, Host, HostCreateWritable, HostPatchWritable, OsType } from '@/api'

export const OS_TYPES: readonly OsType[] = ['linux', 'esxi', 'windows', 'proxmox', 'other']
/** keep: as it is stored, the secret is never shown. set: the one typed here. none: no CHAP. */
export type ChapChoice = 'keep' | 'set' | 'none'

export interface HostDraft {
  name: string
  osType: OsType
  iqns: string[]
  wwpns: string[]
  nqns: string[]
  description: string
  chap: ChapChoice
  user: string
  secret: string
  isMutual: boolean
  mutualUser: string
  mutualSecret: string
}

export function draftOf(host?: Host): HostDraft {
  return {
    name: host?.name ?? '',
    osType: host?.os_type ?? 'linux',
    iqns: [...(host?.iqns ?? [])],
    wwpns: [...(host?.wwpns ?? [])],
    nqns: [...(host?.nqns ?? [])],
    description: host?.description ?? '',
    chap: host?.chap ? 'keep' : 'none',
    user: host?.chap?.user ?? '',
    secret: '',
    isMutual: Boolean(host?.chap?.mutual_user),
    mutualUser: host?.chap?.mutual_user ?? '',
    mutualSecret: '',
  }
}

function chapOf(draft: HostDraft): ChapWritable {
  return {
    user: draft.user,
    secret: draft.secret,
    ...(draft.isMutual && { mutual_user: draft.mutualUser, mutual_secret: draft.mutualSecret }),
  }
}

export function createBody(draft: HostDraft): HostCreateWritable {
  return {
    name: draft.name.trim(),
    os_type: draft.osType,
    iqns: draft.iqns,
    wwpns: draft.wwpns,
    nqns: draft.nqns,
    description: draft.description,
    chap: draft.chap === 'set' ? chapOf(draft) : null,
  }
}

const same = (left: readonly string[], right: readonly string[]): boolean =>
  left.join('\n') === right.join('\n')

/** Only what differs: a field that is not sent stays. */
export function patchBody(draft: HostDraft, host: Host): HostPatchWritable {
  return {
    ...(draft.name.trim() !== host.name && { name: draft.name.trim() }),
    ...(draft.osType !== host.os_type && { os_type: draft.osType }),
    ...(!same(draft.iqns, host.iqns) && { iqns: draft.iqns }),
    ...(!same(draft.wwpns, host.wwpns) && { wwpns: draft.wwpns }),
    ...(!same(draft.nqns, host.nqns) && { nqns: draft.nqns }),
    ...(draft.description !== host.description && { description: draft.description }),
    ...(draft.chap === 'set' && { chap: chapOf(draft) }),
    ...(draft.chap === 'none' && host.chap && { chap: null }),
  }
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'
/** The longest secret Windows' initiator takes; no letters that look alike. */
const SECRET_LENGTH = 16

export function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint32Array(SECRET_LENGTH))
  return [...bytes].map((value) => LETTERS[value % LETTERS.length]).join('')
}
