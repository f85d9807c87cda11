/** How a host is doing, by what it and its group are served and whether it is logged in; words and tones in one place. */
import type { Export, Host, HostConnection, HostGroup } from '@/api'
import type { Tone } from '@/ui/tone'

const TONES: Record<Export['state'], Tone> = {
  open: 'good',
  blocked: 'bad',
  pending: 'busy',
  none: 'quiet',
  unknown: 'quiet',
}

/** Whether what is mapped is served, as one tone; the word is `exports.<state>`. */
export const exportTone = (shown: Pick<Export, 'state'>): Tone => TONES[shown.state]

/** What the appliance does about a host goes before what the host does. */
const WAITS: readonly Export['state'][] = ['blocked', 'pending']
const HOSTS = {
  blocked: 'bad',
  pending: 'busy',
  online: 'good',
  degraded: 'warn',
  offline: 'bad',
  never: 'quiet',
  unknown: 'quiet',
} as const satisfies Record<HostConnection | 'blocked' | 'pending', Tone>

/** The word is `hosts.states.<state>`. */
export type HostState = keyof typeof HOSTS

/** In lists and on the page of the host alike. A host without volumes may well be offline. */
export function hostState(
  host: Pick<Host, 'export' | 'connection'>,
  group?: Pick<HostGroup, 'export'>,
): { state: HostState; tone: Tone; reason: string | null } {
  const exports = [host.export, ...(group ? [group.export] : [])]
  const waiting = WAITS.flatMap((state) => exports.filter((one) => one.state === state))[0]
  const state = (waiting?.state as HostState | undefined) ?? host.connection
  const isIdle = state === 'offline' && exports.every((one) => one.state === 'none')
  return { state, tone: isIdle ? 'quiet' : HOSTS[state], reason: waiting?.reason ?? null }
}
