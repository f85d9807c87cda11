/** The selection of rows one by one, as a range with Shift, and by the arrow keys. */
import { computed } from 'vue'
import type { Ref } from 'vue'
import type { RowSelection } from './tableSelection'

interface Picks<Row> {
  /** The rendered rows. */
  rows: Readonly<Ref<Row[]>>
  at: (index: number) => Row | undefined
  selection: () => RowSelection<Row> | undefined
  /** For a range with rows that are not loaded. */
  askRange: (from: number, to: number) => void
  /** Moves the focus to the box of a row. */
  focus: (index: number) => Promise<void>
}

export function useRowPicks<Row extends object>({ rows, at, selection, askRange, focus }: Picks<Row>) {
  const isAll = computed(() => rows.value.length > 0 && rows.value.every((row) => selection()?.has(row)))
  const isSome = computed(() => rows.value.some((row) => selection()?.has(row)))
  /** Index of the previously clicked box. */
  let anchor: number | undefined

  function pick(row: Row, index: number, isRange: boolean): void {
    const [from, to] = [Math.min(anchor ?? index, index), Math.max(anchor ?? index, index)]
    anchor = index
    if (!isRange) return selection()?.toggle(row, [row], false)
    const between = Array.from({ length: to - from + 1 }, (_, offset) => at(from + offset))
    if (between.includes(undefined)) return askRange(from, to)
    selection()?.toggle(row, between as Row[], true)
  }

  /** To the box above or below; with Shift both the previous and the new row are selected. */
  async function go(row: Row, index: number, by: 1 | -1, isTaking: boolean): Promise<void> {
    const next = at(index + by)
    if (!next) return
    if (isTaking) selection()?.put([row, next], true)
    await focus(index + by)
  }

  /** For another list: a range does not begin in the previous one. */
  const restart = (): void => {
    anchor = undefined
  }

  return { isAll, isSome, pick, go, restart }
}
