/** Where the cause of an alert is seen and mended: its object, or what its family and key (`array.health:<id>`) tell. */
import type { RouteLocationRaw } from 'vue-router'
import type { Alert, AlertFamily, AlertObject } from '@/api'
import { placeOf } from '@/ui/places'

export interface AlertPlace {
  to: RouteLocationRaw
  /** i18n key. */
  label: string
}

/** `array.disk:<array>:<disk>` has two subjects; names of disks and initiators may hold colons of their own. */
const toArray = (subject: string): AlertPlace => ({
  to: { name: 'array', params: { array: subject.split(':')[0] ?? '' } },
  label: 'alerts.toArray',
})
const toHosts = (): AlertPlace => ({ to: { name: 'hosts' }, label: 'alerts.toHosts' })
const toHost = (host: string): AlertPlace => ({
  to: { name: 'host', params: { host } },
  label: 'alerts.toHost',
})
const toInterfaces = (): AlertPlace => ({ to: { name: 'interfaces' }, label: 'alerts.toInterfaces' })

/** `what` is the word behind the family: `update` of `system.update`. */
const PLACES: Record<AlertFamily, (subject: string, what: string) => AlertPlace> = {
  agent: () => ({ to: { name: 'about' }, label: 'alerts.toAgent' }),
  array: toArray,
  backup: () => ({ to: { name: 'backup' }, label: 'alerts.toBackup' }),
  clock: toInterfaces,
  delivery: () => ({ to: { name: 'notifications' }, label: 'alerts.toSettings' }),
  disk: (disk) => ({ to: { name: 'disk', params: { disk } }, label: 'alerts.toDisk' }),
  exports: () => ({ to: { name: 'drift' }, label: 'alerts.toDrift' }),
  fc_port: () => ({ to: { name: 'portals' }, label: 'alerts.toFcPorts' }),
  firewall: toInterfaces,
  host: toHost,
  initiator: (name) => ({ to: { name: 'sessions', query: { q: name } }, label: 'alerts.toSessions' }),
  interface: toInterfaces,
  job: () => ({ to: { name: 'jobs', query: { show: 'trouble' } }, label: 'alerts.toJobs' }),
  login: () => ({
    to: { name: 'events', query: { noun: 'user', outcome: 'failed' } },
    label: 'alerts.toEvents',
  }),
  mapping: () => ({ to: { name: 'mappings' }, label: 'alerts.toMappings' }),
  portal: () => ({ to: { name: 'portals' }, label: 'alerts.toPortals' }),
  schedule: () => ({ to: { name: 'schedules' }, label: 'alerts.toSchedules' }),
  sealed_copy: toArray,
  setting: (secret) => {
    if (secret.startsWith('backup.')) return { to: { name: 'backup' }, label: 'alerts.toBackup' }
    const name = secret.startsWith('discovery') ? 'security' : 'notifications'
    return { to: { name }, label: 'alerts.toSettings' }
  },
  spdk: () => ({ to: { name: 'portals' }, label: 'alerts.toPortals' }),
  subsystem: toHosts,
  system: (_subject, what) => {
    if (what === 'update') return { to: { name: 'updates' }, label: 'alerts.toUpdates' }
    // The history is what grows on the system drive, and how long it is kept is a setting.
    if (what.startsWith('drive_')) return { to: { name: 'settings' }, label: 'alerts.toSettings' }
    return { to: { name: 'backup' }, label: 'alerts.toBackup' }
  },
  target: toHosts,
  thin_pool: toArray,
}

/** Where the object of an alert is shown. */
export const objectPlace = ({ noun, name }: AlertObject): RouteLocationRaw =>
  noun === 'job' ? { name: 'jobs', query: { show: 'trouble' } } : placeOf(noun, { name })

/** The message before and after the name of its object; undefined if it does not name it as a word of its own. */
export function namedIn({ message, about }: Pick<Alert, 'message' | 'about'>): [string, string] | undefined {
  if (!about) return undefined
  const name = about.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const at = new RegExp(`(?<![\\w.-])${name}(?![\\w-]|\\.\\w)`).exec(message)?.index
  return at === undefined ? undefined : [message.slice(0, at), message.slice(at + about.name.length)]
}

/** Where an alert without an object leads. Undefined for what an earlier release raised and this one does not know. */
export function alertPlace({ key, family }: Pick<Alert, 'key' | 'family'>): AlertPlace | undefined {
  if (!family) return undefined
  const colon = key.indexOf(':')
  const [kind, subject] = colon < 0 ? [key, ''] : [key.slice(0, colon), key.slice(colon + 1)]
  return PLACES[family](subject, kind.slice(family.length + 1))
}
