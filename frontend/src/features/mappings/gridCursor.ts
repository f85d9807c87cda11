/** The cursor of a grid: moved by keys and by the pointer, stretched to a run of cells in one row while one is held. */
import { computed, ref, watch } from 'vue'
import type { Ref } from 'vue'
import { move, placeAt, scrollTo } from './gridWindow'
import type { GridSize, Metrics, Place, View } from './gridWindow'

interface Grid {
  frame: Readonly<Ref<HTMLElement | null>>
  cursor: Ref<Place | undefined>
  view: Readonly<Ref<View>>
  metrics: Readonly<Ref<Metrics>>
  size: Readonly<Ref<GridSize>>
  /** Enter, or a click: from the first to the last column of the run, and where it began. */
  onChoose: (row: number, from: number, to: number, start: number) => void
}

export function useGridCursor({ frame, cursor, view, metrics, size, onChoose }: Grid) {
  /** The other end of the run, while Shift or the pointer's button is held. */
  const anchor = ref<number>()
  const isDragging = ref(false)

  const run = computed(() => {
    if (!cursor.value || anchor.value === undefined) return undefined
    return {
      from: Math.min(anchor.value, cursor.value.column),
      to: Math.max(anchor.value, cursor.value.column),
    }
  })

  function go(place: Place): void {
    cursor.value = place
    const target = scrollTo(place, view.value, metrics.value)
    frame.value?.scrollTo({ left: target.x, top: target.y })
  }

  function choose(): void {
    if (!cursor.value) return
    const { from, to } = run.value ?? { from: cursor.value.column, to: cursor.value.column }
    const start = anchor.value ?? cursor.value.column
    anchor.value = undefined
    onChoose(cursor.value.row, from, to, start)
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      return choose()
    }
    const page = Math.max(1, Math.floor((view.value.height - metrics.value.top) / metrics.value.row) - 1)
    const here = cursor.value ?? { row: 0, column: 0 }
    const target = move(event.ctrlKey ? `Control+${event.key}` : event.key, here, page, size.value)
    if (!target) return
    event.preventDefault()
    anchor.value = event.shiftKey && target.row === here.row ? (anchor.value ?? here.column) : undefined
    go(target)
  }

  function under(event: PointerEvent): Place | undefined {
    const box = frame.value?.getBoundingClientRect()
    if (!box) return undefined
    return placeAt(event.clientX - box.left, event.clientY - box.top, view.value, metrics.value, size.value)
  }

  function onDown(event: PointerEvent): void {
    const place = event.button === 0 ? under(event) : undefined
    if (!place) return
    cursor.value = place
    anchor.value = place.column
    isDragging.value = true
  }

  function onMove(event: PointerEvent): void {
    if (!isDragging.value || !cursor.value) return
    const place = under(event)
    if (place && place.column !== cursor.value.column)
      cursor.value = { row: cursor.value.row, column: place.column }
  }

  function onUp(event: PointerEvent): void {
    if (!isDragging.value) return
    isDragging.value = false
    // Let go elsewhere is a change of mind.
    if (under(event)?.row === cursor.value?.row) choose()
    anchor.value = undefined
  }

  function onCancel(): void {
    isDragging.value = false
    anchor.value = undefined
  }

  // Not the size itself: that is another object after every look at the appliance, also in the middle of a drag.
  watch([() => size.value.rows, () => size.value.columns], ([rows, columns]) => {
    onCancel()
    if (cursor.value && (cursor.value.row >= rows || cursor.value.column >= columns)) cursor.value = undefined
  })

  return { run, onKey, onDown, onMove, onUp, onCancel }
}
