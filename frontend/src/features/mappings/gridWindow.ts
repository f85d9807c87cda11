/** Which rows and columns of a grid of equal cells can be seen, and where a pointer is in it. Pure geometry, in pixels. */

export interface GridSize {
  rows: number
  columns: number
}

export interface Metrics {
  cell: number
  row: number
  /** The fixed column of owners and the fixed row of volume names. */
  left: number
  top: number
}

export interface View {
  x: number
  y: number
  width: number
  height: number
}

export interface Place {
  row: number
  column: number
}

/** First and one past the last, both drawn a little beyond the edge so that a scroll meets no blank. */
export interface Span {
  from: number
  to: number
}

const BEYOND = 4

const span = (start: number, length: number, step: number, count: number): Span => ({
  from: Math.max(0, Math.floor(start / step) - BEYOND),
  to: Math.min(count, Math.ceil((start + length) / step) + BEYOND),
})

export const rowSpan = (view: View, metrics: Metrics, size: GridSize): Span =>
  span(view.y, Math.max(0, view.height - metrics.top), metrics.row, size.rows)

export const columnSpan = (view: View, metrics: Metrics, size: GridSize): Span =>
  span(view.x, Math.max(0, view.width - metrics.left), metrics.cell, size.columns)

/** The cell under a point given from the grid's upper left corner; undefined on its headers and beyond its end. */
export function placeAt(
  x: number,
  y: number,
  view: View,
  metrics: Metrics,
  size: GridSize,
): Place | undefined {
  if (x < metrics.left || y < metrics.top) return undefined
  const column = Math.floor((x - metrics.left + view.x) / metrics.cell)
  const row = Math.floor((y - metrics.top + view.y) / metrics.row)
  return row < size.rows && column < size.columns ? { row, column } : undefined
}

/** How far to scroll so that a cell stands free of the headers and the edges. */
export function scrollTo(place: Place, view: View, metrics: Metrics): { x: number; y: number } {
  const within = (at: number, step: number, start: number, length: number): number => {
    if (at * step < start) return at * step
    return Math.max(start, (at + 1) * step - length)
  }
  return {
    x: within(place.column, metrics.cell, view.x, view.width - metrics.left),
    y: within(place.row, metrics.row, view.y, view.height - metrics.top),
  }
}

const MOVES: Record<string, (place: Place, page: number, size: GridSize) => Place> = {
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  PageUp: ({ row, column }, page) => ({ row: row - page, column }),
  PageDown: ({ row, column }, page) => ({ row: row + page, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }, _page, size) => ({ row, column: size.columns - 1 }),
  'Control+Home': () => ({ row: 0, column: 0 }),
  'Control+End': (_place, _page, size) => ({ row: size.rows - 1, column: size.columns - 1 }),
}

/** Where a key, held with Control or not, leads, kept inside the grid; undefined for a key that does not move. */
export function move(key: string, place: Place, page: number, size: GridSize): Place | undefined {
  const target = MOVES[key]?.(place, page, size)
  if (!target) return undefined
  const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value))
  return { row: clamp(target.row, size.rows), column: clamp(target.column, size.columns) }
}
