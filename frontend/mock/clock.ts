/** Schedules and settings of the mock. */
import type {
  Schedule,
  ScheduleCreate,
  SchedulePatch,
  SchedulePreview,
  Settings,
  SettingsPatchWritable,
  AlertTest,
  StoredBackup,
} from '@/api'
import { json, noContent, plan, problem, refusal } from './answers'
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

export const settings = (): Settings => ({
  name: null,
  time_zone: 'Europe/Berlin',
  session_hours: 12,
  second_factor_required: false,
  history_days: 400,
  deleted_keep_hours: 24,
  number_held_hours: 24,
  disk_health_minutes: 10,
  short_test_days: 7,
  long_test_days: 30,
  mail: null,
  webhook: { url: 'https://hooks.example.com', has_path: true, has_secret: true },
  syslog: null,
  heartbeat: null,
  trusted_ca: null,
  firewall: null,
  discovery_auth: null,
  backup: null,
  backup_state: null,
  deliveries: [],
  updated_at: MADE,
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

/** What is shown of an address; one that is written as it is shown leaves the path of the same server as it is. */
function address(wanted: string, before: Settings['webhook']) {
  const [url = '', path = ''] = wanted.split(/(?<=^https:\/\/[^/?]+)(?=[/?])/)
  return { url, has_path: path ? path !== '/' : before?.url === url && before.has_path }
}

export function patchSettings(world: World, body: SettingsPatchWritable): Planned<Shown<Settings>> {
  const { mail, webhook, syslog, discovery_auth: discovery, backup, ...plain } = body
  return {
    plan: plan('Change the settings', [
      backup || !('mail' in body)
        ? ['change', 'setting', 'backup', backup ? `url ${backup.url}` : 'none']
        : ['change', 'setting', 'mail', mail ? `server ${mail.server}` : 'none'],
    ]),
    apply: () => {
      const before = world.settings
      const fresh: Settings = {
        ...before,
        mail: !('mail' in body)
          ? before.mail
          : mail
            ? {
                server: mail.server,
                port: mail.port ?? 587,
                security: mail.security ?? 'starttls',
                user: mail.user ?? null,
                has_password: Boolean(mail.password) || (before.mail?.has_password ?? false),
                sender: mail.sender,
                recipients: mail.recipients,
              }
            : null,
        webhook: !('webhook' in body)
          ? before.webhook
          : webhook
            ? {
                ...address(webhook.url, before.webhook),
                has_secret: Boolean(webhook.secret) || (before.webhook?.has_secret ?? false),
              }
            : null,
        discovery_auth: !('discovery_auth' in body)
          ? before.discovery_auth
          : discovery
            ? {
                user: discovery.user,
                has_secret: Boolean(discovery.secret) || (before.discovery_auth?.has_secret ?? false),
                mutual_user: discovery.mutual_user ?? null,
                has_mutual_secret: Boolean(discovery.mutual_secret),
              }
            : null,
        backup: !('backup' in body)
          ? before.backup
          : backup
            ? {
                url: backup.url,
                user: backup.user ?? null,
                has_password: Boolean(backup.password) || (before.backup?.has_password ?? false),
                has_passphrase: Boolean(backup.passphrase) || (before.backup?.has_passphrase ?? false),
                when: backup.when ?? '0 3 * * *',
                keep: backup.keep ?? 14,
                certificate: backup.certificate ?? true,
              }
            : null,
        backup_state: !('backup' in body)
          ? before.backup_state
          : backup
            ? {
                next_run_at: '2026-11-22T02:00:00Z',
                last_tried_at: null,
                trouble: null,
                untidy: null,
                stored: before.backup_state?.stored ?? [],
              }
            : null,
        syslog: !('syslog' in body)
          ? before.syslog
          : syslog
            ? {
                transport: syslog.transport ?? 'udp',
                server: syslog.server ?? null,
                port: syslog.port ?? 514,
              }
            : null,
      }
      world.settings = Object.assign(fresh, plain)
      return json(world.settings)
    },
  }
}

export function storeBackup(world: World): Shown<StoredBackup> | Response {
  const { backup, backup_state: state } = world.settings
  if (!backup || !state) return problem(409, 'Conflict', 'No scheduled backups are set up.')
  if (backup.url.includes('full')) {
    const trouble = 'https://nas.example.com answers 507 to PUT: the server has no space left'
    world.settings.backup_state = { ...state, trouble, last_tried_at: MADE }
    return problem(409, 'Conflict', `The backup was not stored: ${trouble}.`)
  }
  const made = new Date().toISOString()
  const stamp = made.replace(/[-:]|\.\d+/g, '')
  const stored = { name: `rack4-0f1e2d3c-${stamp}.lunette-backup`, made_at: made, size_bytes: 184_320 }
  const all = [stored, ...state.stored].slice(0, backup.keep)
  world.settings.backup_state = { ...state, trouble: null, last_tried_at: made, stored: all }
  return json(stored)
}

export function testAlerts(world: World): Shown<AlertTest> | Response {
  const used = (['mail', 'webhook', 'syslog'] as const).filter((channel) => world.settings[channel])
  if (!used.length) return problem(409, 'Conflict', 'No channel is set up.')
  const results = used.map((channel) => ({
    channel,
    accepted: channel !== 'mail',
    detail: channel === 'mail' ? 'mail.example.com:587 refuses user lunette' : 'answered 204',
  }))
  return json({ results })
}
