/** Alerts: who sees to one is shown, and what was silenced says until when. */
import { describe, expect, it } from 'vitest'
import type { Alert } from '@/api'
import { UNSEEN } from '../../../mock/alerts'
import { click, control, dialog, field, rows, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const WARM = 'It is warm'

function warm() {
  const world = loggedIn()
  const raised_at = '2026-11-21T03:00:00Z'
  world.alerts = [
    {
      id: 'alert-1',
      key: 'array.warm:tank',
      family: 'array',
      severity: 'warning',
      message: WARM,
      cause: 'sun',
      fix: 'shade',
      raised_at,
      resolved_at: null,
      ...UNSEEN,
    },
  ]
  return world
}

describe('alerts', () => {
  it('are acknowledged with a note that everybody reads', async () => {
    const world = warm()
    const { page, requests } = await visit('/alerts', world)
    expect(text(page)).toContain('Active')
    await click(page, `Acknowledge: ${WARM}`)
    type(field(dialog(), 'Note'), 'a fan is on its way')
    await click(dialog(), 'Review the plan')
    expect(world.alerts[0]?.acknowledged_by).toBeNull()
    await click(dialog(), 'Acknowledge')
    expect(requests.filter((one) => one.includes(':acknowledge'))).toHaveLength(2)
    expect(text(page)).toContain('Acknowledged by admin: a fan is on its way')
  })

  it('are silenced for a while and opened again', async () => {
    const world = warm()
    const { page } = await visit('/alerts', world)
    await click(page, `Silence: ${WARM}`)
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Silence')
    const until = new Date(world.alerts[0]?.silenced_until ?? 0).getTime()
    expect(Math.round((until - Date.now()) / 3_600_000)).toBe(8)
    expect(text(page)).toContain('Silent until')
    await click(page, `Reopen: ${WARM}`)
    await click(dialog(), 'Reopen')
    expect(world.alerts[0]?.silenced_until).toBeNull()
    expect(text(page)).not.toContain('Silent until')
  })

  it('offer the dialog that removes their cause, filled in, and no command', async () => {
    const world = warm()
    const [disk] = world.arrays[0]?.members ?? []
    const lost = disk?.disk_id ?? ''
    const nothing = { array: null, disk: null, job: null, schedule: null, host: null }
    world.alerts = world.alerts.map((one) => ({
      ...one,
      fix: 'Use `lunette array replace tank`.',
      remedy: { ...nothing, action: 'replace_disk', array: 'tank', disk: lost },
    }))
    const { page, router } = await visit('/alerts', world)
    expect(page.textContent).not.toContain('lunette array')
    await click(page, 'Replace disk')
    expect(router.currentRoute.value).toMatchObject({ name: 'array', params: { array: 'tank' } })
    expect(dialog().textContent).toContain(disk?.serial)
  })

  it('open the form of a host whose secrets are lost', async () => {
    const world = warm()
    const nothing = { array: null, disk: null, job: null, schedule: null, host: null }
    const name = world.hosts[0]?.name ?? ''
    world.alerts = world.alerts.map((one) => ({
      ...one,
      remedy: { ...nothing, action: 'set_host_secrets', host: name },
    }))
    const { page } = await visit('/alerts', world)
    await click(page, 'Set secrets')
    expect(field(dialog(), 'Name').value).toBe(name)
  })

  it('say to a viewer whom their remedy needs', async () => {
    const world = warm()
    const nothing = { array: null, disk: null, job: null, schedule: null, host: null }
    if (world.me) world.me = { ...world.me, role: 'viewer' }
    world.alerts = world.alerts.map((one) => ({
      ...one,
      remedy: { ...nothing, action: 'unlock_array', array: 'tank' },
    }))
    const { page } = await visit('/alerts', world)
    expect((control(page, 'Unlock array') as HTMLButtonElement).disabled).toBe(true)
    expect(text(page)).toContain('Requires the Operator role')
  })

  it('that are over are not acknowledged', async () => {
    const { page } = await visit('/alerts', loggedIn())
    expect(() => control(page, 'Acknowledge: Array tank is degraded')).toThrow()
  })
})

/** Three alerts about array tank, one about a host, one about the appliance, in no order. */
function several() {
  const world = warm()
  const [first] = world.alerts
  if (!first) throw new Error('There is no alert.')
  const tank = { noun: 'array', id: 'array-1', name: 'tank' } as const
  const made = (id: string, change: Partial<Alert>): Alert => ({
    ...first,
    id,
    key: `array.health:${id}`,
    ...change,
  })
  world.alerts = [
    made('a1', { severity: 'info', message: 'The device of array tank has grown', about: tank }),
    made('a2', { severity: 'warning', message: 'The clock was never set', cause: '' }),
    made('a3', { severity: 'critical', message: 'Array tank is degraded', about: tank }),
    made('a4', {
      severity: 'critical',
      message: 'Host web-1 does not have 2 of its volumes',
      about: { noun: 'host', id: 'host-1', name: 'web-1' },
      raised_at: '2026-11-21T02:00:00Z',
    }),
    made('a5', { severity: 'warning', message: 'Array tank fills up', about: tank }),
  ]
  return world
}

describe('the alerts of an object', () => {
  it('are one group, the gravest group and alert first, the others on request', async () => {
    const { page, router } = await visit('/alerts', several())
    await click(page, 'By object')
    expect(router.currentRoute.value.query).toEqual({ view: 'objects' })
    expect([...page.querySelectorAll('main h2')].map(text)).toEqual(['tank', 'web-1', 'Appliance'])
    const [group] = page.querySelectorAll('main section')
    expect(group?.textContent).toContain('1 critical, 1 warning, 1 info')
    expect([...(group?.querySelectorAll('li') ?? [])]).toHaveLength(1)
    expect(group?.textContent).toContain('Array tank is degraded')
    await click(page, '2 more alerts')
    expect([...(group?.querySelectorAll('li') ?? [])].map((one) => text(one).slice(0, 8))).toEqual([
      'Critical',
      'WarningA',
      'InfoThe ',
    ])
  })

  it('are all that is shown where the object is chosen', async () => {
    const { page, requests } = await visit('/alerts?about=array-1', several())
    expect(rows(page)).toHaveLength(3)
    expect(requests).toContain('GET /alerts?limit=50&sort=-severity&ref=array-1')
    expect([...page.querySelectorAll('select[aria-label=Object] option')].map(text)).toEqual([
      'Any object',
      'tank (Array)',
      'web-1 (Host)',
    ])
  })

  it('lead to it by its name in their words', async () => {
    const { page, router } = await visit('/alerts?q=web-1', several())
    expect(rows(page)).toHaveLength(1)
    await click(page, 'web-1')
    expect(router.currentRoute.value.fullPath).toBe('/hosts/web-1')
  })
})
