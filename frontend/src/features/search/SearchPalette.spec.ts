/** The search: found by keys alone, with what a screen reader needs, and no wrong turn while an answer is awaited. */
import { describe, expect, it } from 'vitest'
import { PLACES } from '@/ui/places'
import { click, dialog, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import document_ from '../../../../backend/openapi.json?raw'

const PAUSED_MS = 200
const press = (target: EventTarget, key: string, more: KeyboardEventInit = {}) =>
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))
const there = <Found>(found: Found | null | undefined): Found => {
  if (found === null || found === undefined) throw new Error('it is not there')
  return found
}
const input = () => there(dialog().querySelector<HTMLInputElement>('[role=combobox]'))
const options = () => [...dialog().querySelectorAll('[role=option]')].map(text)
const pause = async () => {
  await new Promise((resolve) => setTimeout(resolve, PAUSED_MS))
  await settle()
}

async function opened(path = '/') {
  const visited = await visit(path, loggedIn())
  press(document, 'k', { ctrlKey: true })
  await settle()
  return visited
}

async function typed(words: string) {
  type(input(), words)
  await pause()
}

describe('the search', () => {
  it('opens with Ctrl-K and finds a volume by its NAA as a host writes it', async () => {
    const world = loggedIn()
    const naa = there(world.volumes[2]).naa
    const { router } = await opened()
    await typed(`naa.${naa}`)
    expect(options()).toEqual([expect.stringContaining(`NAA: ${naa}`)])
    press(input(), 'Enter')
    await settle()
    expect(router.currentRoute.value.params['volume']).toBe(there(world.volumes[2]).name)
    expect(document.querySelector('[role=dialog]')).toBeNull()
  })

  it('exposes the chosen option to screen readers', async () => {
    await opened()
    await typed('lun0')
    const chosen = () => document.getElementById(input().getAttribute('aria-activedescendant') ?? '')
    const list = document.getElementById(input().getAttribute('aria-controls') ?? '')
    expect(list?.getAttribute('role')).toBe('listbox')
    expect(chosen()?.getAttribute('aria-selected')).toBe('true')
    const first = text(there(chosen()))
    press(input(), 'ArrowDown')
    await settle()
    expect(text(there(chosen()))).not.toBe(first)
    press(input(), 'ArrowUp')
    press(input(), 'ArrowUp')
    await settle()
    expect(text(there(chosen()))).toBe(options().at(-1))
    expect(dialog().querySelectorAll('[aria-selected=true]')).toHaveLength(1)
  })

  it('offers pages and actions, and opens the dialog that was asked for', async () => {
    const { router } = await opened()
    await typed('create host')
    expect(options()).toEqual(['Create host', 'Create host group'])
    press(input(), 'Enter')
    await settle()
    expect(router.currentRoute.value).toMatchObject({ name: 'hosts', query: {} })
    expect(text(dialog())).toContain('Create host')
  })

  it('takes what is typed before its field is there', async () => {
    const { router } = await visit('/', loggedIn())
    press(document, 'k', { ctrlKey: true })
    for (const key of ['l', 'u', 'n', '0', '6', 'Backspace', '5', 'Enter']) press(document, key)
    expect(document.querySelector('[role=dialog]')).toBeNull()
    await pause()
    expect(router.currentRoute.value.params['volume']).toBe('lun05')
    await settle()
    press(document, 'k', { ctrlKey: true })
    press(document, 'x')
    await settle()
    expect(input().value).toBe('x')
  })

  it('waits for the answer where Enter is pressed at once', async () => {
    const { router } = await opened()
    type(input(), 'lun05')
    await settle()
    press(input(), 'Enter')
    expect(router.currentRoute.value.name).toBe('overview')
    await pause()
    expect(router.currentRoute.value.params['volume']).toBe('lun05')
  })

  it('says that nothing was found, and offers no action to those who may not', async () => {
    const world = loggedIn()
    if (world.me) world.me = { ...world.me, role: 'viewer' }
    const { page } = await visit('/', world)
    await click(page, 'Search')
    await typed('create')
    expect(options()).toEqual(['Create token'])
    await typed('there is no such thing')
    expect(dialog().textContent).toContain('No results for “there is no such thing”')
  })
})

it('has a page of this site for every kind of object', async () => {
  const api = JSON.parse(document_) as {
    components: { schemas: Record<string, { enum: (keyof typeof PLACES)[] }> }
  }
  const nouns = there(api.components.schemas['SearchNoun']).enum
  const { router } = await visit('/', loggedIn())
  for (const noun of nouns) {
    const place = router.resolve(PLACES[noun].of({ name: 'one', parent: 'two' }))
    expect(place.matched.length, noun).toBeGreaterThan(0)
    expect(place.name, noun).not.toBe('missing')
  }
})
