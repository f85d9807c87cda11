/** Every family of alerts the API knows leads somewhere, and what its key names is what the page shows. */
import { expect, it } from 'vitest'
import type { Alert, AlertFamily } from '@/api'
import { UNSEEN } from '../../../mock/alerts'
import { text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import document from '../../../../backend/openapi.json?raw'
import { alertPlace, namedIn } from './alertPlace'

const api = JSON.parse(document) as { components: { schemas: { AlertFamily: { enum: AlertFamily[] } } } }
const families = api.components.schemas.AlertFamily.enum

const alert = (family: AlertFamily | null, key: string): Alert => ({
  id: key,
  key,
  family,
  severity: 'warning',
  message: `Something is wrong: ${key}`,
  cause: '',
  fix: '',
  raised_at: '2026-11-25T03:00:00Z',
  resolved_at: null,
  ...UNSEEN,
})

it('has a page of this site and words for every family of the API', async () => {
  const world = loggedIn()
  world.alerts = families.map((family) => alert(family, `${family}.trouble:one`))
  const { page, router } = await visit('/alerts', world)
  expect(families.length).toBeGreaterThan(15)
  for (const { message } of world.alerts) {
    const row = [...page.querySelectorAll('tbody tr')].find((one) => text(one).includes(message))
    const link = row?.querySelector('td a')
    if (!link) throw new Error(`no link: ${message}`)
    expect(text(link), message).not.toContain('alerts.')
    expect(router.resolve(link.getAttribute('href') ?? '').name, message).not.toBe('missing')
  }
})

it.each<[AlertFamily, string, unknown]>([
  ['array', 'array.disk:a1:usb-Disk-0:0', { name: 'array', params: { array: 'a1' } }],
  ['disk', 'disk.wear:usb-Disk-0:0', { name: 'disk', params: { disk: 'usb-Disk-0:0' } }],
  ['host', 'host.secret:h1', { name: 'host', params: { host: 'h1' } }],
  ['sealed_copy', 'sealed_copy:a1', { name: 'array', params: { array: 'a1' } }],
  [
    'initiator',
    'initiator.twins:iqn.1998-01.com.vmware:esx1',
    { name: 'sessions', query: { q: 'iqn.1998-01.com.vmware:esx1' } },
  ],
  ['login', 'login.failed', { name: 'events', query: { noun: 'user', outcome: 'failed' } }],
  ['clock', 'clock.unset', { name: 'interfaces' }],
  ['backup', 'backup.scheduled', { name: 'backup' }],
  ['setting', 'setting.secret:backup.passphrase', { name: 'backup' }],
  ['setting', 'setting.secret:discovery_auth.secret', { name: 'security' }],
  ['setting', 'setting.secret:mail.password', { name: 'notifications' }],
  ['system', 'system.update', { name: 'updates' }],
  ['system', 'system.mirror', { name: 'backup' }],
])('of %s, %s leads to what it is about', (family, key, to) => {
  expect(alertPlace({ family, key })?.to).toEqual(to)
})

it('has no place for what only an earlier release raised', () => {
  expect(alertPlace({ family: null, key: 'comet.near:1' })).toBeUndefined()
})

it.each([
  ['Array tank is degraded', 'tank', ['Array ', ' is degraded']],
  ['Array tank2 and tank: full', 'tank', ['Array tank2 and ', ': full']],
  ['Disk of tank.', 'tank', ['Disk of ', '.']],
  ['Array tank-2 is degraded', 'tank', undefined],
  ['Array tank.old is degraded', 'tank', undefined],
])('of "%s" the words around %s are found', (message, name, found) => {
  expect(namedIn({ message, about: { noun: 'array', id: 'a1', name } })).toEqual(found)
})
