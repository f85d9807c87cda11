/** Rows selected for one change of all of them: by a click, a range, the page, or all that match. */
import { computed, shallowRef } from 'vue'

/** What a table needs of it. */
export interface RowSelection<Row> {
  count: { readonly value: number }
  has: (row: Row) => boolean
  /** One row; with `isRange` all of `rows` from the previously clicked one to it. */
  toggle: (row: Row, rows: readonly Row[], isRange: boolean) => void
  put: (rows: readonly Row[], isPicked: boolean) => void
  clear: () => void
}

export function useSelection<Row>(keyOf: (row: Row) => string) {
  const picked = shallowRef(new Map<string, Row>())
  let anchor: string | undefined

  const has = (row: Row): boolean => picked.value.has(keyOf(row))

  function put(rows: readonly Row[], isPicked: boolean): void {
    const next = new Map(picked.value)
    for (const row of rows) {
      if (isPicked) next.set(keyOf(row), row)
      else next.delete(keyOf(row))
    }
    picked.value = next
  }

  function toggle(row: Row, rows: readonly Row[], isRange: boolean): void {
    const to = rows.findIndex((one) => keyOf(one) === keyOf(row))
    const from = isRange ? rows.findIndex((one) => keyOf(one) === anchor) : -1
    const range = from < 0 ? [row] : rows.slice(Math.min(from, to), Math.max(from, to) + 1)
    put(range, !has(row))
    anchor = keyOf(row)
  }

  return {
    rows: computed(() => [...picked.value.values()]),
    count: computed(() => picked.value.size),
    has,
    put,
    toggle,
    clear: (): void => void (picked.value = new Map()),
  }
}
