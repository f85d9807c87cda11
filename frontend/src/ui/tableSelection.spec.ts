import { expect, it } from 'vitest'
import { useSelection } from './tableSelection'

const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
const [a, b, c, d] = rows as [{ id: string }, { id: string }, { id: string }, { id: string }]

function pick() {
  const selection = useSelection<{ id: string }>(({ id }) => id)
  return { ...selection, ids: () => selection.rows.value.map(({ id }) => id).join('') }
}

it('picks and drops one row at a time', () => {
  const picked = pick()
  picked.toggle(b, rows, false)
  picked.toggle(d, rows, false)
  picked.toggle(b, rows, false)
  expect([picked.ids(), picked.count.value]).toEqual(['d', 1])
})

it('takes a range from the row clicked before, in either direction', () => {
  const picked = pick()
  picked.toggle(b, rows, false)
  picked.toggle(d, rows, true)
  expect(picked.ids()).toBe('bcd')
  picked.toggle(a, rows, true)
  expect(picked.ids()).toBe('bcda')
  picked.toggle(c, rows, true)
  expect(picked.ids()).toBe('d')
})

it('takes one row where the one clicked before is on another page', () => {
  const picked = pick()
  picked.toggle({ id: 'z' }, [{ id: 'z' }], false)
  picked.toggle(c, rows, true)
  expect(picked.ids()).toBe('zc')
})

it('knows a row again by its key, whatever else became of it', () => {
  const picked = pick()
  picked.put(rows, true)
  expect(picked.has({ ...a })).toBe(true)
  picked.put([{ ...a }], false)
  expect(picked.ids()).toBe('bcde')
  picked.clear()
  expect(picked.count.value).toBe(0)
})
