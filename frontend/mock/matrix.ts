/** The matrix of mappings as a person with a keyboard meets it. */
import { expect, vi } from 'vitest'
import { click, control, dialog, settle, visit } from './visit'
import { loggedIn } from './world'
import type { World } from './world'

export const grid = (page: Element): HTMLElement => {
  const found = page.querySelector<HTMLElement>('[role=grid]')
  if (!found) throw new Error('no grid')
  return found
}

export const press = async (page: Element, ...keys: string[]) => {
  for (const key of keys) {
    const [name = '', shift] = key.split('+').reverse()
    grid(page).dispatchEvent(
      new KeyboardEvent('keydown', { key: name, shiftKey: Boolean(shift), bubbles: true }),
    )
    await settle()
  }
}

export const cursor = (page: Element): string | null | undefined => {
  const id = grid(page).getAttribute('aria-activedescendant')
  return id ? document.getElementById(id)?.getAttribute('aria-label') : undefined
}

export async function open(path: string, world: World = loggedIn()) {
  const opened = await visit(path, world)
  grid(opened.page).dispatchEvent(new Event('focus'))
  await settle()
  return opened
}

/** The dialog shows the plan once typing has paused. */
export async function mapIn(verb = 'Map'): Promise<void> {
  const button = () => control(dialog(), verb) as HTMLButtonElement
  await vi.waitFor(() => expect(button().disabled).toBe(false), 5_000)
  await click(dialog(), verb)
}
