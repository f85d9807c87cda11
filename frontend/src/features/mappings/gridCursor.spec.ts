import { afterEach, expect, test, vi } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import type { EffectScope } from 'vue'
import { useGridCursor } from './gridCursor'
import type { GridSize, Place } from './gridWindow'

const METRICS = { cell: 10, row: 10, left: 100, top: 50 }
let scope: EffectScope

afterEach(() => {
  scope.stop()
})

function grid() {
  const size = ref<GridSize>({ rows: 3, columns: 9 })
  const cursor = ref<Place>()
  const onChoose = vi.fn()
  const frame = ref<HTMLElement | null>(document.createElement('div'))
  const view = ref({ x: 0, y: 0, width: 500, height: 300 })
  scope = effectScope()
  const made = scope.run(() => useGridCursor({ frame, cursor, view, metrics: ref(METRICS), size, onChoose }))
  if (!made) throw new Error('The scope is not active.')
  return { ...made, size, onChoose }
}

/** The pointer in the middle of a cell. */
function at(row: number, column: number): PointerEvent {
  const place = { clientX: METRICS.left + column * 10 + 5, clientY: METRICS.top + row * 10 + 5 }
  return new MouseEvent('pointer', { button: 0, ...place }) as PointerEvent
}

test('a drag goes on while the page looks at the appliance again', async () => {
  const { onDown, onMove, onUp, size, onChoose } = grid()
  onDown(at(1, 2))
  onMove(at(1, 4))
  size.value = { ...size.value }
  await nextTick()
  onUp(at(1, 4))
  expect(onChoose).toHaveBeenCalledExactlyOnceWith(1, 2, 4, 2)
})

test('a drag maps nothing once rows or columns came or went under it', async () => {
  const { onDown, onMove, onUp, size, onChoose } = grid()
  onDown(at(1, 2))
  onMove(at(1, 4))
  size.value = { rows: 3, columns: 8 }
  await nextTick()
  onUp(at(1, 4))
  expect(onChoose).not.toHaveBeenCalled()
})
