/** Selects rows of a list, also those that are not loaded yet. */
import { watch } from 'vue'
import { useProblemToast } from '@/changes/dialog'
import type { RowSelection } from '@/ui/tableSelection'
import type { ListRows } from './listRows'

interface Picked<Row> {
  rows: ListRows<Row>
  selection?: RowSelection<Row>
  /** Changes with the search and the filters. */
  list: { narrowed: { readonly value: string } }
}

/** Of the properties of a list page, which are reactive. */
export function useRowPicking<Row>(props: Picked<Row>) {
  const tellProblem = useProblemToast()

  /** Rows that are not loaded are fetched first, up to the maximum of one plan. */
  async function pickRange(from: number, to: number): Promise<void> {
    try {
      props.selection?.put(await props.rows.between(from, to), true)
    } catch (problem) {
      tellProblem(problem)
    }
  }

  async function pickAll(isPicked: boolean): Promise<void> {
    if (isPicked) await pickRange(0, (props.rows.total.value ?? 1) - 1)
    else props.selection?.clear()
  }

  // Nothing stays selected that another search or filter does not show.
  watch(
    () => props.list.narrowed.value,
    () => props.selection?.clear(),
  )

  return { pickRange, pickAll }
}
