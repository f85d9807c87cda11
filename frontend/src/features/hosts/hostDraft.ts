/** What the form of a host holds, and the body of the request it becomes. */
import type {
  ChapWritable,
  DhChapWritable,
  DhGroup,
  DhHash,
  Host,
  HostCreateWritable,
  HostPatchWritable,
  Initiator,
  OsType,
} from '@/api'
import { nameFrom } from '@/ui/names'

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
  /** Seconds; null waits for missing volumes as long as it takes. */
  deadlineS: number | null
  chap: ChapChoice
  user: string
  secret: string
  isMutual: boolean
  mutualUser: string
  mutualSecret: string
  dhchap: ChapChoice
  dhSecret: string
  isDhMutual: boolean
  dhMutualSecret: string
  dhHash: DhHash
  dhGroup: DhGroup
}

export function draftOf(host?: Host): HostDraft {
  return {
    name: host?.name ?? '',
    osType: host?.os_type ?? 'linux',
    iqns: [...(host?.iqns ?? [])],
    wwpns: [...(host?.wwpns ?? [])],
    nqns: [...(host?.nqns ?? [])],
    description: host?.description ?? '',
    deadlineS: host?.opens_without_missing_after_s ?? null,
    chap: host?.chap ? 'keep' : 'none',
    user: host?.chap?.user ?? '',
    secret: '',
    isMutual: Boolean(host?.chap?.mutual_user),
    mutualUser: host?.chap?.mutual_user ?? '',
    mutualSecret: '',
    dhchap: host?.dhchap ? 'keep' : 'none',
    dhSecret: '',
    isDhMutual: host?.dhchap?.is_mutual ?? false,
    dhMutualSecret: '',
    dhHash: host?.dhchap?.hash ?? 'sha256',
    dhGroup: host?.dhchap?.dh_group ?? 'ffdhe2048',
  }
}

/** Whose initiators these are, by the authority in their names. */
const MAKERS: [string, OsType][] = [
  ['iqn.1998-01.com.vmware', 'esxi'],
  ['nqn.2014-08.com.vmware', 'esxi'],
  ['iqn.1991-05.com.microsoft', 'windows'],
]
const MARK_LENGTH = 8

/** `srv1` of `iqn.1991-05.com.microsoft:srv1`; of a WWPN, a UUID or another number `host-` and its beginning or end. */
function nameBy({ name, kind }: Pick<Initiator, 'name' | 'kind'>): string {
  const hexOf = (text: string): string => text.replace(/[^0-9a-f]/gi, '')
  if (kind === 'wwpn') return `host-${hexOf(name).slice(-MARK_LENGTH)}`
  const parts = name.split(':').slice(1)
  const word = parts.find((part) => part !== 'uuid' && /[g-z]/i.test(part))
  const number = hexOf(parts.at(-1) ?? name).slice(0, MARK_LENGTH)
  return (word && nameFrom(word)) ?? `host-${number}`
}

/** A new host by one of its initiators. */
export function draftFrom(initiator: Pick<Initiator, 'name' | 'kind'>): HostDraft {
  const system = MAKERS.find(([authority]) => initiator.name.startsWith(authority))
  return {
    ...draftOf(),
    name: nameBy(initiator),
    osType: system?.[1] ?? 'linux',
    [`${initiator.kind}s`]: [initiator.name],
  }
}

function chapOf(draft: HostDraft): ChapWritable {
  return {
    user: draft.user,
    secret: draft.secret,
    ...(draft.isMutual && { mutual_user: draft.mutualUser, mutual_secret: draft.mutualSecret }),
  }
}

function dhChapOf(draft: HostDraft): DhChapWritable {
  return {
    secret: draft.dhSecret,
    ...(draft.isDhMutual && { mutual_secret: draft.dhMutualSecret }),
    hash: draft.dhHash,
    dh_group: draft.dhGroup,
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
    opens_without_missing_after_s: draft.deadlineS,
    chap: draft.chap === 'set' ? chapOf(draft) : null,
    dhchap: draft.dhchap === 'set' ? dhChapOf(draft) : null,
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
    ...(draft.deadlineS !== host.opens_without_missing_after_s && {
      opens_without_missing_after_s: draft.deadlineS,
    }),
    ...(draft.chap === 'set' && { chap: chapOf(draft) }),
    ...(draft.chap === 'none' && host.chap && { chap: null }),
    ...(draft.dhchap === 'set' && { dhchap: dhChapOf(draft) }),
    ...(draft.dhchap === 'none' && host.dhchap && { dhchap: null }),
  }
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'
/** The longest secret Windows' initiator takes; no letters that look alike. */
const SECRET_LENGTH = 16

export function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint32Array(SECRET_LENGTH))
  return [...bytes].map((value) => LETTERS[value % LETTERS.length]).join('')
}
