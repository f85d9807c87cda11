/** Sessions of the mock: one that is ended is another one once its host is back. */
import type { Session } from '@/api'
import { plan, refusal } from './answers'
import type { Planned } from './answers'
import { start } from './jobs'
import { freshId } from './made'
import type { World } from './world'

export function disconnect(world: World, row: Session): Planned | Response {
  const name = row.host ?? row.initiator
  if (row.stays_because) return refusal(row.stays_because, [['session', row.stays_because]], 409)
  const made = plan(
    `Disconnect ${name}`,
    [['interrupt', 'session', row.initiator, `its session with ${row.target_iqn} ends`]],
    {
      steps: [
        {
          kind: 'session.end',
          description: `end the sessions of ${row.initiator} with ${row.target_iqn}`,
          devices: [],
          bytes_destroyed: 0,
          irreversible: true,
        },
      ],
      hosts_interrupted: [name],
      warnings: ['The host logs in again automatically within seconds while volumes are mapped to it.'],
    },
  )
  const comeBack = () => {
    world.sessions = world.sessions.map((one) =>
      one.id === row.id ? { ...one, id: freshId('session'), since: new Date().toISOString() } : one,
    )
  }
  return { plan: made, apply: () => start(world, made, 'session', comeBack) }
}
