/** How a host is doing, by what it and its group are served and whether it is logged in; words and tones in one place. */
import type { Export, Host, HostGroup, PathState } from '@/api'
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

/** The worst first. */
const EXPORTS: readonly Export['state'][] = ['blocked', 'pending', 'unknown', 'open', 'none']
const HOSTS = {
  none: 'quiet',
  blocked: 'bad',
  pending: 'busy',
  unknown: 'quiet',
  offline: 'bad',
  degraded: 'warn',
  online: 'good',
} as const satisfies Record<string, Tone>

/** The word is `hosts.states.<state>`. */
export type HostState = keyof typeof HOSTS

/** Only who asked for the paths of a host knows whether some of them are down. */
export function hostState(
  host: Pick<Host, 'export' | 'sessions'>,
  group?: Pick<HostGroup, 'export'>,
  paths?: PathState,
): { state: HostState; tone: Tone; reason: string | null } {
  const [worst] = [host.export, ...(group ? [group.export] : [])].sort(
    (one, other) => EXPORTS.indexOf(one.state) - EXPORTS.indexOf(other.state),
  )
  const served = worst ?? host.export
  const state = served.state === 'open' ? loggedIn(host.sessions, paths) : served.state
  return { state, tone: HOSTS[state], reason: served.reason }
}

function loggedIn(sessions: number | null, paths?: PathState): HostState {
  if (sessions === null) return 'unknown'
  if (!sessions) return 'offline'
  return paths === 'down' ? 'degraded' : 'online'
}
