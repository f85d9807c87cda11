/** Alerts of the mock: acknowledged, silenced, opened again. */
import type { Alert, AlertAcknowledge, AlertSilence } from '@/api'
import { json, plan } from './answers'
import type { Planned, Shown } from './answers'

/** What nobody has acknowledged or silenced. */
export const UNSEEN = {
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
  changed(row, 'its acknowledgement and silence end', { ...UNSEEN, remedy: row.remedy })
