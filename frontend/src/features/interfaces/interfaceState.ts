/** The state of an interface: its link, and who configures it. The words are `interfaces.links` and `.standings`. */
import type { Interface } from '@/api'
import type { Tone } from '@/ui/tone'

export type Standing = 'trial' | 'ours' | 'alone' | 'installed' | 'none'

export function standingOf(one: Interface): { standing: Standing; tone: Tone } {
  if (one.trial_left_s !== null) return { standing: 'trial', tone: 'warn' }
  if (one.reason !== null && !one.wanted) return { standing: 'alone', tone: 'quiet' }
  if (one.wanted) return { standing: 'ours', tone: 'good' }
  return { standing: one.configured_by ? 'installed' : 'none', tone: 'quiet' }
}

/** A link that is down is a problem if a portal needs it. */
export function linkTone({ link, addresses }: Interface): Tone {
  if (link) return 'good'
  return addresses.some(({ portals }) => portals.length) ? 'bad' : 'quiet'
}

const GIGABIT = 1000

/** "25 Gbit/s", "2.5 Gbit/s", "100 Mbit/s". */
export const formatSpeed = (mbit: number): string =>
  mbit < GIGABIT ? `${mbit} Mbit/s` : `${mbit / GIGABIT} Gbit/s`

/** The address of this page once the appliance answers at this address. */
export function pageAt(address: string, { protocol, port }: Pick<Location, 'protocol' | 'port'>): string {
  const host = address.includes(':') ? `[${address}]` : address
  return `${protocol}//${host}${port && `:${port}`}/interfaces`
}
