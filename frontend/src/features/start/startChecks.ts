/** Conditions for creating and serving storage, as far as the API reports them. */
import type { Alert, Disk, Engine, FcPort, RdmaDevice, Status } from '@/api'
import { isCandidate } from '@/features/arrays/diskChoice'

/** bad: nothing can be created or served. warn: possible, but check it. quiet: good to know. */
export type CheckTone = 'good' | 'warn' | 'bad' | 'quiet'

export interface Check {
  /** With the tone the i18n key of its sentence: `start.check.<name>.<tone>`. */
  name:
    | 'agent'
    | 'arrays'
    | 'engines'
    | 'protocols'
    | 'lacking'
    | 'fc'
    | 'rdma'
    | 'disks'
    | 'network'
    | 'clock'
    | 'skew'
    | 'alerts'
  tone: CheckTone
  values?: Record<string, string | number>
  /** The appliance's own explanation. */
  why?: string
  /** Name of the page that helps. */
  page?: 'disks' | 'alerts' | 'about' | 'interfaces' | 'portals'
}

export interface Facts {
  status: Status
  engines: readonly Engine[]
  disks: readonly Disk[]
  /** Those that are open, as far as one page of them goes; `openAlerts` counts all. */
  alerts: readonly Alert[]
  openAlerts: number
  fcPorts: readonly FcPort[]
  rdmaDevices: readonly RdmaDevice[]
  /** How far the appliance's clock is ahead of this computer's, in milliseconds; undefined: unknown. */
  skewMs: number | undefined
  /** The name of a protocol on this page. */
  protocol: (name: string) => string
}

export function checksOf(facts: Facts): Check[] {
  const { status, engines, disks, openAlerts, protocol } = facts
  const building = engines.filter(({ kind }) => kind === 'array')
  const serving = engines.filter(({ kind, available }) => kind === 'export' && available)
  const protocols = [...new Set(serving.flatMap((engine) => engine.protocols))].map(protocol)
  const lacking = serving.flatMap((engine) => engine.lacking)
  const reasonOf = (kind: string) =>
    engines.find((engine) => engine.kind === kind && engine.reason)?.reason ?? undefined
  const away = engines.filter(({ available }) => !available)
  const reached = status.addresses.filter(isReachable)
  return [
    status.agent.answers
      ? { name: 'agent', tone: 'good' }
      : { name: 'agent', tone: 'bad', why: status.agent.reason ?? undefined, page: 'about' },
    building.some(({ available }) => available)
      ? { name: 'arrays', tone: 'good' }
      : { name: 'arrays', tone: 'bad', why: reasonOf('array'), page: 'about' },
    ...(away.length
      ? [{ name: 'engines', tone: 'quiet', why: reasons(away), page: 'about' } satisfies Check]
      : []),
    disksCheck(disks),
    protocols.length
      ? { name: 'protocols', tone: 'good', values: { names: protocols.join(', ') } }
      : { name: 'protocols', tone: 'bad', why: reasonOf('export'), page: 'about' },
    ...(lacking.length
      ? [
          {
            name: 'lacking',
            tone: 'quiet',
            why: lacking.map(({ ability, reason }) => `${ability}: ${reason}`).join('\n'),
          } satisfies Check,
        ]
      : []),
    fcCheck(facts.fcPorts),
    rdmaCheck(facts.rdmaDevices),
    reached.length
      ? { name: 'network', tone: 'good', values: { addresses: reached.join(', ') } }
      : { name: 'network', tone: 'bad', page: 'interfaces' },
    ...clockChecks(facts),
    openAlerts
      ? { name: 'alerts', tone: 'warn', values: { count: openAlerts }, page: 'alerts' }
      : { name: 'alerts', tone: 'good' },
  ]
}

/** One line each: the check, and the appliance's explanation. */
const lines = (found: readonly (readonly [string, string | null | undefined])[]): string | undefined =>
  found.flatMap(([name, reason]) => (reason ? [`${name}: ${reason}`] : [])).join('\n') || undefined
const reasons = (engines: readonly Engine[]) => lines(engines.map(({ engine, reason }) => [engine, reason]))

/** Ports without a request to serve are in order, whatever they support. */
function fcCheck(ports: readonly FcPort[]): Check {
  if (!ports.length) return { name: 'fc', tone: 'quiet' }
  const blocked = ports.filter(({ mode, state }) => mode && state === 'blocked')
  const why = blocked.length
    ? lines(blocked.map(({ wwpn, reason }) => [wwpn, reason]))
    : lines(ports.map(({ wwpn, observed }) => [wwpn, observed?.target_reason]))
  const values = { count: ports.length, blocked: blocked.length }
  return { name: 'fc', tone: blocked.length ? 'warn' : 'good', values, why, page: 'portals' }
}

function rdmaCheck(devices: readonly RdmaDevice[]): Check {
  if (!devices.length) return { name: 'rdma', tone: 'quiet' }
  const why = lines(devices.map(({ id, reason }) => [id, reason]))
  const values = { names: devices.map(({ id }) => id).join(', ') }
  return { name: 'rdma', tone: why ? 'warn' : 'good', values, why, page: 'portals' }
}

const MINUTE_MS = 60_000

/** Whether a time server set the clock, which only an alert shows; and whether it agrees with this computer's. */
function clockChecks({ alerts, skewMs }: Facts): Check[] {
  const unset = alerts.find(({ family }) => family === 'clock')
  const found: Check[] = unset ? [{ name: 'clock', tone: 'warn', why: unset.cause, page: 'interfaces' }] : []
  if (skewMs === undefined) return found
  const minutes = Math.round(Math.abs(skewMs) / MINUTE_MS)
  if (minutes) return [...found, { name: 'skew', tone: 'warn', values: { minutes }, page: 'interfaces' }]
  return unset ? found : [{ name: 'skew', tone: 'good' }]
}

/** One disk makes an array without redundancy; two are the minimum for one that survives a loss. */
const ENOUGH_DISKS = 2

function disksCheck(disks: readonly Disk[]): Check {
  const blank = disks.filter(({ state }) => state === 'free').length
  const members = disks.filter(({ state }) => state === 'member').length
  const taken = disks.filter(isCandidate).length - blank
  if (blank >= ENOUGH_DISKS || members) return { name: 'disks', tone: 'good', values: { count: blank } }
  if (blank + taken) return { name: 'disks', tone: 'warn', values: { blank, taken }, page: 'disks' }
  return { name: 'disks', tone: 'bad', page: 'disks' }
}

/** Its own loopback address is useless to hosts. */
export const isReachable = (address: string): boolean => !/^127\.|^::1$/.test(address)
