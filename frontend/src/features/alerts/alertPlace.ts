/** Where the cause of an alert is seen and mended; its key tells (`array.health:<id>`, see the engine's watchers). */
import type { RouteLocationRaw } from 'vue-router'
import type { Alert } from '@/api'

export interface AlertPlace {
  to: RouteLocationRaw
  /** i18n key. */
  label: string
}

const PLACES: Record<string, (id: string) => AlertPlace> = {
  array: (array) => ({ to: { name: 'array', params: { array } }, label: 'alerts.toArray' }),
  thin_pool: (array) => ({ to: { name: 'array', params: { array } }, label: 'alerts.toArray' }),
  interface: () => ({ to: { name: 'interfaces' }, label: 'alerts.toInterfaces' }),
  schedule: () => ({ to: { name: 'schedules' }, label: 'alerts.toSchedules' }),
  delivery: () => ({ to: { name: 'settings' }, label: 'alerts.toSettings' }),
  job: () => ({ to: { name: 'jobs', query: { show: 'trouble' } }, label: 'alerts.toJobs' }),
}

export function alertPlace({ key }: Alert): AlertPlace | undefined {
  const [, what = '', id] = /^([a-z_]+)[^:]*:([^:]+)/.exec(key) ?? []
  return id ? PLACES[what]?.(id) : undefined
}
