import { describe, expect, it, vi } from 'vitest'
import { click, control, dialog, field, rows, settle, text, type, visit } from '../../../mock/visit'
import { schedule } from '../../../mock/schedules'
import { loggedIn } from '../../../mock/world'

/** Types a name and takes it with Enter. */
const take = async (label: string, name: string) => {
  const input = field(dialog(), label)
  type(input, name)
  await settle()
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
  await settle()
}

describe('schedules', () => {
  it('tell when they run next, in the time zone of the appliance, and how the last run ended', async () => {
    const world = loggedIn()
    world.schedules = [
      schedule('nightly', {
        last_run: {
          job_id: 'j',
          state: 'failed',
          message: 'volume vm01: the pool is full',
          started_at: '2026-11-21T02:00:00Z',
          finished_at: null,
        },
      }),
      schedule('off', { enabled: false, next_runs: [] }),
    ]
    const { page } = await visit('/schedules', world)
    const [first, second] = rows(page)
    expect(first?.[3]).toBe('22 Nov 2026, 03:00 Europe/Berlin')
    expect(first?.[4]).toContain('the pool is full')
    expect(second?.slice(3, 5)).toEqual(['Disabled', 'Never'])
  })

  it('are run at once by a job', async () => {
    const world = loggedIn()
    world.schedules = [schedule('nightly')]
    const { page } = await visit('/schedules', world)
    await click(page, 'Run nightly now')
    expect(text(dialog())).toContain('of volume vm01')
    await click(dialog(), 'Run now')
    await vi.waitFor(() => expect(world.schedules[0]?.last_run?.state).toBe('succeeded'), 8_000)
  })

  it('are made of a few choices, and what is refused stands at its field', async () => {
    const world = loggedIn()
    const { page } = await visit('/schedules', world)
    await click(page, 'Create schedule')
    type(field(dialog(), 'Name'), 'weekly')
    await take('Volumes', 'nobody')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('there is no volume nobody')
    await click(dialog(), 'Remove nobody')
    type(field(dialog(), 'Volumes'), 'vm01, ')
    await settle()
    expect(field(dialog(), 'Volumes').value).toBe('')
    const often = [...dialog().querySelectorAll('select')].find((one) => text(one).includes('Every Sunday'))
    if (!often) throw new Error('The form has no choice of times.')
    often.value = '0 3 * * SUN'
    often.dispatchEvent(new Event('change', { bubbles: true }))
    await settle()
    expect(field(dialog(), 'When').value).toBe('0 3 * * SUN')
    type(field(dialog(), 'Newest'), '2')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create schedule')
    expect(world.schedules.at(-1)).toMatchObject({
      name: 'weekly',
      volumes: ['vm01'],
      when: '0 3 * * SUN',
      keep: { last: 2, daily: 0 },
    })
  })

  it('are changed as they were read', async () => {
    const world = loggedIn()
    const { page } = await visit('/schedules', world)
    await click(page, 'Edit nightly')
    type(field(dialog(), 'When'), '30 4 * * *')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('0 3 * * * becomes 30 4 * * *')
    await click(dialog(), 'Save changes')
    expect(world.schedules[0]).toMatchObject({ when: '30 4 * * *', volumes: ['vm01'], keep: { last: 7 } })
  })

  it('are for administrators to make and run', async () => {
    const world = loggedIn()
    if (world.me) world.me = { ...world.me, role: 'operator' }
    const { page } = await visit('/schedules', world)
    expect((control(page, 'Run nightly now') as HTMLButtonElement).disabled).toBe(true)
    expect((control(page, 'Create schedule') as HTMLButtonElement).disabled).toBe(true)
  })
})
