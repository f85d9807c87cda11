/** What a cell cuts off is said in full to the pointer that rests on it. */

/** The innermost element around `from` whose text does not fit, up to its cell. */
function cutAround(from: Element, cell: Element): HTMLElement | undefined {
  for (let one: Element | null = from; one; one = one === cell ? null : one.parentElement)
    if (one instanceof HTMLElement && one.scrollWidth > one.clientWidth) return one
  return undefined
}

/** Titles what does not fit, unless the page has given it a title of its own. */
export function tellFullText(event: Event): void {
  const from = event.target
  const cell = from instanceof Element ? from.closest('td, dd') : null
  if (!(from instanceof Element) || !cell || from.closest('[title]:not([data-cut])')) return
  const cut = cutAround(from, cell)
  for (const stale of cell.querySelectorAll('[data-cut]')) if (stale !== cut) stale.removeAttribute('title')
  if (!cut) return
  cut.dataset['cut'] = ''
  cut.title = cut.textContent.replace(/\s+/g, ' ').trim()
}
