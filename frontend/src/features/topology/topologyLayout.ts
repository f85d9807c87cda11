/**
 * Where each line of the picture stands. Columns are given; within one the order follows the neighbours' (barycentre),
 * and each line stands as close to the middle of its neighbours as the ones above and below let it. Pure.
 */
import { COLUMNS } from './topologyGraph'
import type { Column } from './topologyGraph'
import type { Line, Picture } from './topologyFold'

/** Pixels. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

export interface Layout {
  boxes: Map<string, Box>
  columns: { column: Column; x: number; width: number }[]
  /** Keys of each column from top to bottom, for moving with the arrow keys. */
  order: string[][]
  width: number
  height: number
}

/** The narrowest that can be read, and how much of the room beyond that each column takes. */
const WIDTHS: Record<Column, { least: number; share: number }> = {
  disk: { least: 132, share: 0.12 },
  array: { least: 134, share: 0.12 },
  volume: { least: 148, share: 0.14 },
  mapping: { least: 92, share: 0.03 },
  host: { least: 132, share: 0.12 },
  session: { least: 152, share: 0.15 },
}
const LEAST_GAP = 28
const BETWEEN = 6
const SWEEPS = 4
export const LOW = 30
export const HIGH = 44

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

function columnsAt(width: number): Layout['columns'] {
  const least = COLUMNS.reduce((sum, column) => sum + WIDTHS[column].least, 0)
  const extra = Math.max(0, width - least - LEAST_GAP * (COLUMNS.length - 1))
  const shares = COLUMNS.reduce((sum, column) => sum + WIDTHS[column].share, 0)
  const gap = LEAST_GAP + (extra * (1 - shares)) / (COLUMNS.length - 1)
  let x = 0
  return COLUMNS.map((column) => {
    const placed = { column, x, width: WIDTHS[column].least + extra * WIDTHS[column].share }
    x += placed.width + gap
    return placed
  })
}

/** Keys of the neighbours to one side of each line. */
function neighbours({ edges }: Picture, here: 'from' | 'to', there: 'from' | 'to'): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const edge of edges) {
    const known = found.get(edge[here])
    if (known) known.push(edge[there])
    else found.set(edge[here], [edge[there]])
  }
  return found
}

function byName(one: Line, other: Line): number {
  return one.members[0].name.localeCompare(other.members[0].name, 'en', { numeric: true })
}

/** Lines that nothing leads to keep to the end. */
function orderColumns(
  picture: Picture,
  left: Map<string, string[]>,
  right: Map<string, string[]>,
): string[][] {
  const lines = [...picture.lines.values()].sort(byName)
  const columns = COLUMNS.map((column) =>
    lines.filter((line) => line.column === column).map(({ key }) => key),
  )
  const rank = new Map<string, number>()
  const remember = (keys: readonly string[]) =>
    keys.forEach((key, index) => rank.set(key, index / keys.length))
  columns.forEach(remember)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isRightward = sweep % 2 === 0
    const beside = isRightward ? left : right
    const indexes = COLUMNS.map((_, index) => (isRightward ? index : COLUMNS.length - 1 - index))
    for (const index of indexes) {
      const keys = columns[index] ?? []
      const weight = new Map(
        keys.map((key) => {
          const ranks = (beside.get(key) ?? []).map((other) => rank.get(other) ?? 0)
          const isLast = isRightward && index ? !left.has(key) : !left.has(key) && !right.has(key)
          return [key, isLast ? 2 : ranks.length ? mean(ranks) : (rank.get(key) ?? 0)]
        }),
      )
      keys.sort((one, other) => (weight.get(one) ?? 0) - (weight.get(other) ?? 0))
      remember(keys)
    }
  }
  return columns
}

/**
 * Tops of boxes of these heights that keep their order and stand as near to the wanted tops as that allows: where two
 * would overlap they share the distance (pool adjacent violators).
 */
export function settleTops(wanted: readonly number[], heights: readonly number[], limit: number): number[] {
  const offsets: number[] = []
  let total = 0
  for (const height of heights) {
    offsets.push(total)
    total += height + BETWEEN
  }
  const pools: { sum: number; count: number }[] = []
  wanted.forEach((top, index) => {
    let pool = { sum: top - (offsets[index] ?? 0), count: 1 }
    for (
      let above = pools.at(-1);
      above && above.sum / above.count > pool.sum / pool.count;
      above = pools.at(-1)
    ) {
      pool = { sum: pool.sum + above.sum, count: pool.count + above.count }
      pools.pop()
    }
    pools.push(pool)
  })
  const most = Math.max(0, limit - total + BETWEEN)
  return pools
    .flatMap(({ sum, count }) => Array<number>(count).fill(Math.min(most, Math.max(0, sum / count))))
    .map((top, index) => top + (offsets[index] ?? 0))
}

/** `isHigh` tells which lines have a second row of text. */
export function layOut(picture: Picture, width: number, isHigh: (line: Line) => boolean): Layout {
  const columns = columnsAt(width)
  const left = neighbours(picture, 'to', 'from')
  const right = neighbours(picture, 'from', 'to')
  const order = orderColumns(picture, left, right)
  const heights = new Map([...picture.lines.values()].map((line) => [line.key, isHigh(line) ? HIGH : LOW]))
  const stack = order.map((keys) => keys.reduce((sum, key) => sum + (heights.get(key) ?? 0) + BETWEEN, 0))
  const height = Math.max(LOW, ...stack) - BETWEEN
  const tallest = stack.indexOf(Math.max(...stack))
  const boxes = new Map<string, Box>()

  function placeColumn(index: number, beside?: Map<string, string[]>): void {
    const keys = order[index] ?? []
    const { x, width: wide } = columns[index] ?? { x: 0, width: 0 }
    const tall = keys.map((key) => heights.get(key) ?? LOW)
    const wanted: number[] = []
    keys.forEach((key, at) => {
      const boxesBeside = (beside?.get(key) ?? []).flatMap((other) => boxes.get(other) ?? [])
      // What has no neighbour follows what has some.
      const top = boxesBeside.length
        ? mean(boxesBeside.map((box) => box.y + box.height / 2)) - (tall[at] ?? 0) / 2
        : wanted.at(-1)
      wanted.push(top ?? 0)
    })
    settleTops(wanted, tall, height).forEach((y, at) => {
      const key = keys[at]
      if (key !== undefined) boxes.set(key, { x, y, width: wide, height: tall[at] ?? LOW })
    })
  }

  placeColumn(tallest)
  for (let index = tallest - 1; index >= 0; index -= 1) placeColumn(index, right)
  for (let index = tallest + 1; index < COLUMNS.length; index += 1) placeColumn(index, left)
  const last = columns.at(-1)
  return { boxes, columns, order, width: last ? last.x + last.width : 0, height }
}
