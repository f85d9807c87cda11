/** What the drives of the mock world say of their health. */
import type { DiskDay, DiskHealth, DiskHealthReason, DiskHealthValues, DiskHistory } from '@/api'
import { json, problem } from './answers'
import type { Shown } from './answers'
import { MADE } from './made'
import type { World } from './world'

const NOTHING: DiskHealthValues = {
  temperature_c: null,
  temperature_warning_c: null,
  temperature_critical_c: null,
  available_spare_percent: null,
  available_spare_threshold_percent: null,
  used_percent: null,
  power_on_hours: null,
  unsafe_shutdowns: null,
  written_bytes: null,
  media_errors: null,
  reallocated_sectors: null,
  pending_sectors: null,
  uncorrectable_sectors: null,
  grown_defects: null,
  interface_errors: null,
  error_log_entries: null,
}

export function health(values: Partial<DiskHealthValues>, reasons: DiskHealthReason[] = []): DiskHealth {
  const isFailing = reasons.some(({ severity }) => severity === 'critical')
  return {
    state: isFailing ? 'failing' : reasons.length ? 'warning' : 'ok',
    reasons,
    values: { ...NOTHING, temperature_c: 36, power_on_hours: 8_766, ...values },
    read_at: MADE,
    is_asleep: false,
    problem: null,
    error_recovery: null,
    self_tests: null,
  }
}

const DAYS = 90
const DAY_MS = 86_400_000

/** Ninety days of a drive that gets older by a percent each month, and is warm in the afternoon. */
export function history(world: World, id: string): Shown<DiskHistory> | Response {
  const disk = world.disks.find((one) => one.id === id || one.serial === id)
  const now = disk?.health
  if (!disk || !now) return problem(404, 'Not found', `There is no disk ${id}.`)
  const days = Array.from({ length: DAYS }, (_, ago): DiskDay => {
    const wear = now.values.used_percent
    const used_percent = wear === null ? null : Math.max(0, wear - Math.floor(ago / 30))
    const heat = now.values.temperature_c
    return {
      day: new Date(Date.parse(MADE) - ago * DAY_MS).toISOString().slice(0, 10),
      serial: disk.serial,
      state: now.state,
      hottest_c: heat === null ? null : heat + 4 + ((ago * 7) % 5),
      read_at: MADE,
      values: { ...now.values, used_percent },
    }
  })
  return json({ disk: disk.id, days })
}
