import { expect, it } from 'vitest'
import type { Export, HostConnection } from '@/api'
import type { Tone } from '@/ui/tone'
import { hostState } from './hostState'

const served = (state: Export['state']) => ({
  export: { state, reason: state === 'blocked' ? 'tank is off' : null },
})

it.each<[Export['state'], Export['state'] | undefined, HostConnection, string, Tone]>([
  ['open', undefined, 'online', 'online', 'good'],
  ['none', 'open', 'online', 'online', 'good'],
  ['open', 'open', 'degraded', 'degraded', 'warn'],
  ['none', 'open', 'offline', 'offline', 'bad'],
  ['none', undefined, 'offline', 'offline', 'quiet'],
  ['open', undefined, 'never', 'never', 'quiet'],
  ['unknown', undefined, 'unknown', 'unknown', 'quiet'],
  ['open', 'blocked', 'online', 'blocked', 'bad'],
  ['pending', 'open', 'degraded', 'pending', 'busy'],
])(
  'a host that is %s, of a group that is %s, and %s is shown as %s',
  (own, group, connection, state, tone) => {
    const found = hostState({ ...served(own), connection }, group && served(group))
    expect(found).toEqual({ state, tone, reason: state === 'blocked' ? 'tank is off' : null })
  },
)
