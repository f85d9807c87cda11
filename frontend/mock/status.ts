/** An appliance that is well. */
import type { Status } from '@/api'

export const status = (): Status => ({
  health: 'good',
  sentence: 'All is well: 1 array healthy, 32 volumes served to 4 hosts',
  name: 'lunette-rack4',
  version: '0.1.0',
  appliance_id: '0a1b2c3d4e5f',
  addresses: ['10.20.0.2'],
  exports: {
    state: 'converged',
    wanted_generation: 41,
    applied_generation: 41,
    reason: null,
    unexplained: [],
    foreign: [],
    age_s: 1,
  },
  agent: { answers: true, reason: null, age_s: 1 },
  counts: {
    disks: 12,
    arrays: 1,
    volumes: 38,
    hosts: 6,
    host_groups: 1,
    portals: 2,
    mappings: 32,
    sessions: 4,
    running_jobs: 0,
    stuck_jobs: 0,
    alerts: 0,
    critical_alerts: 0,
    warning_alerts: 0,
    unacknowledged_alerts: 0,
  },
})
