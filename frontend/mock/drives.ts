/** What the drives of the mock world say of their health. */
import type { DiskHealth, DiskHealthReason, DiskHealthValues } from '@/api'
import { MADE } from './made'

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
