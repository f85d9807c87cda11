/** A dialog that opens is ready for the keyboard: its first field has the focus. */
import { afterEach, expect, it } from 'vitest'
import opened from '../../e2e/dialogs.ts?raw'
import { settle, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'

const sources = Object.entries(
  import.meta.glob<string>('../**/*.vue', { query: '?raw', import: 'default', eager: true }),
)

it('is so for every modal', () => {
  const modals = sources.filter(([, source]) => source.includes('<UModal'))
  expect(modals.length).toBeGreaterThan(4)
  const without = modals.filter(([, source]) => !/<UModal[^>]*\s:content="dialogFocus"/.test(source))
  expect(without.map(([place]) => place)).toEqual([])
})

it('is opened by a browser test, or there is a reason why not', () => {
  const [, , excusing = ''] = opened.split(/ (?=DIALOGS:|NOT_OPENED:)/)
  const tested = [...opened.matchAll(/of: '(\w+)'/g)].map(([, name]) => name ?? '')
  const excused = [...excusing.matchAll(/^ {2}(\w+): '/gm)].map(([, name]) => name ?? '')
  const known = sources
    .filter(([, source]) => /<(PlanDialog|ActDialog|UModal|USlideover)\b/.test(source))
    .map(([place]) => place.replace(/^.*\/|\.vue$/g, ''))
  expect([...new Set(tested), ...excused].toSorted()).toEqual(known.toSorted())
})

// A dialog that is open while its page is unmounted would fail.
afterEach(async () => {
  for (const dialog of document.querySelectorAll('[role=dialog]'))
    dialog.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  await settle()
})

async function focusedAfter(path: string, button: string): Promise<HTMLElement> {
  const { page } = await visit(path, loggedIn())
  const opener = [...page.querySelectorAll<HTMLElement>('button')].find(
    (one) => (one.getAttribute('aria-label') ?? one.textContent).trim() === button,
  )
  if (!opener) throw new Error(`no button ${button}`)
  opener.click()
  await settle()
  return document.activeElement as HTMLElement
}

it.each([
  ['/hosts', 'Create host'],
  ['/portals', 'Create portal'],
  ['/schedules', 'Create schedule'],
  ['/users', 'Create user'],
])('%s: %s begins in a field', async (path, button) => {
  const focused = await focusedAfter(path, button)
  expect(focused.closest('[role=dialog]')).not.toBeNull()
  expect(focused.matches('input, select, textarea')).toBe(true)
})

it('a confirmation begins on the button that changes nothing', async () => {
  const focused = await focusedAfter('/hosts', 'Delete backup-proxy')
  expect(focused.textContent.trim()).toBe('Cancel')
})
