/**
 * No change needs a pointer: every test here reaches its controls with Tab, in the
 * order of the page, and uses them with Enter or the space bar. Tests send no pointer event and no click.
 */
import { describe, expect, it, vi } from 'vitest'
import { settle, text, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'

const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** The stops of Tab, in order; an open dialog contains it. */
function stops(): HTMLElement[] {
  const within = document.querySelector('[role=dialog]') ?? document.body
  return [...within.querySelectorAll<HTMLElement>(STOPS)].filter(
    (one) => one.tabIndex >= 0 && !one.matches(':disabled') && !one.closest('[aria-hidden=true], [inert]'),
  )
}

const nameOf = (one: HTMLElement): string => {
  const labelled = one.id
    ? document.querySelector(`label[for="${CSS.escape(one.id)}"]`)
    : one.closest('label')
  return one.getAttribute('aria-label') ?? (labelled ? text(labelled) : text(one))
}

/** Moves the focus to the stop with this name; otherwise the test fails with the names of all stops. */
function tabTo(name: string | RegExp): HTMLElement {
  const found = stops().find((one) =>
    typeof name === 'string' ? nameOf(one) === name : name.test(nameOf(one)),
  )
  if (!found) throw new Error(`Tab never stops at ${name}; it does at: ${stops().map(nameOf).join(' | ')}`)
  found.focus()
  return found
}

/** A key as in a browser: unless prevented, it activates the focused element. */
async function press(key: string, more: KeyboardEventInit = {}): Promise<void> {
  const focused = (document.activeElement ?? document.body) as HTMLElement
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  const isTaken = !focused.dispatchEvent(event)
  const activates =
    key === 'Enter'
      ? focused.matches('button, a[href], summary')
      : key === ' ' && focused.matches('button, input, summary')
  if (!isTaken && activates && focused.role !== 'grid') focused.click()
  await settle()
}

async function use(name: string | RegExp, key = 'Enter'): Promise<void> {
  tabTo(name)
  await press(key)
}

/** A button of a dialog that can be used once its plan is shown. */
async function useWhenPlanned(name: string): Promise<void> {
  await vi.waitFor(() => tabTo(name), 5_000)
  await use(name)
}

const isOpen = (): boolean => document.querySelector('[role=dialog]') !== null
const words = (): string => document.querySelector('[role=dialog]')?.textContent ?? ''

function write(name: string, value: string): void {
  const input = tabTo(name) as HTMLInputElement
  input.value = value
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

async function toGrid(): Promise<void> {
  document.querySelector<HTMLElement>('[role=grid]')?.focus()
  await settle()
}

describe('the matrix of mappings by keys', () => {
  it('maps one volume, and takes it back by the key and by the button below', async () => {
    const world = loggedIn()
    await visit('/mappings?host=backup-proxy&volume=scratch', world)
    const before = world.mappings.length
    await toGrid()
    expect(stops()).toContain(document.activeElement)
    await press('Enter')
    await useWhenPlanned('Map')
    expect(world.mappings).toHaveLength(before + 1)
    await toGrid()
    await press('Enter')
    await use('Unmap')
    expect(world.mappings).toHaveLength(before)
    await use('Map')
    await useWhenPlanned('Map')
    expect(world.mappings).toHaveLength(before + 1)
  })

  it('maps a run of volumes over the family that was chosen, after its plan', async () => {
    const world = loggedIn()
    await visit('/mappings?host=host4&volume=scratch', world)
    const before = world.mappings.length
    await use('NVMe')
    await toGrid()
    for (const key of ['ArrowRight', 'ArrowRight']) await press(key, { shiftKey: true })
    await press(' ')
    expect(isOpen()).toBe(true)
    await use(/^Map/)
    expect(world.mappings.slice(before).map(({ family, host }) => [family, host])).toEqual(
      Array.from({ length: 3 }, () => ['nvme', 'host4']),
    )
  })
})

const OFFERED = [
  'Start scrub',
  'Scrub and repair',
  'Set resync speed',
  'Tune',
  'Add spares',
  'Add data disks',
  'Change level',
  'Set spare group',
  'Release',
  'Delete',
  'Replace',
  'Mark as failed',
]

describe('an array by keys', () => {
  it('offers every change of it and of its disks, each with a dialog that Escape leaves', async () => {
    const { page } = await visit('/arrays/tank', loggedIn())
    const main = page.querySelector<HTMLElement>('main')
    const offered = stops()
      .filter((one) => main?.contains(one) && one.matches('button'))
      .map(nameOf)
    const opening = new Map(offered.map((name) => [name.replace(/: S64\w+$/, ''), name]))
    for (const other of ['Topology', 'Copy']) opening.delete(other)
    expect([...opening.keys()]).toEqual(OFFERED)
    const silent: string[] = []
    for (const name of opening.values()) {
      await use(name)
      if (!isOpen()) silent.push(name)
      await press('Escape')
      await vi.waitFor(() => expect(isOpen()).toBe(false))
    }
    expect(silent).toEqual([])
  })

  it('takes a disk out after its plan', async () => {
    const world = loggedIn()
    const { requests } = await visit('/arrays/tank', world)
    await use(/^Mark as failed: /)
    expect(isOpen()).toBe(true)
    expect(words()).toContain('Fail disk')
    await use('Mark as failed')
    await vi.waitFor(() =>
      expect(requests.some((one) => /POST \/arrays\/[^/]+:fail\?dry_run=false/.test(one))).toBe(true),
    )
  })

  it('is made: engine, level, disks and name', async () => {
    const world = loggedIn()
    const { requests } = await visit('/arrays/new', world)
    write('Name', 'second')
    const disks = stops().filter((one) => one.role === 'checkbox')
    expect(disks.length).toBeGreaterThan(2)
    for (const disk of disks.slice(0, 3)) {
      disk.focus()
      await press(' ')
      expect(disk.getAttribute('aria-checked')).toBe('true')
    }
    await vi.waitFor(() => expect(stops().map(nameOf)).toContain('Review the plan'))
    await use('Review the plan')
    expect(isOpen()).toBe(true)
    await use('Create array')
    expect(requests).toContain('POST /arrays?dry_run=false')
  })
})
