/** Alerts of the mock: acknowledged, silenced, opened again. */
import type { Alert, AlertAcknowledge, AlertListData, AlertSilence } from '@/api'
import { json, page, plan } from './answers'
import type { Planned, Shown } from './answers'

/** What nobody has acknowledged or silenced. */
export const UNSEEN = {
  about: null,
  acknowledged_at: null,
  acknowledged_by: null,
  note: '',
  silenced_until: null,
  remedy: null,
}

function changed(row: Alert, detail: string, values: Partial<Alert>): Planned<Shown<Alert>> {
  return {
    plan: plan(`Alert ${row.key}: ${detail}`, [['change', 'alert', row.key, detail]]),
    apply: () => json(Object.assign(row, values)),
  }
}

export const acknowledge = (row: Alert, { note }: AlertAcknowledge): Planned<Shown<Alert>> =>
  changed(row, 'it is acknowledged', {
    acknowledged_at: new Date().toISOString(),
    acknowledged_by: 'admin',
    note: note ?? '',
  })

export const silence = (row: Alert, { duration_s }: AlertSilence): Planned<Shown<Alert>> =>
  changed(row, `nothing is told of it for ${duration_s} s`, {
    silenced_until: new Date(Date.now() + duration_s * 1000).toISOString(),
  })

export const reopen = (row: Alert): Planned<Shown<Alert>> =>
  changed(row, 'its acknowledgement and silence end', { ...UNSEEN, about: row.about, remedy: row.remedy })

/** The alerts about an object and with these words, as the list finds them. */
export function listed(rows: Alert[], { ref, text, ...query }: NonNullable<AlertListData['query']>) {
  const words = text?.toLowerCase() ?? ''
  const found = rows.filter(
    ({ about, message, cause }) =>
      (!ref || about?.id === ref) && `${message} ${cause}`.toLowerCase().includes(words),
  )
  return page(found, query)
}
