/** Schedules of the mock. */
import type { Schedule, ScheduleCreate, SchedulePatch, SchedulePreview } from '@/api'
import { json, noContent, plan, refusal } from './answers'
import type { Gone, Line, Made, Planned, Shown } from './answers'
import { planned, step } from './care'
import { MADE, freshId } from './made'
import type { World } from './world'

const NOTHING = { last: 0, hourly: 0, daily: 0, weekly: 0, monthly: 0 }

export const schedule = (name: string, change: Partial<Schedule> = {}): Schedule => ({
  id: `schedule-${name}`,
  name,
  description: '',
  action: 'snapshot',
  volumes: ['vm01'],
  volume_ids: [],
  arrays: [],
  array_ids: [],
  when: '0 3 * * *',
  time_zone: 'Europe/Berlin',
  keep: { ...NOTHING, last: 7 },
  snapshot_name: '{volume}.{date}-{time}',
  missed: 'run_once',
  enabled: true,
  snapshots: 3,
  next_runs: ['2026-11-22T02:00:00Z'],
  last_run: null,
  created_at: MADE,
  updated_at: MADE,
  ...change,
})

const DAY_MS = 86_400_000

/** Every expression runs daily here. */
export const previewOf = (when: string): SchedulePreview => ({
  when,
  time_zone: 'Europe/Berlin',
  next_runs: Array.from({ length: 5 }, (_, index) =>
    new Date(Date.parse('2026-11-22T02:00:00Z') + index * DAY_MS).toISOString(),
  ),
})

const kept = (body: SchedulePatch) => (body.keep ? { ...NOTHING, ...body.keep } : null)

export function createSchedule(world: World, body: ScheduleCreate): Planned<Made<Schedule>> | Response {
  const missing = body.volumes?.find((name) => !world.volumes.some((one) => one.name === name))
  if (missing)
    return refusal(`Schedule ${body.name} was not created`, [['volumes', `there is no volume ${missing}`]])
  const own = { id: freshId('schedule'), keep: kept(body), snapshots: 0 }
  const fresh = schedule(body.name, { ...body, ...own })
  return {
    plan: plan(`Create schedule ${body.name}`, [['create', 'schedule', body.name, `at ${body.when}`]]),
    apply: () => {
      world.schedules.push(fresh)
      return json(fresh, 201)
    },
  }
}

export function patchSchedule(_world: World, row: Schedule, body: SchedulePatch): Planned<Shown<Schedule>> {
  return {
    plan: plan(`Change schedule ${row.name}`, [
      ['change', 'schedule', row.name, `when: ${row.when} becomes ${body.when}`],
    ]),
    apply: () => json(Object.assign(row, body, { keep: kept(body) })),
  }
}

export function runSchedule(world: World, row: Schedule): Planned {
  const of = row.action === 'snapshot' ? row.volumes : row.arrays
  const lines = of.map((name): Line => [
    row.action === 'snapshot' ? 'create' : 'change',
    row.action === 'snapshot' ? 'snapshot' : 'array',
    name,
    row.action === 'snapshot' ? `of volume ${name}` : 'is scrubbed',
  ])
  const found = plan(`Run schedule ${row.name}`, lines, {
    steps: of.map((name) => step(`${row.action} ${name}`)),
  })
  return planned(world, found, 'schedule', () => {
    const now = new Date().toISOString()
    row.last_run = {
      job_id: freshId('job'),
      state: 'succeeded',
      message: 'done',
      started_at: now,
      finished_at: now,
    }
  })
}

export function deleteSchedule(world: World, row: Schedule): Planned<Gone> {
  return {
    plan: plan(`Delete schedule ${row.name}`, [['destroy', 'schedule', row.name, 'it no longer runs']]),
    apply: () => {
      world.schedules = world.schedules.filter((one) => one !== row)
      return noContent()
    },
  }
}
