/** What has to be in order before storage can be made and served, as far as the API tells. */
import type { Disk, Engine, Status } from '@/api'
import { isCandidate } from '@/features/arrays/arrayDraft'

/** bad: nothing can be made or served. warn: it can, after a look. quiet: good to know. */
export type CheckTone = 'good' | 'warn' | 'bad' | 'quiet'

export interface Check {
  /** With the tone the i18n key of its sentence: `start.check.<name>.<tone>`. */
  name: 'agent' | 'arrays' | 'protocols' | 'lacking' | 'disks' | 'network' | 'alerts'
  tone: CheckTone
  values?: Record<string, string | number>
  /** The appliance's own words of why. */
  why?: string
  /** Name of the page that helps. */
  page?: 'disks' | 'alerts' | 'about'
}

export interface Facts {
  status: Status
  engines: readonly Engine[]
  disks: readonly Disk[]
  openAlerts: number
  /** How a protocol is called here. */
  protocol: (name: string) => string
}

export function checksOf({ status, engines, disks, openAlerts, protocol }: Facts): Check[] {
  const building = engines.filter(({ kind }) => kind === 'array')
  const serving = engines.filter(({ kind, available }) => kind === 'export' && available)
  const protocols = [...new Set(serving.flatMap((engine) => engine.protocols))].map(protocol)
  const lacking = serving.flatMap((engine) => engine.lacking)
  const reasonOf = (kind: string) =>
    engines.find((engine) => engine.kind === kind && engine.reason)?.reason ?? undefined
  const reached = status.addresses.filter(isReachable)
  return [
    status.agent.answers
      ? { name: 'agent', tone: 'good' }
      : { name: 'agent', tone: 'bad', why: status.agent.reason ?? undefined, page: 'about' },
    building.some(({ available }) => available)
      ? { name: 'arrays', tone: 'good' }
      : { name: 'arrays', tone: 'bad', why: reasonOf('array'), page: 'about' },
    disksCheck(disks),
    protocols.length
      ? { name: 'protocols', tone: 'good', values: { names: protocols.join(', ') } }
      : { name: 'protocols', tone: 'bad', why: reasonOf('export'), page: 'about' },
    ...(lacking.length ? [{ name: 'lacking', tone: 'quiet', why: lacking.join('\n') } satisfies Check] : []),
    reached.length
      ? { name: 'network', tone: 'good', values: { addresses: reached.join(', ') } }
      : { name: 'network', tone: 'bad' },
    openAlerts
      ? { name: 'alerts', tone: 'warn', values: { count: openAlerts }, page: 'alerts' }
      : { name: 'alerts', tone: 'good' },
  ]
}

/** One disk makes an array without redundancy; two make the first that survives a loss. */
const ENOUGH_DISKS = 2

function disksCheck(disks: readonly Disk[]): Check {
  const blank = disks.filter(({ state }) => state === 'free').length
  const members = disks.filter(({ state }) => state === 'member').length
  const taken = disks.filter(isCandidate).length - blank
  if (blank >= ENOUGH_DISKS || members) return { name: 'disks', tone: 'good', values: { count: blank } }
  if (blank + taken) return { name: 'disks', tone: 'warn', values: { blank, taken }, page: 'disks' }
  return { name: 'disks', tone: 'bad', page: 'disks' }
}

/** Its own loopback address helps nobody. */
export const isReachable = (address: string): boolean => !/^127\.|^::1$/.test(address)
