import { expect, it } from 'vitest'
import type { Export, PathState } from '@/api'
import { hostState } from './hostState'

const served = (state: Export['state']) => ({
  export: { state, reason: state === 'blocked' ? 'tank is off' : null },
})

it.each<[Export['state'], Export['state'] | undefined, number | null, PathState | undefined, string]>([
  ['none', undefined, 0, undefined, 'none'],
  ['none', 'open', 2, 'up', 'online'],
  ['open', undefined, 0, undefined, 'offline'],
  ['none', 'open', 0, undefined, 'offline'],
  ['open', 'open', 2, 'down', 'degraded'],
  ['open', undefined, null, undefined, 'unknown'],
  ['open', 'blocked', 2, 'up', 'blocked'],
  ['pending', 'open', 2, 'up', 'pending'],
])(
  'a host that is %s, of a group that is %s, with %s sessions and paths %s is %s',
  (own, group, sessions, paths, state) => {
    const found = hostState({ ...served(own), sessions }, group && served(group), paths)
    expect(found.state).toBe(state)
    expect(found.reason).toBe(state === 'blocked' ? 'tank is off' : null)
  },
)
