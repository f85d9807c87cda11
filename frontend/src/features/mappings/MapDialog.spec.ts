import { expect, it, vi } from 'vitest'
import { cursor, mapIn, open, press } from '../../../mock/matrix'
import { click, control, dialog, field, settle, text, type } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('maps a free volume after its plan, under the number the API chose, and can undo it', async () => {
  const world = loggedIn()
  const { page, requests } = await open('/mappings?host=backup-proxy&volume=scratch', world)
  expect(cursor(page)).toBe('backup-proxy, scratch1: not mapped')
  await press(page, 'Enter')
  await vi.waitFor(() => expect(text(dialog())).toContain('LUN 1 of backup-proxy'))
  expect(requests).not.toContain('POST /mappings?dry_run=false')
  await mapIn()
  await vi.waitFor(() => expect(cursor(page)).toBe('backup-proxy, scratch1: LUN 1, Online'))
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain('Mapped scratch1 to backup-proxy as LUN 1'),
  )
  await click(document.body, 'Undo')
  await vi.waitFor(() => expect(document.body.textContent).toContain('Undone: Mapped scratch1'))
  expect(requests.filter((one) => one.includes(':undo'))).toHaveLength(1)
  expect(world.mappings.some(({ volume }) => volume === 'scratch1')).toBe(false)
  await vi.waitFor(() => expect(cursor(page)).toBe('backup-proxy, scratch1: not mapped'))
})

it('offers the undo for ten seconds in which it can be pressed', async () => {
  const { page } = await open('/mappings?host=backup-proxy&volume=scratch', loggedIn())
  await press(page, 'Enter')
  await vi.waitFor(() => expect((control(dialog(), 'Map') as HTMLButtonElement).disabled).toBe(false), 5_000)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    await click(dialog(), 'Map')
    const toast = () => document.querySelector('.offers-undo')
    await vi.waitFor(() => expect(toast()).not.toBeNull())
    vi.advanceTimersByTime(9_000)
    await settle()
    expect(toast()).not.toBeNull()
    toast()?.querySelector<HTMLElement>('button')?.focus()
    vi.advanceTimersByTime(60_000)
    await settle()
    expect(toast(), 'not while it has the focus').not.toBeNull()
    ;(document.activeElement as HTMLElement).blur()
    vi.advanceTimersByTime(1_000)
    await vi.waitFor(() => expect(toast()).toBeNull())
  } finally {
    vi.useRealTimers()
  }
})

it('maps under the number that was typed, and says what is wrong with one', async () => {
  const world = loggedIn()
  const { page } = await open('/mappings?host=backup-proxy&volume=scratch', world)
  await press(page, 'Enter')
  type(field(dialog(), 'LUN'), 'seven')
  await settle()
  expect(text(dialog())).toContain('Enter a number from 0 to 255')
  expect((control(dialog(), 'Map') as HTMLButtonElement).disabled).toBe(true)
  type(field(dialog(), 'LUN'), '7')
  await vi.waitFor(() => expect(text(dialog())).toContain('LUN 7 of backup-proxy'), 5_000)
  await mapIn()
  expect(world.mappings.at(-1)).toMatchObject({ host: 'backup-proxy', lun: 7 })
})

it('warns that the other hosts of a group get no access', async () => {
  const world = loggedIn()
  const host = world.hosts.find(({ name }) => name === 'backup-proxy')
  if (host) host.group = 'cluster1'
  const { page } = await open('/mappings?host=backup-proxy&volume=scratch', world)
  await press(page, 'Enter')
  expect(text(dialog())).toContain('backup-proxy is a member of host group cluster1')
})
