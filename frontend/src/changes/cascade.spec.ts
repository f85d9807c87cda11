/** The label of the button that includes what prevents a change. */
import { describe, expect, it } from 'vitest'
import { cascadeWords, newerWords } from './cascade'

const many = (noun: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ noun, id: `${noun}-${index}`, name: `${noun}${index}` }))

describe('what a deletion includes', () => {
  it.each([
    ['volume', [...many('host', 2), ...many('host_group', 1)], { key: 'mappings', count: 3 }],
    ['volume', many('snapshot', 2), { key: 'snapshots', count: 2 }],
    ['volume', [...many('host', 1), ...many('snapshot', 2)], { key: 'both', count: 1 }],
    ['host', [...many('volume', 4), ...many('host_group', 1)], { key: 'mappings', count: 4 }],
    ['host', many('host_group', 1), { key: 'group', count: 1 }],
    ['host_group', many('volume', 1), { key: 'mappings', count: 1 }],
    ['array', many('volume', 7), { key: 'volumes', count: 7 }],
    ['array', many('volume', 50), { key: 'volumes', count: 0 }],
    ['array', many('disk', 1), undefined],
  ])('of %s', (noun, blockers, words) => {
    expect(cascadeWords(noun, blockers)).toEqual(words)
  })
})

it('counts newer snapshots of a rollback, and offers nothing where something else prevents it', () => {
  expect(newerWords([...many('snapshot', 1), ...many('deleted_snapshot', 1)])).toEqual({
    key: 'newer',
    count: 2,
  })
  expect(newerWords([...many('snapshot', 1), ...many('host', 1)])).toBeUndefined()
})
