import { expect, it } from 'vitest'
import { fieldMessage, readProblem } from './problems'

const AWAY = 'Cannot reach the appliance'

it('keeps the words of a problem document', () => {
  const problem = readProblem(
    { title: 'In use', detail: 'Disk a is mounted.', status: 409, errors: [] },
    AWAY,
  )
  expect(problem).toEqual({ title: 'In use', detail: 'Disk a is mounted.', status: 409, fields: [] })
})

it.each([[new TypeError('Failed to fetch')], ['<html>502</html>'], [undefined], [null]])(
  'says that the appliance does not answer for %s',
  (error) => expect(readProblem(error, AWAY)).toEqual({ title: AWAY, fields: [] }),
)

it('finds the message of a field wherever in the request it stands', () => {
  const errors = [
    { field: 'body.new_password', value: null, message: 'too short' },
    { field: 'disks/3', value: 'x', message: 'no such disk' },
  ]
  const problem = readProblem({ title: 'Not valid', errors }, AWAY)
  expect(fieldMessage(problem, 'new_password')).toBe('too short')
  expect(fieldMessage(problem, 'password')).toBeUndefined()
})
