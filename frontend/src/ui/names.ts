/** The names that people choose: by the rule of the API, and one that is free. */

/** The pattern of every name in the API document, with which a test compares it. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/

const HOST_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

export const isHostName = (text: string): boolean => HOST_NAME.test(text.trim())

export const isName = (text: string): boolean => NAME.test(text.trim())

/** The first of tank, tank2, tank3 … that is not in use. */
export function freeName(wanted: string, taken: readonly string[]): string {
  let name = wanted
  for (let number = 2; taken.includes(name); number += 1) name = `${wanted}${number}`
  return name
}

/** A name of what is left of a text; undefined if nothing is. */
export const nameFrom = (text: string): string | undefined =>
  text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 63) || undefined

/** Has the first field of a form whose rule is violated say so, and moves the focus there; false if there is none. */
export function tellWrong(form: Element): boolean {
  const wrong = form.querySelector<HTMLElement>('[data-wrong]')
  wrong?.dispatchEvent(new Event('invalid'))
  wrong?.focus()
  return wrong !== null
}
