/**
 * Where the focus is when a dialog opens: in its first field, so that what is typed arrives there; without a field on
 * the first button of the footer, which changes nothing. By itself it would be on the cross, where Enter closes the dialog.
 */

const FIELDS = ['input', 'select', 'textarea', '[role=combobox]', '[role=radio]']
const FIRST = FIELDS.map((one) => `${one}:not([type=hidden]):not(:disabled):not([tabindex="-1"])`).join()

/** The first field in sight, or what is marked to come before all fields. */
export const firstField = (root: Element): HTMLElement | undefined =>
  [...root.querySelectorAll<HTMLElement>(`[data-first]:not(:disabled),${FIRST}`)].find(
    (one) => !one.closest('[style*="display: none"]'),
  )

/** For `content` of a modal. */
export const dialogFocus = {
  onOpenAutoFocus(event: Event): void {
    const dialog = event.target as HTMLElement
    const first =
      firstField(dialog) ?? dialog.querySelector<HTMLElement>('[data-slot=footer] button:not(:disabled)')
    if (!first) return
    event.preventDefault()
    first.focus()
  },
}
