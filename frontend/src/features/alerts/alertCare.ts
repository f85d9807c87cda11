/** How alerts look, and those about one object as one group. Pure. */
import type { Alert, AlertObject, Severity } from '@/api'
import type { Tone } from '@/ui/tone'

/** The gravest first. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Severity[]
const TONES: Record<Severity, Tone> = { info: 'busy', warning: 'warn', critical: 'bad' }

export const alertTone = ({ severity, resolved_at }: Alert): Tone => (resolved_at ? 'quiet' : TONES[severity])

export const isSilent = ({ silenced_until }: Alert): boolean =>
  silenced_until !== null && new Date(silenced_until).getTime() > Date.now()

/** Alerts about one object, or about the appliance as a whole; the gravest first, of these the newest. */
export interface AlertGroup {
  key: string
  about: AlertObject | null
  alerts: [Alert, ...Alert[]]
}

const graver = (one: Alert, other: Alert): number =>
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
  other.raised_at.localeCompare(one.raised_at)

/** The groups in the order of their gravest alerts. */
export function byObject(alerts: readonly Alert[]): AlertGroup[] {
  const groups = new Map<string, AlertGroup>()
  for (const alert of alerts.toSorted(graver)) {
    const key = alert.about ? `${alert.about.noun}/${alert.about.id}` : ''
    const known = groups.get(key)
    if (known) known.alerts.push(alert)
    else groups.set(key, { key, about: alert.about, alerts: [alert] })
  }
  return [...groups.values()]
}

/** How many there are of each severity, the gravest first. */
export const counted = (alerts: readonly Alert[]): { severity: Severity; count: number }[] =>
  SEVERITIES.map((severity) => ({
    severity,
    count: alerts.filter((alert) => alert.severity === severity).length,
  })).filter(({ count }) => count)
