import { expect, it } from 'vitest'
import { health } from '../../../mock/drives'
import { nvmeDisk, sasDisk } from '../../../mock/storage'
import { recommended, replacementFor } from './diskChoice'

const worn = { kind: 'worn', severity: 'warning' as const, message: 'It is worn.' }

it('offers a blank disk that is large enough and well before any other', () => {
  const leaving = nvmeDisk(1)
  const at = { disk_id: leaving.id }
  const small = sasDisk(1, { size_bytes: 1_000_000 })
  const ailing = sasDisk(2, { health: health({}, [worn]) })
  const good = sasDisk(3)
  const taken = sasDisk(4, { state: 'occupied', wipeable: true })
  const all = [leaving, taken, small, ailing, good]
  expect(replacementFor(at, all)?.id).toBe(good.id)
  expect(replacementFor(at, [leaving, taken, small, ailing])?.id).toBe(ailing.id)
  expect(replacementFor(at, [leaving, taken, small])?.id).toBe(small.id)
  expect(replacementFor(at, [leaving, taken])?.id).toBe(taken.id)
  expect(replacementFor(at, [leaving])).toBeUndefined()
})

it('recommends the most that are of one kind and blank, and those with content only where it must', () => {
  const [first, second, third] = [sasDisk(1), sasDisk(2), sasDisk(3)]
  const full = sasDisk(4, { state: 'occupied', wipeable: true })
  const failing = sasDisk(5, { health: health({}, [{ ...worn, severity: 'critical' }]) })
  const blank = [first, second, third].map(({ id }) => id)
  expect(recommended([nvmeDisk(1), nvmeDisk(2), full, first, second, third]).toSorted()).toEqual(blank)
  expect(recommended([full, first]).toSorted()).toEqual([first.id, full.id])
  expect(recommended([failing, first, second])).not.toContain(failing.id)
  expect(recommended([])).toEqual([])
})
