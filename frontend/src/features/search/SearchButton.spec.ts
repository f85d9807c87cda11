import { expect, it, vi } from 'vitest'
import { settle, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

vi.mock('./SearchPalette.vue', () => {
  throw new Error('Failed to fetch dynamically imported module')
})

/** Presses a key in no field in particular. Returns whether the page left it to the browser. */
const press = (key: string, more: KeyboardEventInit = {}): boolean =>
  document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))

it('takes keys while the search is being loaded, and none once it could not be loaded', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  await visit('/', loggedIn())
  press('k', { ctrlKey: true })
  expect(press('x')).toBe(false)
  await settle()
  await vi.waitFor(() => expect(press('x')).toBe(true), 5_000)
  expect(document.querySelector('[role=dialog]')).toBeNull()
})
