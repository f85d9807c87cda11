import { createRouter } from 'vue-router'
import type { RouteLocationNormalized, RouteRecordRaw, Router, RouterHistory } from 'vue-router'
import { safeNext } from '@/session/nextPath'
import type { useSession } from '@/session/session'

declare module 'vue-router' {
  interface RouteMeta {
    /** i18n key of the page's title. */
    title?: string
  }
}

const routes: RouteRecordRaw[] = [
  {
    path: '/login',
    name: 'login',
    component: () => import('@/features/login/LoginPage.vue'),
    meta: { title: 'login.title' },
  },
  {
    path: '/unreachable',
    name: 'unreachable',
    component: () => import('./UnreachablePage.vue'),
    meta: { title: 'unreachable.title' },
  },
  {
    path: '/',
    component: () => import('./AppShell.vue'),
    children: [
      page('', 'overview', () => import('@/features/overview/OverviewPage.vue')),
      page('start', 'start', () => import('@/features/start/StartPage.vue')),
      page('disks', 'disks', () => import('@/features/disks/DisksPage.vue')),
      page('disks/:disk', 'disk', () => import('@/features/disks/DiskPage.vue')),
      page('arrays', 'arrays', () => import('@/features/arrays/ArraysPage.vue')),
      page('arrays/new', 'arrayNew', () => import('@/features/arrays/ArrayCreatePage.vue')),
      page('arrays/:array', 'array', () => import('@/features/arrays/ArrayPage.vue')),
      page('volumes', 'volumes', () => import('@/features/volumes/VolumesPage.vue')),
      page('snapshots', 'snapshots', () => import('@/features/volumes/SnapshotsPage.vue')),
      page('deleted-volumes', 'deletedVolumes', () => import('@/features/volumes/DeletedVolumesPage.vue')),
      page(
        'deleted-snapshots',
        'deletedSnapshots',
        () => import('@/features/volumes/DeletedSnapshotsPage.vue'),
      ),
      page('volumes/new', 'volumeNew', () => import('@/features/volumes/VolumeCreatePage.vue')),
      page('volumes/:volume', 'volume', () => import('@/features/volumes/VolumePage.vue')),
      page('hosts', 'hosts', () => import('@/features/hosts/HostsPage.vue')),
      page('hosts/:host', 'host', () => import('@/features/hosts/HostPage.vue')),
      page('host-groups', 'hostGroups', () => import('@/features/hosts/HostGroupsPage.vue')),
      page('mappings', 'mappings', () => import('@/features/mappings/MappingsPage.vue')),
      page('performance', 'performance', () => import('@/features/performance/PerformancePage.vue')),
      page('topology', 'topology', () => import('@/features/topology/TopologyPage.vue')),
      page('portals', 'portals', () => import('@/features/portals/PortalsPage.vue')),
      page('subsystems', 'subsystems', () => import('@/features/subsystems/SubsystemsPage.vue')),
      page('interfaces', 'interfaces', () => import('@/features/interfaces/InterfacesPage.vue')),
      page('sessions', 'sessions', () => import('@/features/sessions/SessionsPage.vue')),
      page('schedules', 'schedules', () => import('@/features/schedules/SchedulesPage.vue')),
      page('jobs', 'jobs', () => import('@/features/jobs/JobsPage.vue')),
      page('drift', 'drift', () => import('@/features/drift/DriftPage.vue')),
      page('events', 'events', () => import('@/features/events/EventsPage.vue')),
      page('alerts', 'alerts', () => import('@/features/alerts/AlertsPage.vue')),
      page('site/adopt', 'adopt', () => import('@/features/adopt/AdoptPage.vue')),
      page('site', 'site', () => import('@/features/site/SitePage.vue')),
      page('settings', 'settings', () => import('@/features/settings/SettingsPage.vue')),
      page(
        'settings/notifications',
        'notifications',
        () => import('@/features/settings/NotificationsPage.vue'),
      ),
      page('settings/security', 'security', () => import('@/features/settings/SecurityPage.vue')),
      page('settings/certificate', 'certificate', () => import('@/features/certificate/CertificatePage.vue')),
      page('settings/updates', 'updates', () => import('@/features/updates/UpdatesPage.vue')),
      page('settings/power', 'power', () => import('@/features/power/PowerPage.vue')),
      page('backup', 'backup', () => import('@/features/backup/BackupPage.vue')),
      page('users', 'users', () => import('@/features/users/AccessPage.vue')),
      page('tokens', 'tokens', () => import('@/features/tokens/TokensPage.vue')),
      page('logins', 'logins', () => import('@/features/logins/LoginsPage.vue')),
      page('about', 'about', () => import('@/features/about/AboutPage.vue')),
      page(
        'reference/:part(operations|schemas)?/:name?',
        'reference',
        () => import('@/features/reference/ReferencePage.vue'),
      ),
      page('second-factor', 'secondFactor', () => import('@/features/login/SecondFactorPage.vue')),
      page('password', 'password', () => import('@/features/login/PasswordPage.vue')),
      page(':path(.*)*', 'missing', () => import('./MissingPage.vue')),
    ],
  },
]

function page(path: string, name: string, component: () => Promise<unknown>): RouteRecordRaw {
  return { path, name, component, meta: { title: `${name}.title` } }
}

async function guard(to: RouteLocationNormalized, session: ReturnType<typeof useSession>) {
  if (to.name === 'unreachable') return true
  const next = safeNext(to.name === 'login' ? to.query['next'] : to.fullPath)
  if (!session.isKnown) {
    try {
      await session.load()
    } catch {
      return { name: 'unreachable', query: { next } }
    }
  }
  if (to.name === 'login') return session.isReady ? next : true
  return session.isReady ? true : { name: 'login', query: next === '/' ? {} : { next } }
}

export function makeRouter(session: ReturnType<typeof useSession>, history: RouterHistory): Router {
  const router = createRouter({ history, routes, scrollBehavior: () => ({ top: 0 }) })
  router.beforeEach((to) => guard(to, session))
  return router
}
