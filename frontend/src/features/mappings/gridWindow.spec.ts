import { describe, expect, it } from 'vitest'
import { columnSpan, move, placeAt, rowSpan, scrollTo } from './gridWindow'

const metrics = { cell: 40, row: 30, left: 200, top: 100 }
const size = { rows: 500, columns: 10_000 }
const view = { x: 0, y: 0, width: 1000, height: 700 }

describe('the window', () => {
  it('holds as many cells as can be seen, however large the grid is', () => {
    const { from, to } = columnSpan({ ...view, x: 200_000 }, metrics, size)
    expect(from).toBe(200_000 / 40 - 4)
    expect(to - from).toBe(800 / 40 + 8)
    const rows = rowSpan({ ...view, y: 9_000 }, metrics, size)
    expect(rows.to - rows.from).toBe(600 / 30 + 8)
  })

  it('ends where the grid ends', () => {
    expect(columnSpan(view, metrics, { rows: 2, columns: 3 })).toEqual({ from: 0, to: 3 })
    expect(rowSpan({ ...view, y: 14_400 }, metrics, size).to).toBe(500)
  })
})

describe('the pointer', () => {
  it('finds the cell under it, scrolled or not', () => {
    expect(placeAt(201, 131, view, metrics, size)).toEqual({ row: 1, column: 0 })
    expect(placeAt(201, 131, { ...view, x: 400, y: 300 }, metrics, size)).toEqual({ row: 11, column: 10 })
  })

  it('finds nothing on the headers and beyond the end', () => {
    expect(placeAt(199, 131, view, metrics, size)).toBeUndefined()
    expect(placeAt(300, 99, view, metrics, size)).toBeUndefined()
    expect(placeAt(300, 200, view, metrics, { rows: 1, columns: 10 })).toBeUndefined()
  })
})

describe('keys', () => {
  it.each([
    ['ArrowLeft', { row: 0, column: 0 }, { row: 0, column: 0 }],
    ['ArrowRight', { row: 0, column: 9_999 }, { row: 0, column: 9_999 }],
    ['PageDown', { row: 495, column: 3 }, { row: 499, column: 3 }],
    ['Home', { row: 7, column: 30 }, { row: 7, column: 0 }],
    ['End', { row: 7, column: 30 }, { row: 7, column: 9_999 }],
    ['Control+Home', { row: 7, column: 30 }, { row: 0, column: 0 }],
    ['Control+End', { row: 7, column: 30 }, { row: 499, column: 9_999 }],
  ])('%s stays inside the grid', (key, from, to) => expect(move(key, from, 10, size)).toEqual(to))

  it('that move nothing are left to the browser', () =>
    expect(move('a', { row: 0, column: 0 }, 10, size)).toBeUndefined())

  it('scroll just as far as the cell needs to be free of headers and edges', () => {
    expect(scrollTo({ row: 2, column: 3 }, view, metrics)).toEqual({ x: 0, y: 0 })
    expect(scrollTo({ row: 20, column: 20 }, view, metrics)).toEqual({ x: 40, y: 30 })
    expect(scrollTo({ row: 5, column: 5 }, { ...view, x: 4_000, y: 3_000 }, metrics)).toEqual({
      x: 200,
      y: 150,
    })
  })
})
