/** The content of the settings page, and the resulting change. */
import type { FirewallMode, MailSecurity, Settings, SettingsPatchWritable, SyslogTransport } from '@/api'

export interface SettingsDraft {
  name: string
  /** Empty: the host name is left as it is. */
  host_name: string
  time_zone: string
  session_hours: number
  second_factor_required: boolean
  history_days: number
  deleted_keep_hours: number
  number_held_hours: number
  disk_health_minutes: number
  short_test_days: number
  long_test_days: number
  heartbeat: string
  trusted_ca: string
  /** Empty: as the machine was installed. */
  firewall: FirewallMode | ''
  hasDiscovery: boolean
  discovery: { user: string; secret: string; mutualUser: string; mutualSecret: string }
  hasMail: boolean
  mail: {
    server: string
    port: number | ''
    security: MailSecurity
    user: string
    password: string
    sender: string
    recipients: string[]
  }
  hasWebhook: boolean
  webhook: { url: string; secret: string }
  hasSyslog: boolean
  syslog: { transport: SyslogTransport; server: string; port: number | '' }
}

export function draftOf(settings?: Settings): SettingsDraft {
  const none = { mail: null, webhook: null, syslog: null, discovery_auth: null }
  const { mail, webhook, syslog, discovery_auth: discovery } = settings ?? none
  return {
    name: settings?.name ?? '',
    host_name: settings?.host_name ?? '',
    time_zone: settings?.time_zone ?? 'UTC',
    session_hours: settings?.session_hours ?? 12,
    second_factor_required: settings?.second_factor_required ?? false,
    history_days: settings?.history_days ?? 400,
    deleted_keep_hours: settings?.deleted_keep_hours ?? 24,
    number_held_hours: settings?.number_held_hours ?? 24,
    disk_health_minutes: settings?.disk_health_minutes ?? 10,
    short_test_days: settings?.short_test_days ?? 7,
    long_test_days: settings?.long_test_days ?? 30,
    heartbeat: settings?.heartbeat ?? '',
    trusted_ca: settings?.trusted_ca ?? '',
    firewall: settings?.firewall ?? '',
    hasDiscovery: discovery !== null,
    discovery: {
      user: discovery?.user ?? '',
      secret: '',
      mutualUser: discovery?.mutual_user ?? '',
      mutualSecret: '',
    },
    hasMail: mail !== null,
    mail: {
      server: mail?.server ?? '',
      port: mail?.port ?? '',
      security: mail?.security ?? 'starttls',
      user: mail?.user ?? '',
      password: '',
      sender: mail?.sender ?? '',
      recipients: mail?.recipients ?? [],
    },
    hasWebhook: webhook !== null,
    webhook: { url: webhook?.url ?? '', secret: '' },
    hasSyslog: syslog !== null,
    syslog: {
      transport: syslog?.transport ?? 'udp',
      server: syslog?.server ?? '',
      port: syslog?.port ?? '',
    },
  }
}

const port = (value: number | '') => (value === '' ? {} : { port: Number(value) })

/** All of it; the appliance finds the differences. A secret that was not typed is omitted, so the stored one stays. */
export function patchBody(draft: SettingsDraft): SettingsPatchWritable {
  const { mail, webhook, syslog, discovery } = draft
  const isLocal = syslog.transport === 'local'
  return {
    name: draft.name.trim() || null,
    host_name: draft.host_name.trim() || null,
    time_zone: draft.time_zone.trim(),
    session_hours: Number(draft.session_hours),
    second_factor_required: draft.second_factor_required,
    history_days: Number(draft.history_days),
    deleted_keep_hours: Number(draft.deleted_keep_hours),
    number_held_hours: Number(draft.number_held_hours),
    disk_health_minutes: Number(draft.disk_health_minutes),
    short_test_days: Number(draft.short_test_days),
    long_test_days: Number(draft.long_test_days),
    heartbeat: draft.heartbeat || null,
    trusted_ca: draft.trusted_ca.trim() || null,
    firewall: draft.firewall || null,
    discovery_auth: draft.hasDiscovery
      ? {
          user: discovery.user.trim(),
          ...(discovery.secret && { secret: discovery.secret }),
          mutual_user: discovery.mutualUser.trim() || null,
          ...(discovery.mutualSecret && { mutual_secret: discovery.mutualSecret }),
        }
      : null,
    mail: draft.hasMail
      ? {
          server: mail.server.trim(),
          ...port(mail.port),
          security: mail.security,
          user: mail.user.trim() || null,
          ...(mail.password && { password: mail.password }),
          sender: mail.sender.trim(),
          recipients: mail.recipients,
        }
      : null,
    webhook: draft.hasWebhook
      ? { url: webhook.url.trim(), ...(webhook.secret && { secret: webhook.secret }) }
      : null,
    syslog: draft.hasSyslog
      ? {
          transport: syslog.transport,
          ...(!isLocal && { server: syslog.server.trim(), ...port(syslog.port) }),
        }
      : null,
  }
}
