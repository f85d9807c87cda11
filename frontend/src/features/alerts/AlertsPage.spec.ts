/** Alerts: who sees to one is shown, and what was silenced says until when. */
import { describe, expect, it } from 'vitest'
import { UNSEEN } from '../../../mock/alerts'
import { click, control, dialog, field, text, type, visit } from '../../../mock/visit'
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
