/** Settings of the mock, what is stored on a backup server, and the test of the channels of alerts. */
import type { AlertTest, Settings, SettingsPatchWritable, StoredBackup } from '@/api'
import { json, plan, problem } from './answers'
import type { Planned, Shown } from './answers'
import { MADE } from './made'
import type { World } from './world'

export const settings = (): Settings => ({
  name: null,
  host_name: null,
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
